"""Cards in arrays, and equities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from lethe import _inputs, _lethe
from lethe._errors import InputError
from lethe._inputs import CardsLike, RangeLike
from lethe._plot import Plot
from lethe._progress import Progress, watched


def cards(text: str) -> NDArray[np.uint8]:
    """The integers of cards: ``4 * rank + suit``, from 0 (``2c``) to 51 (``As``).

    >>> import lethe
    >>> lethe.cards("2c 2d Ah As").tolist()
    [0, 1, 50, 51]
    """
    if not isinstance(text, str):
        raise TypeError(f"expected text, found {type(text).__name__}")
    return np.frombuffer(_lethe.read_cards(text), dtype=np.uint8)


def cards_text(cards: CardsLike) -> str:
    """Cards as text.

    >>> import lethe
    >>> lethe.cards_text([51, 47])
    'AsKs'
    """
    return _inputs.text(_inputs.rows(cards, "cards")[0], "cards")


@overload
def evaluate(cards: str) -> int: ...
@overload
def evaluate(cards: CardsLike) -> Any: ...
def evaluate(cards: CardsLike) -> Any:
    """The strength of hands of five to seven cards: 0 (7-5-4-3-2) to 7461 (royal flush), higher is better.

    An (n, 5), (n, 6) or (n, 7) array gives n strengths; one hand gives one.

    >>> import lethe
    >>> lethe.evaluate("As Ks Qs Js Ts 2d 2h")
    7461
    >>> lethe.evaluate(["AsAdKhKc2s", "QsQdKhKc2s"])
    array([4984, 4852], dtype=uint16)
    >>> lethe.describe(4984)
    'two pair, aces and kings, deuce kicker'
    """
    hands, single = _inputs.rows(cards, "cards")
    found = _lethe.evaluate(hands)
    return int(found[0]) if single else found


def describe(strength: int) -> str:
    """A strength in words.

    >>> import lethe
    >>> lethe.describe(lethe.evaluate("KsKdKhTsTc4d2h"))
    'full house, kings full of tens'
    """
    return _lethe.describe(_inputs.whole(strength, "strength", 7461))


def canonical(
    holes: CardsLike, boards: CardsLike | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The canonical form of situations: the same cards up to the names of suits.

    `holes` is (n, 2), `boards` (n, 3 to 5) or left out before the flop; either may be one row for all of the
    other. Returns both in canonical form; of one situation, one row of each.

    >>> import lethe
    >>> hole, board = lethe.canonical("AhKh", "Th9h8c")
    >>> lethe.cards_text(hole), lethe.cards_text(board)
    ('AsKs', 'Ts9s8h')
    """
    own, one_hole = _inputs.rows(holes, "holes")
    shared, one_board = _inputs.boards(boards)
    found = _lethe.canonical(own, shared)
    return (found[0][0], found[1][0]) if one_hole and one_board else found


def situation_index(holes: CardsLike, boards: CardsLike | None = None) -> Any:
    """The index of situations: the row of the canonical board times its length, plus the place of the hole.

    It is the place of the situation in the flattened `Abstraction.table` of its street.

    >>> import lethe
    >>> lethe.situation_index("AhKh", "Th9h8c") == lethe.situation_index("AcKc", "Tc9c8d")
    True
    """
    own, one_hole = _inputs.rows(holes, "holes")
    shared, one_board = _inputs.boards(boards)
    found = _lethe.situation_index(own, shared)
    return int(found[0]) if one_hole and one_board else found


def board_index(boards: CardsLike) -> Any:
    """The index of boards among the canonical boards of their street: the row of `Abstraction.table`.

    >>> import lethe
    >>> lethe.cards_text(lethe.canonical_boards("flop")[lethe.board_index("Th9h8c")])
    'Ts9s8h'
    """
    shared, single = _inputs.boards(boards)
    found = _lethe.board_index(shared)[0]
    return int(found[0]) if single else found


def canonical_boards(street: str) -> NDArray[np.uint8]:
    """The canonical boards of a street, by index: 1,755 flops, 16,432 turns, 134,459 rivers.

    >>> import lethe
    >>> lethe.canonical_boards("turn").shape
    (16432, 4)
    """
    return _lethe.canonical_boards(street)


def board_multiplicity(boards: CardsLike) -> Any:
    """How many boards share the canonical form of each.

    >>> import lethe
    >>> int(lethe.board_multiplicity(lethe.canonical_boards("flop")).sum())
    22100
    """
    shared, single = _inputs.boards(boards)
    found = _lethe.board_index(shared)[1]
    return int(found[0]) if single else found


