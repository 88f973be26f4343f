"""Postflop spots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe import _inputs, _lethe
from lethe._abstraction import Abstraction
from lethe._inputs import Config, PathLike, Time
from lethe._progress import Progress, watched
from lethe._views import Rows


class Node(Rows):
    """A position of a solution: both ranges in figures, and every hand of one player in columns.

    The columns: `hand`, `made`, `draws`, `weight` at the start, `reach` here, `ev` and `equity`, `realisation`;
    then for each action how often it is taken, under its name, and what it is worth, as ``"ev bet 36"``.
    """

    @property
    def line(self) -> str:
        """The betting and the dealt cards before it."""
        return str(self._summary["line"])

    @property
    def shown(self) -> str | None:
        """Whose hands the columns have."""
        found: str | None = self._summary["shown"]
        return found

    @property
    def ev(self) -> dict[str, float | None]:
        """Each player's expected share of the pot, in chips."""
        return dict(self._summary["ev"])

    @property
    def equity(self) -> dict[str, float | None]:
        """Each player's equity."""
        return dict(self._summary["equity"])

    @property
    def combos(self) -> dict[str, float]:
        """The weight of each player's hands."""
        return dict(self._summary["combos"])

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """How often each hand takes each action: hands by actions."""
        names = [action["text"] for action in self.actions] if self.player == self.shown else []
        columns = [self._table[name] for name in names]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self), 0))

    def __repr__(self) -> str:
        who = f"{self.player} to act" if self.player else "a card is dealt"
        return f"<lethe.Node '{self.line}' on {self.board}: {who}, pot {self.pot:g}, {len(self)} hands>"


class Solution:
    """A solved spot. Made by `solve`, opened by `Solution.open`."""

    def __init__(self, solved: _lethe.Solution) -> None:
        self._solved = solved

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        data: PathLike | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Solution:
        """Opens a saved solution: a file, or a name in the data directory."""
        with watched(progress) as callback:
            found = _inputs.path(path) or ""
            return cls(_lethe.Solution.open(found, _inputs.path(data), _inputs.threads(threads), callback))

    @property
    def exploitability(self) -> float | None:
        """What best responses gain on average over both players, in chips."""
        found: float | None = self._solved.view["exploitability"]
        return found

    @property
    def exploitability_percent(self) -> float | None:
        """The same in percent of the pot."""
        found: float | None = self._solved.view["exploitability_percent"]
        return found

    @property
    def iterations(self) -> int:
        """The iterations done."""
        return int(self._solved.view["iterations"])

    @property
    def ev(self) -> dict[str, float] | None:
        """Each player's expected share of the pot, in chips."""
        found: dict[str, float] | None = self._solved.view["ev"]
        return found

    def node(
        self,
        line: str = "",
        *,
        player: str | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Node:
        """The position that a line such as ``"x b36 c / Th"`` leads to; the root is ``""``.

        The hands are those of the player to act, or of `player`, ``"oop"`` or ``"ip"``.
        """
        with watched(progress) as callback:
            return Node(*self._solved.position(line, player, _inputs.threads(threads), callback))

    def runouts(
        self, line: str = "", *, threads: int | None = None, progress: Progress = None
    ) -> _lethe.Table:
        """Every card that may be dealt after a line, with both players' EV and equity after it."""
        with watched(progress) as callback:
            return self._solved.runouts(line, _inputs.threads(threads), callback)

    def export(
        self,
        line: str = "",
        *,
        to: str | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> _lethe.Table:
        """Every decision at and below a line, up to the street `to`: a row for each action of each hand."""
        with watched(progress) as callback:
            return self._solved.export(line, to, _inputs.threads(threads), callback)

    def save(self, path: PathLike, *, without: str | None = None, data: PathLike | None = None) -> str:
        """Saves it to a file, or under a name in the data directory; where that is.

        `without` leaves out a street, ``"turn"`` or ``"river"``, and those after it: they are solved again when
        they are looked at.
        """
        return str(self._solved.save(_inputs.path(path) or "", without, _inputs.path(data)))

    def to_dict(self) -> dict[str, Any]:
        """How the solve ended, as the command's JSON has it."""
        return self._solved.view

    def _repr_html_(self) -> str:
        return self.node()._repr_html_()

    def __repr__(self) -> str:
        percent = self.exploitability_percent
        reached = "not measured" if percent is None else f"{percent:.4f} % of the pot"
        return f"<lethe.Solution of {self._solved.view['board']}: {self.iterations} iterations, exploitability {reached}>"


def solve(
    spot: Config,
    *,
    target: str | float | None = None,
    iterations: int | None = None,
    time: Time = None,
    rule: str = "dcfr",
    precision: str = "f32",
    memory: str | int | None = None,
    start: str | None = None,
    locks: Sequence[str] = (),
    abstraction: Abstraction | PathLike | None = None,
    data: PathLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Solution:
    """Solves a postflop spot: exact strategies for both players.

    `spot` is a dictionary, YAML text or a file with the keys of a spot file. `target` is the exploitability to
    reach, ``"0.1%"`` or as a fraction 0.001 of the pot, which is the default without another limit.

    >>> import lethe
    >>> spot = {"board": "2s3h4d6c7c", "oop_range": "AsAh,QsQh", "ip_range": "KsKh", "pot": 100, "stack": 100,
    ...         "bet_sizes": {"river": {"oop": {"bet": "a"}}}}
    >>> solution = lethe.solve(spot)
    >>> called = solution.node("b100")                # kings call a bet of the pot half the time
    >>> round(float(called["call"][0]), 1)
    0.5
    """
    if isinstance(locks, str):
        raise TypeError("locks: expected a list of texts such as ['x=bet 50 30%, check']")
    opened = None
    if abstraction is not None:
        given = abstraction if isinstance(abstraction, Abstraction) else Abstraction(abstraction, data=data)
        opened = given._open
    given_options = {
        "target": _inputs.percent(target),
        "iterations": _inputs.optional(iterations, "iterations"),
        "time": _inputs.time(time),
        "rule": rule,
        "precision": precision,
        "memory": _inputs.memory(memory),
    }
    with watched(progress) as callback:
        return Solution(
            _lethe.solve(
                _inputs.config(spot, presets=False),
                given_options,
                start,
                [str(lock) for lock in locks],
                opened,
                _inputs.threads(threads),
                callback,
            )
        )


def tree(spot: Config, *, depth: int = 0) -> dict[str, Any]:
    """The size of a spot's betting tree, and the memory that a solve takes.

    >>> import lethe
    >>> spot = {"board": "2s3h4d6c7c", "oop_range": "AA", "ip_range": "KK", "pot": 100, "stack": 100}
    >>> lethe.tree(spot)["nodes"]
    3
    """
    return _lethe.tree(_inputs.config(spot, presets=False), _inputs.whole(depth, "depth", 1000))
