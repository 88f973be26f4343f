"""Card abstractions."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from numpy.typing import NDArray

from lethe import _inputs, _lethe
from lethe._errors import InputError
from lethe._inputs import CardsLike, Config, PathLike, Set
from lethe._plot import Plot
from lethe._progress import Progress, watched

POSTFLOP = ("flop", "turn", "river")


class Abstraction:
    """A card abstraction: the bucket of every hole on every flop, turn and river.

    Made by `build`, opened by `Abstraction.open`. Tables are mapped from the files, so opening is fast and memory
    is shared between processes.
    """

    def __init__(self, name: PathLike, *, data: PathLike | None = None) -> None:
        self._open = _lethe.Abstraction(_inputs.path(name) or "", _inputs.path(data))

    @classmethod
    def open(cls, name: PathLike, *, data: PathLike | None = None) -> Abstraction:
        """Opens an abstraction: its directory, its name in the data directory, or the preset that makes it."""
        return cls(name, data=data)

    @property
    def name(self) -> str:
        """The name of its directory."""
        return self._open.name

    @property
    def path(self) -> str:
        """Its directory."""
        return str(self._open.path)

    @property
    def counts(self) -> dict[str, int]:
        """The number of buckets on each street."""
        return {street: self._open.count(street) for street in ("preflop", *POSTFLOP)}

    def buckets(self, holes: CardsLike, boards: CardsLike | None = None) -> Any:
        """The bucket of each situation: holes (n, 2) on boards (n, 3 to 5), or one of either for all.

        Before the flop a bucket is one of the 169 starting hands.
        """
        own, one_hole = _inputs.rows(holes, "holes")
        shared, one_board = _inputs.boards(boards)
        found = self._open.buckets(own, shared)
        return int(found[0]) if one_hole and one_board else found

    def table(
        self, street: str, *, threads: int | None = None, progress: Progress = None
    ) -> NDArray[Any]:
        """The buckets of a street: a read-only array over the mapped file, without a copy.

        Row i is the canonical board i (`canonical_boards`), and its entries are the holes of `row_holes` of that
        board; ``table.ravel()[situation_index(holes, boards)]`` are the buckets of situations. With flop clusters
        these are the buckets within a cluster. Every byte is checked first. Sampled abstractions have no table.
        """
        with watched(progress) as callback:
            return self._open.table(street, _inputs.threads(threads), callback)

    def lookup(self, hole: CardsLike, board: CardsLike | None = None) -> dict[str, Any]:
        """The bucket of one hand with its equity, its size and its spread."""
        return self._open.lookup(_inputs.text(hole, "hole"), _inputs.text(board, "board"))

    def inspect(self, streets: str | Sequence[str] = POSTFLOP) -> dict[str, Any]:
        """Streets in figures: sizes, equities and spreads of all buckets, and how good they are."""
        chosen = [streets] if isinstance(streets, str) else list(streets)
        for street in chosen:
            if street not in POSTFLOP:
                raise InputError(f"{street!r} is not a street with buckets: expected flop, turn or river")
        return self._open.inspect(chosen)

    def verify(self, *, threads: int | None = None, progress: Progress = None) -> None:
        """Checks every byte of the tables."""
        with watched(progress) as callback:
            self._open.verify(_inputs.threads(threads), callback)

    def plot(self, board: CardsLike | None = None) -> Plot:
        """The mean equity of the buckets of each starting hand, on a board or over all flops."""
        return Plot(self._open.grid(_inputs.text(board, "board")))

    def close(self) -> None:
        """Closes it. Arrays that were taken from it stay valid."""
        self._open.close()

    def __enter__(self) -> Abstraction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return self._open.grid("")

    def __repr__(self) -> str:
        return f"<lethe.Abstraction {self.name}>"


def build(
    config: Config = "default",
    *,
    set: Set = None,
    out: PathLike | None = None,
    force: bool = False,
    equity_tables: bool = False,
    data: PathLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Abstraction:
    """Builds an abstraction, unless it is there, and opens it.

    `config` is the name of a preset, a YAML file, YAML text or a dictionary; `set` overrides some of its keys.
    Ctrl-C leaves nothing behind.
    """
    with watched(progress) as callback:
        view = _lethe.build(
            _inputs.config(config, presets=True),
            _inputs.overrides(set),
            _inputs.path(out),
            bool(force),
            bool(equity_tables),
            _inputs.path(data),
            _inputs.threads(threads),
            callback,
        )
    return Abstraction(str(view["path"]))