def row_holes(board: CardsLike | None = None) -> NDArray[np.uint8]:
    """The holes that a board leaves, in the order of its row: 1,326 / 1,176 / 1,128 / 1,081 of them.

    >>> import lethe
    >>> lethe.row_holes("Th9h8c").shape
    (1176, 2)
    >>> lethe.cards_text(lethe.row_holes()[-1])
    'AsAh'
    """
    shared, _ = _inputs.boards(board)
    if len(shared) != 1:
        raise InputError(f"expected one board, found {len(shared)}")
    return _lethe.row_holes(shared[0].tolist())


def hole_index(holes: CardsLike) -> Any:
    """The index of holes among all 1,326: the place in `Range.weights`.

    >>> import lethe
    >>> lethe.hole_index("AsAh")
    1325
    >>> bool((lethe.hole_index(lethe.row_holes()) == range(1326)).all())
    True
    """
    found, single = _inputs.rows(holes, "holes")
    if found.shape[1] != 2:
        raise InputError(f"expected holes of 2 cards, found {found.shape[1]} columns")
    if found.size > 0 and (found.max() > 51 or bool((found[:, 0] == found[:, 1]).any())):
        raise InputError("holes: expected two different cards from 0 (2c) to 51 (As)")
    low = found.min(axis=1).astype(np.int64)
    high = found.max(axis=1).astype(np.int64)
    index = high * (high - 1) // 2 + low
    return int(index[0]) if single else index


def equity_rows(
    boards: CardsLike | None = None, *, threads: int | None = None, progress: Progress = None
) -> NDArray[np.float64]:
    """The exact equity of every hole of each board against a random hand, in rows.

    Row i has an entry for each hole of ``row_holes(boards[i])``. One board gives one row.

    >>> import lethe
    >>> row = lethe.equity_rows("Th9h8c2d")
    >>> row.shape
    (1128,)
    >>> holes = lethe.row_holes("Th9h8c2d")
    >>> lethe.cards_text(holes[row.argmax()])
    'QhJh'
    """
    shared, single = _inputs.boards(boards)
    with watched(progress) as callback:
        found = _lethe.equity_rows(shared, _inputs.threads(threads), callback)
    return found[0] if single else found


@dataclass(frozen=True)
class Equity:
    """An equity and what it is made of. ``float(equity)`` is the share of the pot."""

    equity: float
    """The player's share of the pot, from 0 to 1."""
    wins: int
    """The deals won, weighted by the ranges."""
    ties: int
    """The deals tied."""
    total: int
    """All deals."""
    player: str
    """The player's cards."""
    against: str
    """The opponent's cards."""
    histogram: NDArray[np.uint64] | None
    """How many next cards lead to an equity in each bin; none where no single card comes next."""
    _svg: str | None

    def __float__(self) -> float:
        return self.equity

    def __str__(self) -> str:
        return f"{self.equity:.6f}"

    def __repr__(self) -> str:
        return f"Equity({self.equity!r}, wins={self.wins}, ties={self.ties}, total={self.total})"

    def to_dict(self) -> dict[str, Any]:
        """The figures as the command's JSON has them."""
        found: dict[str, Any] = {
            "hole": self.player,
            "against": self.against,
            "equity": self.equity,
            "wins": self.wins,
            "ties": self.ties,
            "total": self.total,
        }
        if self.histogram is not None:
            counts = self.histogram.tolist()
            found["histogram"] = {"bins": len(counts), "counts": counts}
        return found

    def plot(self) -> Plot:
        """The histogram of the equity after the next card."""
        if self._svg is None:
            raise InputError("there is no next card before the flop and on the river")
        return Plot(self._svg)


def equity(
    player: RangeLike, board: CardsLike | None = None, against: RangeLike = "random", *, bins: int = 10
) -> Equity:
    """The exact equity of a hand or range on a board, against a hand or range.

    >>> import lethe
    >>> e = lethe.equity("AsKs", "Th9h8c")
    >>> e.wins, e.ties, e.total
    (445990, 35830, 1070190)
    >>> print(f"{float(lethe.equity('JsTs', 'Th9h8c', against='QQ+,AKs')):.4f}")
    0.4538
    """
    found = _lethe.equity(
        _inputs.text(player, "player"),
        _inputs.text(board, "board"),
        _inputs.text(against, "against"),
        _inputs.whole(bins, "bins", 2**32 - 1),
    )
    value, wins, ties, total, own, other, counts, svg = found
    histogram = None if counts is None else np.array(counts, dtype=np.uint64)
    return Equity(value, wins, ties, total, own, other, histogram, svg)


