"""Betting as other libraries write it, turned into lines such as ``r250 c / x b300``, and back."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Betting:
    """The betting of a hand of two players, action by action. Player 0 is the small blind.

    >>> betting = Betting(50, 100)
    >>> for total in (250, None):
    ...     betting.put(total)
    >>> betting.deal()
    >>> betting.put(None); betting.put(550)
    >>> betting.line
    'r250 c / x b300'
    """

    small_blind: int
    big_blind: int
    ante: int = 0
    words: list[str] = field(default_factory=list)
    before: int = 0
    """What each player put in before this street."""

    def __post_init__(self) -> None:
        self.on_street = [self.small_blind, self.big_blind]
        self.actor = 0

    @property
    def line(self) -> str:
        """The line."""
        return " ".join(self.words)

    def deal(self) -> None:
        """The next street begins, with the big blind."""
        self.before += max(self.on_street)
        self.on_street, self.actor = [0, 0], 1
        self.words.append("/")

    def fold(self) -> None:
        """The player to act folds."""
        self.words.append("f")
        self.actor = 1 - self.actor

    def put(self, total: int | None) -> None:
        """The player to act bets or raises to a total of chips in the hand, antes apart; none checks or calls."""
        facing = self.on_street[1 - self.actor]
        if total is None:
            self.words.append("c" if facing > self.on_street[self.actor] else "x")
            self.on_street[self.actor] = facing
        else:
            chips = total - self.before
            self.words.append(f"{'r' if facing > 0 else 'b'}{chips}")
            self.on_street[self.actor] = chips
        self.actor = 1 - self.actor

    def total(self, chips: int) -> int:
        """Chips on this street as a total of the hand."""
        return self.before + chips
