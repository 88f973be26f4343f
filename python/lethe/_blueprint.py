"""Blueprints."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe import _inputs, _lethe
from lethe._errors import InputError
from lethe._inputs import CardsLike, Config, PathLike, Set, Time
from lethe._plot import Plot
from lethe._progress import Progress, watched
from lethe._views import Figures, Rows


class BlueprintNode(Rows):
    """A decision of a blueprint: every hand, or without a board every bucket, in columns.

    The columns of hands: `hand`, `bucket`, `key`, `reach`, `trained`; of buckets: `bucket`, `key`, `share`, `equity`,
    `trained`; then, under its name, how often each action is taken, and values where they were stored.
    """

    @property
    def history(self) -> str:
        """The betting before it."""
        return str(self._summary["history"])

    @property
    def street(self) -> str:
        """The street."""
        return str(self._summary["street"])

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """How often each hand or bucket takes each action: rows by actions."""
        columns = [self._table[action["text"]] for action in self.actions]
        return np.stack(columns, axis=1)

    def __repr__(self) -> str:
        line = self.history or "the first decision"
        return f"<lethe.BlueprintNode '{line}': {self.player} to act, pot {self.pot:g}, {len(self)} rows>"


class Exploitability(Figures):
    """What a best response wins from a strategy, in thousandths of a big blind per hand."""

    @property
    def mbb(self) -> float:
        """The exploitability."""
        return float(self["exploitability_mbb"])

    @property
    def interval_mbb(self) -> float | None:
        """Half the width of its 95 % interval, on a sample of flops."""
        found: float | None = self._figures.get("interval_mbb")
        return found

    @property
    def exact(self) -> bool:
        """Whether all flops were looked at."""
        return bool(self["exact"])

    def __float__(self) -> float:
        return self.mbb

    def __repr__(self) -> str:
        half = self.interval_mbb
        interval = f" ± {half:.2f}" if half else ""
        how = "exact" if self.exact else f"{self['flops']} flops"
        return f"<lethe.Exploitability {self.mbb:.2f}{interval} mbb/hand, {how}>"


class History:
    """How training went: a point for each moment that was recorded, in columns."""

    def __init__(self, table: _lethe.Table, curves: list[tuple[str, str]], facts: dict[str, str]) -> None:
        self.table, self._curves, self.facts = table, curves, facts

    @property
    def curves(self) -> list[str]:
        """The names of the curves there are."""
        return [name for name, _ in self._curves]

    def plot(self, name: str | None = None) -> Plot:
        """A curve by its name, or all of them."""
        chosen = [svg for known, svg in self._curves if name is None or known == name]
        if name is not None and not chosen:
            raise InputError(f"{name!r} is not a curve of this run; it has {', '.join(self.curves)}")
        return Plot(chosen)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.table[name]

    def __len__(self) -> int:
        return len(self.table)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists."""
        return self.table.to_dict()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


