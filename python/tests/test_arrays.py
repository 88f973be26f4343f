"""Arrays in and out: shapes, kinds, memory, properties."""

from __future__ import annotations

import pickle

import lethe
import numpy as np
import pytest
from conftest import situations
from hypothesis import given
from hypothesis import strategies as st

DECK = st.permutations(range(52))


@given(DECK)
def test_suits_do_not_matter(deck: list[int]) -> None:
    hole, board = np.array(deck[:2]), np.array(deck[2:7])
    swap = np.array([2, 0, 3, 1])
    moved = [cards // 4 * 4 + swap[cards % 4] for cards in (hole, board)]
    for cards in (3, 4, 5):
        first = lethe.situation_index(hole, board[:cards])
        assert first == lethe.situation_index(moved[0], moved[1][:cards])
    assert lethe.evaluate(deck[:7]) == lethe.evaluate(np.concatenate(moved))


@given(DECK)
def test_a_form_is_its_own(deck: list[int]) -> None:
    hole, board = lethe.canonical(deck[:2], deck[2:6])
    again = lethe.canonical(hole, board)
    assert again[0].tolist() == hole.tolist()
    assert again[1].tolist() == board.tolist()


@given(st.integers(0, 2**32), st.sampled_from([2, 11, 101, 1_000_001]))
def test_ranges_keep_their_weights(seed: int, levels: int) -> None:
    steps = np.random.default_rng(seed).integers(0, levels, 1326)
    weights = np.round(steps / (levels - 1) * 1e6) / 1e6
    own = lethe.Range(weights)
    assert np.array_equal(own.weights, weights)
    assert lethe.Range(own.text) == own
    assert pickle.loads(pickle.dumps(own)) == own
    assert own.combos == pytest.approx(weights.sum())


def test_the_best_five_of_seven() -> None:
    rng = np.random.default_rng(0)
    hands = situations(rng, 300, 7)
    from itertools import combinations

    best = np.max([lethe.evaluate(hands[:, list(five)]) for five in combinations(range(7), 5)], axis=0)
    assert np.array_equal(best, lethe.evaluate(hands))


def test_any_layout_gives_the_same() -> None:
    rng = np.random.default_rng(1)
    hands = situations(rng, 1000, 7)
    plain = lethe.evaluate(hands)
    for other in (
        np.asfortranarray(hands),
        hands.astype(np.int64),
        hands.astype(np.uint16),
        np.repeat(hands, 2, axis=1)[:, ::2],
        hands[::-1][::-1],
        hands.tolist(),
    ):
        assert np.array_equal(lethe.evaluate(other), plain)
    frozen = hands.copy()
    frozen.setflags(write=False)
    assert np.array_equal(lethe.evaluate(frozen), plain)
    assert lethe.evaluate(hands[:0]).shape == (0,)


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="row 1: duplicate card As"):
        lethe.evaluate([[0, 1, 2, 3, 4], [51, 51, 1, 2, 3]])
    with pytest.raises(ValueError, match="row 0: 52 is not a card"):
        lethe.evaluate(np.full((1, 5), 52, np.uint8))
    with pytest.raises(ValueError, match="-1 is not a card"):
        lethe.evaluate([[-1, 1, 2, 3, 4]])
    with pytest.raises(TypeError, match="float64"):
        lethe.evaluate(np.zeros((3, 7)))
    with pytest.raises(ValueError, match="8 columns"):
        lethe.evaluate(np.zeros((3, 8), np.uint8))
    with pytest.raises(ValueError, match="row 0: AsKs holds a card of As2c3c"):
        lethe.situation_index("AsKs", "As2c3c")
    with pytest.raises(ValueError, match="3 holes on 2 boards"):
        lethe.situation_index(np.zeros((3, 2), int), np.zeros((2, 3), int))
    with pytest.raises(ValueError, match="weight of 2d2c is 1.5"):
        lethe.Range(np.full(1326, 1.5))


def test_one_board_serves_all_holes(sampled: lethe.Abstraction) -> None:
    holes = lethe.row_holes("Th9h8c")
    one = sampled.buckets(holes, "Th9h8c")
    many = sampled.buckets(holes, np.tile(lethe.cards("Th9h8c"), (len(holes), 1)))
    assert np.array_equal(one, many)


@pytest.mark.parametrize("street,cards", [("flop", 3), ("turn", 4), ("river", 5)])
def test_tables_are_the_file(dense: lethe.Abstraction, street: str, cards: int) -> None:
    table = dense.table(street)
    boards = lethe.canonical_boards(street)
    assert table.shape == (len(boards), len(lethe.row_holes(boards[0])))
    hands = situations(np.random.default_rng(2), 2000, 2 + cards)
    holes, boards = hands[:, :2], hands[:, 2:]
    slots = lethe.situation_index(holes, boards)
    assert np.array_equal(table.ravel()[slots], dense.buckets(holes, boards))
    assert not table.flags.writeable and not table.flags.owndata
    assert table.base is not None
    with pytest.raises(ValueError):
        table[0, 0] = 1
    with pytest.raises(ValueError):
        table.setflags(write=True)


def test_a_table_outlives_its_abstraction(dense: lethe.Abstraction) -> None:
    opened = lethe.Abstraction.open(dense.path)
    table = opened.table("flop")
    total = int(table.sum())
    opened.close()
    del opened
    assert int(table.sum()) == total == int(dense.table("flop").sum())


def test_sampled_abstractions_have_no_table(sampled: lethe.Abstraction) -> None:
    with pytest.raises(lethe.InputError, match=r"use buckets\(\)"):
        sampled.table("turn")


def test_closed_objects_say_so(sampled: lethe.Abstraction, pushfold: lethe.Blueprint) -> None:
    with lethe.Abstraction.open(sampled.path) as opened:
        opened.buckets("AsKs", "Th9h8c")
    with pytest.raises(lethe.ClosedError):
        opened.buckets("AsKs", "Th9h8c")
    blueprint = lethe.Blueprint.open(pushfold.path)
    agent = lethe.Agent(blueprint)
    blueprint.close()
    with pytest.raises(lethe.ClosedError):
        blueprint.node()
    agent.decide(seat="sb", hole="AsKs")
    agent.close()
    with pytest.raises(lethe.ClosedError):
        agent.decide(seat="sb", hole="AsKs")


def test_an_abstraction_is_a_picture(sampled: lethe.Abstraction) -> None:
    assert sampled._repr_html_().count("<title>") == 169
    assert "on Th9h8c" in sampled.plot("Th9h8c").svg
