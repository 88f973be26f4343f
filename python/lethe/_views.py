"""What tables and figures have in common."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from lethe import _lethe


class Figures:
    """Figures by name, as the command's JSON has them."""

    def __init__(self, figures: dict[str, Any]) -> None:
        self._figures = figures

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __contains__(self, name: object) -> bool:
        return name in self._figures

    def to_dict(self) -> dict[str, Any]:
        """All figures."""
        return dict(self._figures)


class Rows:
    """A summary, and a table of hands or buckets: columns by name, NumPy, Arrow and dictionaries."""

    def __init__(self, summary: dict[str, Any], table: _lethe.Table, svg: str | None) -> None:
        self._summary, self._table, self._svg = summary, table, svg

    @property
    def table(self) -> _lethe.Table:
        """The columns."""
        return self._table

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the node as a whole, as the command's JSON has them."""
        return dict(self._summary)

    @property
    def board(self) -> str | None:
        """The board."""
        found: str | None = self._summary["board"]
        return found

    @property
    def pot(self) -> float:
        """The pot, in chips."""
        return float(self._summary["pot"])

    @property
    def stacks(self) -> dict[str, int]:
        """The chips behind, by player."""
        return dict(self._summary["stacks"])

    @property
    def player(self) -> str | None:
        """Who acts; none where a card is dealt."""
        found: str | None = self._summary["player"]
        return found

    @property
    def actions(self) -> list[dict[str, Any]]:
        """The actions: name, chips, share of the pot, and how often the whole range takes each."""
        return [dict(action) for action in self._summary["actions"]]

    @property
    def columns(self) -> list[str]:
        """The names of the columns: those of the hands, then the frequency of each action and its value."""
        return self._table.columns

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._table[name]

    def __len__(self) -> int:
        return len(self._table)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return self._table.to_dict()

    def __arrow_c_schema__(self) -> Any:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return self._svg if self._svg else self._table._repr_html_()
