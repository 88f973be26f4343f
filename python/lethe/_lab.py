"""What abstractions lose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lethe import _inputs, _lethe
from lethe._abstraction import Abstraction
from lethe._inputs import PathLike
from lethe._plot import Plot
from lethe._progress import Progress, watched
from lethe._views import Figures


class Lab(Figures):
    """What card abstractions lose in games that were solved: a row for each method and number of buckets."""

    def __init__(self, figures: dict[str, Any], svg: str) -> None:
        super().__init__(figures)
        self._svg = svg
        self.table = _table(figures["rows"])

    @property
    def floor(self) -> float | None:
        """What a solve without any abstraction still lacks, in thousandths of the pot."""
        found: float | None = self["floor"]
        return found

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows: method, buckets, loss (`epsilon`, in thousandths of the pot) and its spread."""
        return list(self["rows"])

    def plot(self) -> Plot:
        """Loss against buckets, a line for each method."""
        return Plot(self._svg)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_() + self.table._repr_html_()

    def __repr__(self) -> str:
        return f"<lethe.Lab of {len(self.rows)} rows>"


def _table(rows: list[dict[str, Any]]) -> _lethe.Table:
    def column(name: str) -> list[Any]:
        return [row[name] for row in rows]

    return _lethe.Table.of(
        {
            "method": column("method"),
            "buckets": column("buckets"),
            "loss": column("epsilon"),
            "spread": column("spread"),
            "loss_oop": [row["seats"][0] for row in rows],
            "loss_ip": [row["seats"][1] for row in rows],
            "loss_both": column("symmetric"),
            "seconds": column("seconds"),
        }
    )


def lab(
    preset: str = "quick",
    *,
    methods: Sequence[str] | None = None,
    buckets: Sequence[int] | None = None,
    boards: Sequence[str] | None = None,
    seeds: Sequence[int] = (0,),
    abstractions: Sequence[Abstraction | PathLike] = (),
    iterations: int | None = None,
    pot: int | None = None,
    stack: int | None = None,
    bet_sizes: str | None = None,
    raise_sizes: str | None = None,
    symmetric: bool = True,
    memory: str | int | None = None,
    out: PathLike | None = None,
    data: PathLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Lab:
    """Measures what card abstractions lose, against exact best responses.

    Small games are solved in which one player sees only buckets; the loss is what a best response in real cards
    gains over the value of the game. What is not given is the preset's, ``"quick"`` or ``"full"``. With `out`,
    finished cells are kept and the same call resumes.
    """
    stored = [open.path if isinstance(open, Abstraction) else _inputs.path(open) or "" for open in abstractions]
    with watched(progress) as callback:
        figures, svg = _lethe.lab(
            preset,
            _strings(methods, "methods"),
            None if buckets is None else [_inputs.whole(count, "buckets", 10**9) for count in buckets],
            _strings(boards, "boards"),
            [_inputs.whole(seed, "seeds") for seed in seeds],
            stored,
            _inputs.optional(iterations, "iterations"),
            (_inputs.optional(pot, "pot"), _inputs.optional(stack, "stack"), bet_sizes, raise_sizes),
            bool(symmetric),
            _inputs.memory(memory),
            _inputs.path(out),
            _inputs.path(data),
            _inputs.threads(threads),
            callback,
        )
    return Lab(figures, svg)


def _strings(values: Sequence[str] | None, what: str) -> list[str] | None:
    if isinstance(values, str):
        raise TypeError(f"{what}: expected a list of texts")
    return None if values is None else [str(value) for value in values]
