"""PokerKit: states in and out for `lethe.Agent`, and hands as PHH.

::

    state = lethe.pokerkit.new_state(blueprint)
    state.deal_hole("AsKs"); state.deal_hole("QdQh")    # the big blind's hand first
    decision = lethe.pokerkit.decide(agent, state)
    lethe.pokerkit.apply(state, decision)

In a state of two players, PokerKit's player 0 is the big blind and player 1 the small blind, on the button.
"""

from __future__ import annotations

from typing import Any

from pokerkit import Automation, HandHistory, NoLimitTexasHoldem
from pokerkit.state import (
    BoardDealing,
    CheckingOrCalling,
    CompletionBettingOrRaisingTo,
    Folding,
)

from lethe._agent import Agent, Decision
from lethe._blueprint import Blueprint
from lethe._errors import InputError
from lethe._lines import Betting

__all__ = ["apply", "decide", "hand_history", "new_state", "question"]

_AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CARD_BURNING,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


def new_state(blueprint: Blueprint, *, stack: int | None = None) -> Any:
    """A new hand of the blueprint's game, before the cards are dealt."""
    game = blueprint.game
    chips = game["stack"] if stack is None else stack
    return NoLimitTexasHoldem.create_state(
        _AUTOMATIONS,
        True,
        game["ante"],
        (game["small_blind"], game["big_blind"]),
        game["big_blind"],
        (chips, chips),
        2,
    )


def _text(cards: Any) -> str:
    return "".join(f"{card.rank.value}{card.suit.value}" for card in cards)


def question(state: Any) -> dict[str, Any]:
    """What `Agent.decide` is asked in a state where a player acts: seat, hole, history, board and stack."""
    if state.player_count != 2:
        raise InputError(f"a hand of {state.player_count} players: expected 2")
    if state.actor_index is None:
        raise InputError("nobody is to act in this state")
    small, big = sorted(state.blinds_or_straddles)
    betting = Betting(small, big)
    dealt: list[Any] = []
    for operation in state.operations:
        if isinstance(operation, BoardDealing):
            dealt.extend(operation.cards)
            betting.deal()
        elif isinstance(operation, Folding):
            betting.fold()
        elif isinstance(operation, CheckingOrCalling):
            betting.put(None)
        elif isinstance(operation, CompletionBettingOrRaisingTo):
            betting.put(betting.total(operation.amount))
    return {
        "seat": "bb" if state.actor_index == 0 else "sb",
        "hole": _text(state.hole_cards[state.actor_index]),
        "history": betting.line,
        "board": _text(dealt),
        "stack": min(state.starting_stacks),
    }


def decide(agent: Agent, state: Any, *, number: int = 0) -> Decision:
    """What an agent does in a state where a player acts."""
    return agent.decide(**question(state), number=number)


def apply(state: Any, decision: Decision) -> Any:
    """Does in a state what was decided; PokerKit's record of it."""
    if decision.kind == "fold":
        return state.fold()
    if decision.kind in ("check", "call"):
        return state.check_or_call()
    most = state.max_completion_betting_or_raising_to_amount
    if most is None:
        return state.check_or_call()
    return state.complete_bet_or_raise_to(min(decision.chips or most, most))


def hand_history(blueprint: Blueprint, state: Any) -> Any:
    """A hand of the blueprint's game as PokerKit's `HandHistory`, which `dump` writes as PHH."""
    game = blueprint.game
    kind = NoLimitTexasHoldem(
        _AUTOMATIONS, True, game["ante"], (game["small_blind"], game["big_blind"]), game["big_blind"]
    )
    return HandHistory.from_game_state(kind, state)
