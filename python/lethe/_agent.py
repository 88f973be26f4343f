"""Decisions in hands as they are played."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lethe import _inputs, _lethe
from lethe._blueprint import Blueprint
from lethe._errors import InputError
from lethe._inputs import CardsLike
from lethe._progress import Progress, watched


@dataclass(frozen=True)
class Decision:
    """What an agent does, and why."""

    action: str
    """The action taken, as a word of a line: `f`, `x`, `c`, `b300`, `r900` or `a`."""
    kind: str
    """`fold`, `check`, `call`, `bet`, `raise` or `allin`."""
    chips: int | None
    """Of a bet, raise or all-in: the player's total on the street."""
    actions: list[str]
    """The actions that were considered."""
    frequencies: NDArray[np.float32]
    """How often our hand takes each."""
    values: NDArray[np.float64] | None
    """What each is worth to our hand, in chips, where that is known."""
    strategy: NDArray[np.float32]
    """How often every hand takes each: actions by 1,326 holes in the order of `hole_index`."""
    source: str
    """`blueprint`, or `search` for a solved subgame."""
    iterations: int
    """The iterations of the solve."""
    seconds: float
    """The time that it took."""
    details: dict[str, Any]
    """All of this as JSON has it."""

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain values."""
        return dict(self.details)


class Agent:
    """A player: a blueprint, and the solving of the end of the hand that it is in.

    `search_from` is the first street that is solved, ``"flop"``, ``"turn"``, ``"river"`` or ``"none"``; `gadget` is ``"unsafe"``,
    ``"resolve"``, ``"maxmargin"`` or ``"combined"``. A solve ends after `iterations`, or before that at an
    exploitability of `target`, a share of the pot; without either, after 400 or at 0.01. Without `think` seconds, a
    decision is the same on any machine.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        *,
        search_from: str = "turn",
        gadget: str = "combined",
        iterations: int | None = None,
        target: float | None = None,
        think: float | None = None,
        resolve_river: bool = False,
        warm_start: bool = False,
        values: bool = True,
        measure: bool = False,
        seed: int = 0,
        cache_bytes: int = 2 << 30,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        if not isinstance(blueprint, Blueprint):
            raise TypeError(f"expected a blueprint, found {type(blueprint).__name__}")
        config: dict[str, Any] = {
            "from": search_from,
            "gadget": gadget,
            "resolve_river": bool(resolve_river),
            "warm_start": bool(warm_start),
            "values": bool(values),
            "measure": bool(measure),
            "seed": _inputs.whole(seed, "seed"),
            "cache_bytes": _inputs.whole(cache_bytes, "cache_bytes"),
        }
        if iterations is not None:
            config["iterations"] = _inputs.whole(iterations, "iterations", 2**32 - 1)
            config["target"] = None
        if target is not None:
            config["target"] = _inputs._number(target, "target")
        if think is not None:
            seconds = _inputs._number(think, "think")
            limit = timedelta(seconds=min(seconds, 1e9))
            whole = limit.days * 86400 + limit.seconds
            config["think"] = {"secs": whole, "nanos": limit.microseconds * 1000}
        if iterations == 0:
            raise InputError("iterations is 0: expected at least 1")
        self.blueprint = blueprint
        with watched(progress) as callback:
            self._agent = _lethe.Agent(
                blueprint._open, _inputs.dumps(config), _inputs.threads(threads), callback
            )

    @property
    def config(self) -> dict[str, Any]:
        """How it plays."""
        return self._agent.config

    def decide(
        self,
        *,
        seat: str,
        hole: CardsLike,
        history: str = "",
        board: CardsLike | None = None,
        stack: int | None = None,
        number: int = 0,
        progress: Progress = None,
    ) -> Decision:
        """Decides a hand in which it is our turn.

        `seat` is ``"sb"`` or ``"bb"``; `history` the betting so far, such as ``"r250 c / x b300"``, in the hand's own
        chips; `board` the cards dealt, in their order; `stack` what each player began with, at most the blueprint's.
        Hands of another `number` are drawn differently.
        """
        with watched(progress) as callback:
            found, strategy = self._agent.answer(
                seat,
                _inputs.text(hole, "hole"),
                history,
                _inputs.text(board, "board"),
                _inputs.optional(stack, "stack"),
                _inputs.whole(number, "number"),
                callback,
            )
        action = found["action"]
        values = found["values"]
        return Decision(
            action=action["word"],
            kind=action["action"],
            chips=action["chips"],
            actions=[known["word"] for known in found["actions"]],
            frequencies=np.array(found["frequencies"], dtype=np.float32),
            values=None if values is None else np.array(values, dtype=np.float64),
            strategy=strategy,
            source=found["source"],
            iterations=found["iterations"],
            seconds=found["seconds"],
            details=found,
        )

    def close(self) -> None:
        """Ends it."""
        self._agent.close()

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<lethe.Agent on {self.blueprint.path}>"
