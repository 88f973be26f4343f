"""OpenSpiel and PokerKit, where they are installed."""

from __future__ import annotations

import lethe
import numpy as np
import pytest
from lethe._lines import Betting


def test_lines_follow_the_betting() -> None:
    betting = Betting(50, 100)
    for total in (300, 900, None):
        betting.put(total)
    betting.deal()
    betting.put(None)
    betting.put(1500)
    betting.put(2700)
    assert betting.line == "r300 r900 c / x b600 r1800"


@pytest.fixture(scope="module")
def agent(small: lethe.Blueprint) -> lethe.Agent:
    return lethe.Agent(small, search_from="none", values=False)


def test_openspiel_plays_a_blueprint(small: lethe.Blueprint, agent: lethe.Agent) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    pytest.importorskip("open_spiel.python.policy")
    import lethe.openspiel
    from open_spiel.python.bots.policy import PolicyBot

    game = lethe.openspiel.load_game(small)
    policy = lethe.openspiel.AgentPolicy(game, agent)
    state = game.new_initial_state()
    for card in lethe.cards("AsKs7d2c"):
        state.apply_action(int(card))
    odds = policy.action_probabilities(state)
    own = small.frequencies("", "AsKs")
    assert sum(odds.values()) == pytest.approx(1)
    assert odds[0] == pytest.approx(own["f"], abs=1e-6)
    assert odds[1] == pytest.approx(own["c"], abs=1e-6)
    # OpenSpiel plays whole hands with it, also against sizes that the blueprint does not have.
    bots = [PolicyBot(player, np.random.RandomState(player), policy) for player in (0, 1)]
    for seed in range(5):
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sum(returns) == 0
    rng = np.random.RandomState(3)
    for _ in range(30):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(rng.choice(state.legal_actions())))
                continue
            odds = policy.action_probabilities(state)
            assert set(odds) == set(state.legal_actions())
            assert sum(odds.values()) == pytest.approx(1)
            state.apply_action(int(rng.choice(state.legal_actions())))


@pytest.mark.filterwarnings("ignore:A card being dealt")  # what it burned by itself
def test_pokerkit_states_go_in_and_out(small: lethe.Blueprint, agent: lethe.Agent) -> None:
    pytest.importorskip("pokerkit")
    import lethe.pokerkit

    rng = np.random.default_rng(0)
    for number in range(20):
        deck = [lethe.cards_text([int(card)]) for card in rng.permutation(52)]
        state = lethe.pokerkit.new_state(small)
        for _ in range(2):
            state.deal_hole(deck.pop() + deck.pop())
        while state.status:
            if state.actor_index is not None:
                asked = lethe.pokerkit.question(state)
                decision = lethe.pokerkit.decide(agent, state, number=number)
                assert decision.frequencies.sum() == pytest.approx(1, abs=1e-4)
                lethe.pokerkit.apply(state, decision)
                assert asked["stack"] == 500
            else:
                state.deal_board("".join(deck.pop() for _ in range(3 if not any(state.board_cards) else 1)))
        assert sum(state.stacks) == 1000
        history = lethe.pokerkit.hand_history(small, state)
        text = history.dumps()
        assert "variant = 'NT'" in text
        from pokerkit import HandHistory

        again = list(HandHistory.loads(text))[-1]
        assert list(again.stacks) == list(state.stacks)


def test_agents_search_and_value_their_actions(small: lethe.Blueprint) -> None:
    agent = lethe.Agent(small, search_from="river", iterations=5, threads=1)
    decision = agent.decide(
        seat="bb", hole="AsKs", history="c x / x x / x x /", board="Th9h8c2d2s"
    )
    assert decision.source == "search" and decision.iterations == 5
    assert decision.action in decision.actions
    assert decision.strategy.shape == (len(decision.actions), 1326)
    assert np.allclose(decision.strategy[:, lethe.hole_index("AsKs")], decision.frequencies)
    assert decision.values is not None and len(decision.values) == len(decision.actions)
    again = agent.decide(
        seat="bb", hole="AsKs", history="c x / x x / x x /", board="Th9h8c2d2s"
    )
    assert again.action == decision.action
    with pytest.raises(lethe.InputError, match="opponent's turn"):
        agent.decide(seat="sb", hole="AsKs", history="c x / x x / x x /", board="Th9h8c2d2s")