class Blueprint:
    """A trained strategy for whole hands. Made by `train`, opened by `Blueprint.open`."""

    def __init__(
        self, name: PathLike, *, checkpoint: str = "latest", data: PathLike | None = None
    ) -> None:
        self._open = _lethe.Blueprint(_inputs.path(name) or "", checkpoint, _inputs.path(data))

    @classmethod
    def open(
        cls, name: PathLike, *, checkpoint: str = "latest", data: PathLike | None = None
    ) -> Blueprint:
        """Opens a blueprint: a run's directory, its name in the data directory, or a checkpoint file.

        `checkpoint` is ``"latest"``, ``"best-exploitability"`` or ``"best-match"``.
        """
        return cls(name, checkpoint=checkpoint, data=data)

    @property
    def path(self) -> str:
        """The checkpoint."""
        return str(self._open.path)

    @property
    def iterations(self) -> int:
        """The iterations of its training."""
        return int(self._open.header["iterations"])

    @property
    def game(self) -> dict[str, Any]:
        """The game: stack, blinds, ante and bet sizes."""
        return dict(self._open.header["config"]["game"])

    @property
    def header(self) -> dict[str, Any]:
        """What the checkpoint says about itself."""
        return self._open.header

    def node(
        self, history: str = "", *, board: CardsLike | None = None, hand: CardsLike | None = None
    ) -> BlueprintNode:
        """What it does at a decision, named by the betting before it, such as ``"r250 c / Th9h8c x"``.

        Before the flop and on a known board its rows are hands, or the one `hand`; otherwise buckets. The board is
        in the line or in `board`.
        """
        named = None if board is None else _inputs.text(board, "board")
        held = None if hand is None else _inputs.text(hand, "hand")
        return BlueprintNode(*self._open.decision(history, named, held))

    def frequencies(
        self, history: str, hand: CardsLike, board: CardsLike | None = None
    ) -> dict[str, float]:
        """How often a hand takes each action, by the action's word in a line: fast, without the rest of a node."""
        named = None if board is None else _inputs.text(board, "board")
        words, found = self._open.frequencies(history, _inputs.text(hand, "hand"), named)
        return dict(zip(words, found))

    def exploitability(
        self,
        *,
        flops: int = 8,
        exact: bool = False,
        seed: int = 0,
        strategy: str = "trained",
        search: str | None = None,
        gadget: str = "combined",
        iterations: int = 100,
        threads: int | None = None,
        progress: Progress = None,
    ) -> Exploitability:
        """What a best response in real cards wins from it: on a sample of `flops`, or `exact` on all of them.

        `strategy` may be ``"uniform"``, which takes all actions equally often. `search`, ``"turn"`` or ``"river"``,
        measures the agent that solves subgames from that street on, with a `gadget` and `iterations`.
        """
        if strategy not in ("trained", "uniform"):
            raise InputError(f"strategy is {strategy!r}; expected trained or uniform")
        searched = None
        if search is not None:
            searched = (search, gadget, _inputs.whole(iterations, "iterations", 1_000_000))
        with watched(progress) as callback:
            return Exploitability(
                self._open.exploitability(
                    _inputs.whole(flops, "flops", 2**32 - 1),
                    bool(exact),
                    _inputs.whole(seed, "seed"),
                    strategy == "uniform",
                    searched,
                    _inputs.threads(threads),
                    callback,
                )
            )

    def local_best_response(
        self,
        *,
        hands: int = 10_000,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> dict[str, Any]:
        """What a local best response wins from it, a lower bound on its exploitability."""
        with watched(progress) as callback:
            return self._open.local_best_response(
                _inputs.whole(hands, "hands"), _inputs.whole(seed, "seed"), _inputs.threads(threads), callback
            )

    def history(self) -> History:
        """How training went."""
        return History(*self._open.history())

    def export(
        self,
        history: str = "",
        *,
        street: str | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> _lethe.Table:
        """Every decision at and below a line, a row for each action of each bucket."""
        with watched(progress) as callback:
            return self._open.export(history, street, _inputs.threads(threads), callback)

    def close(self) -> None:
        """Closes it."""
        self._open.close()

    def __enter__(self) -> Blueprint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return self.node()._repr_html_()

    def __repr__(self) -> str:
        return f"<lethe.Blueprint {self.path}: {self.iterations} iterations>"


def train(
    config: Config = "default",
    *,
    set: Set = None,
    out: PathLike | None = None,
    time: Time = None,
    iterations: int | None = None,
    resume: bool = False,
    data: PathLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Blueprint:
    """Trains a blueprint and opens it; its abstraction is built first if it is not there.

    `config` is the name of a preset, a YAML file, YAML text or a dictionary; `set` overrides some of its keys. `out`
    is the run: a path, or a name in the data directory; left out, the name of the preset or file. `time` and
    `iterations` limit the training. Ctrl-C keeps what was reached: `resume` trains on.
    """
    kind, text = _inputs.config(config, presets=True)
    run = _inputs.path(out)
    if run is None:
        if kind == "text":
            raise InputError("out is missing: give the name of the run")
        run = text if kind == "preset" else os.path.splitext(os.path.basename(text))[0]
    with watched(progress) as callback:
        view = _lethe.train(
            (kind, text),
            _inputs.overrides(set),
            run,
            _inputs.time(time),
            _inputs.optional(iterations, "iterations", 10**12),
            bool(resume),
            _inputs.path(data),
            _inputs.threads(threads),
            callback,
        )
    return Blueprint(str(view["run"]), data=data)
