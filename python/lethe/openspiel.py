"""OpenSpiel: a blueprint as a policy of `universal_poker`, so that OpenSpiel's own tools play and evaluate it.

::

    agent = lethe.Agent(blueprint, search_from="none")
    game = lethe.openspiel.load_game(blueprint)
    policy = lethe.openspiel.AgentPolicy(game, agent)
    bots = [PolicyBot(player, numpy.random, policy) for player in (0, 1)]
    pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)

Player 0 is the small blind. The game allows every bet; the policy answers those that the blueprint does not know as
the agent does, from the sizes next to them.
"""

from __future__ import annotations

import json
from typing import Any

import pyspiel
from open_spiel.python import policy as _policy

from lethe._agent import Agent, Decision
from lethe._blueprint import Blueprint
from lethe._errors import InputError
from lethe._lines import Betting

__all__ = ["AgentPolicy", "decide", "game_string", "load_game"]


def game_string(blueprint: Blueprint) -> str:
    """The blueprint's game as `universal_poker` names it."""
    game = blueprint.game
    if game.get("ante") or game.get("rake", {}).get("percent"):
        raise InputError("universal_poker has neither ante nor rake, and this blueprint's game has")
    stack, small, big = game["stack"], game["small_blind"], game["big_blind"]
    return (
        "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,"
        f"stack={stack} {stack},blind={small} {big},firstPlayer=1 2 2 2,numSuits=4,numRanks=13,"
        "numHoleCards=2,numBoardCards=0 3 1 1,bettingAbstraction=fullgame)"
    )


def load_game(blueprint: Blueprint) -> Any:
    """The blueprint's game."""
    return pyspiel.load_game(game_string(blueprint))


def _betting(game: dict[str, Any], history: str) -> Betting:
    """The betting of an ACPC history such as ``r250c/cr600``, whose raises are totals of the hand."""
    betting = Betting(game["small_blind"], game["big_blind"])
    place = 0
    while place < len(history):
        letter = history[place]
        place += 1
        if letter == "/":
            betting.deal()
        elif letter == "f":
            betting.fold()
        elif letter == "c":
            betting.put(None)
        elif letter == "r":
            end = place
            while end < len(history) and history[end].isdigit():
                end += 1
            betting.put(int(history[place:end]))
            place = end
        else:
            raise InputError(f"{history!r}: unknown action {letter!r}")
    return betting


def decide(agent: Agent, state: Any, number: int = 0) -> tuple[Decision, dict[int, float]]:
    """What an agent does in a state where a player acts: its decision, and the probability of OpenSpiel's actions."""
    found = json.loads(state.to_json())
    game = agent.blueprint.game
    betting = _betting(game, found["betting_history"])
    player = state.current_player()
    # "STATE:0:r250c/cr600:AsAh|AdAc/2c3d4d": the cards in the order in which they were dealt.
    cards = found["acpc_state"].splitlines()[0].split(":")[3]
    dealt = "".join(cards.split("/")[1:])
    board = dealt[: 2 * [0, 3, 4, 5][betting.words.count("/")]]
    decision = agent.decide(
        seat=("sb", "bb")[player],
        hole=found["player_hands"][player],
        history=betting.line,
        board=board,
        stack=min(found["starting_stacks"]),
        number=number,
    )
    legal = state.legal_actions()
    odds = dict.fromkeys(legal, 0.0)
    for word, share in zip(decision.actions, decision.frequencies):
        if word == "f":
            action = 0
        elif word in ("x", "c"):
            action = 1
        elif word == "a":
            action = game["stack"] if game["stack"] in odds else max(legal)
        else:
            action = betting.total(int(word[1:]))
        if action not in odds:
            # OpenSpiel offers no fold where checking is free, nor a raise below the least.
            action = 1 if action == 0 else min(legal, key=lambda known: abs(known - action))
        odds[action] += float(share)
    total = sum(odds.values())
    return decision, {action: share / total for action, share in odds.items()}


class AgentPolicy(_policy.Policy):  # type: ignore[misc, unused-ignore]
    """An agent as a policy of `universal_poker` for the game of its blueprint."""

    def __init__(self, game: Any, agent: Agent) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.agent = agent

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of each legal action."""
        return decide(self.agent, state)[1]
