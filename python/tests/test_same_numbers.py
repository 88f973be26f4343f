"""Python and the command give the same numbers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lethe
import numpy as np
import pytest
from conftest import ROOT, SAMPLED, Command, situations

CALLS = 1000
HANDS = ["22+", "AKs,AQs:0.5", "random", "QQ+,AKo", "T9s+", "KJs:0.25,77-55", "A2s-A5s"]


def without(value: Any, *names: str) -> Any:
    """A view without what differs from run to run."""
    if isinstance(value, dict):
        return {name: without(item, *names) for name, item in value.items() if name not in names}
    if isinstance(value, list):
        return [without(item, *names) for item in value]
    return value


def test_equities(command: Command) -> None:
    rng = np.random.default_rng(1)

    def check(number: int) -> None:
        cards = [lethe.cards_text(row) for row in situations(rng, 1, 9).reshape(9, 1)]
        board = "".join(cards[4 : 4 + [0, 3, 4, 5][number % 4]])
        hole = "".join(cards[:2])
        # A range before the flop takes a moment; few of them do.
        against = "".join(cards[2:4]) if number % 3 else HANDS[number % len(HANDS)]
        bins = int(rng.integers(1, 30))
        place = [board] if board else []
        found = command("equity", hole, *place, "--against", against, "--bins", bins)
        own = lethe.equity(hole, board, against, bins=bins)
        assert own.to_dict() == without(found, "board", "street"), (hole, board, against)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, range(CALLS)))


def test_strengths(command: Command) -> None:
    rng = np.random.default_rng(2)
    for width in (5, 6, 7):
        hands = situations(rng, CALLS, width)
        texts = [lethe.cards_text(hand) for hand in hands]
        found = {hand["cards"]: hand for hand in command("rank", *texts)["hands"]}
        own = lethe.evaluate(hands)
        assert [found[text]["strength"] for text in texts] == own.tolist()
        assert all(lethe.describe(int(own[i])) == found[texts[i]]["description"] for i in range(100))


def test_canonical_forms_and_indices(command: Command) -> None:
    rng = np.random.default_rng(3)

    def check(number: int) -> None:
        row = situations(rng, 1, 7)[0]
        hole, board = row[:2], row[2 : 2 + [0, 3, 4, 5][number % 4]]
        place = [lethe.cards_text(board)] if len(board) else []
        found = command("canon", lethe.cards_text(hole), *place)
        own, shared = lethe.canonical(hole, board)
        assert lethe.cards_text(own) == found["hole"]
        assert (lethe.cards_text(shared) if len(board) else None) == found["board"]
        assert lethe.situation_index(hole, board) == found["situation_index"]
        assert lethe.board_index(board) == found["board_index"]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, range(CALLS)))


@pytest.mark.parametrize("cards", [0, 3, 4, 5])
def test_buckets(command: Command, dense: lethe.Abstraction, sampled: lethe.Abstraction, cards: int) -> None:
    rng = np.random.default_rng(cards)
    hands = situations(rng, CALLS, 2 + cards)
    lines = [f"{lethe.cards_text(row[:2])} {lethe.cards_text(row[2:])}".strip() for row in hands]
    for abstraction in (dense, sampled):
        found = command("lookup", abstraction.path, "-", stdin="\n".join(lines) + "\n")
        own = abstraction.buckets(hands[:, :2], hands[:, 2:])
        assert [item["bucket"] for item in found] == own.tolist()


def test_equity_rows(command: Command) -> None:
    rng = np.random.default_rng(5)

    def check(number: int) -> None:
        board = situations(rng, 1, 3 + number % 3)[0]
        row, holes = lethe.equity_rows(board, threads=1), lethe.row_holes(board)
        place = int(rng.integers(len(holes)))
        found = command("equity", lethe.cards_text(holes[place]), lethe.cards_text(board))
        assert row[place] == found["equity"]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(check, range(CALLS // 5)))


@pytest.mark.parametrize("seed", range(5))
def test_builds(command: Command, tmp_path: Path, seed: int) -> None:
    config = tmp_path / "small.yaml"
    keys = {**SAMPLED, "seed": seed, "buckets": 3 + seed}
    config.write_text("".join(f"{key}: {value}\n" for key, value in keys.items()))
    found = command("build", "--config", config, "--data", tmp_path / "command", "--threads", 1)
    own = lethe.build(keys, data=tmp_path / "python", threads=1)
    assert own.name == found["name"]
    for file in ("flop.buckets", "turn.buckets", "river.buckets"):
        assert (Path(own.path) / file).read_bytes() == (Path(found["path"]) / file).read_bytes()
    streets = command("inspect", found["path"])["streets"]
    assert without(own.inspect()["streets"], "seconds") == without(streets, "seconds")


@pytest.mark.parametrize("stack", [300, 700, 1000, 1500, 2000])
def test_training_and_exploitability(command: Command, tmp_path: Path, stack: int) -> None:
    sets = ["--set", f"game.stack={stack}", "--set", f"training.seed={stack}"]
    run = tmp_path / "command"
    command("train", "--preset", "push-fold", "--iterations", 60, "--threads", 1, *sets, "--out", run)
    settings = {"game.stack": stack, "training.seed": stack}
    own = lethe.train("push-fold", set=settings, iterations=60, threads=1, out=tmp_path / "python")
    rows = command("export", run)
    assert own.export()["frequency"].tolist() == [a["frequency"] for row in rows for a in row["actions"]]
    for options in ({"exact": True}, {"flops": 3}, {"flops": 2, "strategy": "uniform"}):
        flags = [f for name, value in options.items() for f in ([f"--{name}"] if value is True else [f"--{name}", value])]
        found = command("exploitability", run, *flags)
        assert without(own.exploitability(**options).to_dict(), "seconds") == without(found, "seconds")
    node, view = own.node(), command("strategy", run, "--hands")
    assert node["hand"].tolist() == [hand["hand"] for hand in view["hands"]]
    actions = [[action["frequency"] for action in hand["actions"]] for hand in view["hands"]]
    assert node.frequencies.tolist() == actions


def test_training_after_the_flop(
    command: Command, tmp_path: Path, data: Path, sampled: lethe.Abstraction, small: lethe.Blueprint
) -> None:
    sets = [f"abstraction={sampled.name}", "game.stack=500", "training.evaluate=0"]
    flags = [flag for item in sets for flag in ("--set", item)]
    run = tmp_path / "small"
    command("train", "--preset", "quick", *flags, "--iterations", 3, "--threads", 1, "--out", run, "--data", data)
    line = "c x /"
    found = command("strategy", run, line, "--board", "Th9h8c", "--hands", "--data", data)
    node = small.node(line, board="Th9h8c")
    assert node["bucket"].tolist() == [hand["bucket"] for hand in found["hands"]]
    assert node["reach"].tolist() == [hand["reach"] for hand in found["hands"]]
    buckets = command("strategy", run, line, "--data", data)["buckets"]
    assert small.node(line).frequencies.tolist() == [bucket["frequencies"] for bucket in buckets]
    words = small.frequencies("c x / Th9h8c", "AsKs")
    row = node["hand"].tolist().index("AsKs")
    assert list(words.values()) == node.frequencies[row].tolist()


SPOTS = ["toy-river", "raked-river", "bluff-catch-river", "river-srp", "monotone-turn"]


@pytest.mark.parametrize("spot", SPOTS)
def test_solves(command: Command, tmp_path: Path, spot: str) -> None:
    file = ROOT / "spots" / f"{spot}.yaml"
    saved = tmp_path / "solution.lethe"
    limits = ["--iterations", 10, "--target", "0.5%"]
    found = command("solve", file, *limits, "--save", saved)
    own = lethe.solve(file, iterations=10, target="0.5%", threads=1)
    timeless = ("seconds", "saved")
    assert without(own.to_dict(), *timeless) == without(found, *timeless)
    opened, again = lethe.Solution.open(saved), lethe.Solution.open(own.save(tmp_path / "own.lethe"))
    assert opened.export().to_dict() == again.export().to_dict()
    view = command("show", saved, "--hand", "random")
    node = opened.node()
    assert node["hand"].tolist() == [hand["hand"] for hand in view["hands"]["hands"]]
    for name in ("reach", "ev", "equity"):
        own_values = [None if np.isnan(x) else x for x in node[name].tolist()]
        assert own_values == [hand[name] for hand in view["hands"]["hands"]], name
    rows = command("export", saved)
    assert opened.export()["hand"].tolist() == [row["hand"] for row in rows for _ in row["actions"] or [None]]


@pytest.mark.parametrize("method", ["percentile", "ehs", "histogram10", "texture", "random"])
def test_labs(command: Command, method: str) -> None:
    flags = ["--methods", method, "--buckets", "4,9", "--boards", "Ks7h2d9s", "--iterations", 3, "--seeds", 1]
    found = command("lab", *flags)
    own = lethe.lab(methods=[method], buckets=[4, 9], boards=["Ks7h2d9s"], iterations=3, seeds=[1])
    assert without(own.to_dict(), "seconds") == without(found, "seconds")


def test_errors_have_the_message_of_the_command(command: Command, tmp_path: Path) -> None:
    def message(call: Any, *args: object, **options: object) -> str:
        with pytest.raises(lethe.InputError) as raised:
            call(*args, **options)
        return str(raised.value)

    assert message(lethe.equity, "AsXs") in command("equity", "AsXs", fails=True)
    assert message(lethe.equity, "AsKs", "Th9hAs") in command("equity", "AsKs", "Th9hAs", fails=True)
    file = tmp_path / "spot.yaml"
    file.write_text("board: Qs Jh 2h\noop_range: AA\nip_range: KK\npott: 100\n")
    assert message(lethe.solve, file) in command("solve", file, fails=True)
    assert message(lethe.build, "defualt") in command("build", "--preset", "defualt", fails=True)
    flags = ["--methods", "nonsense", "--boards", "Ks7h2d9s"]
    assert message(lethe.lab, methods=["nonsense"], boards=["Ks7h2d9s"]) in command("lab", *flags, fails=True)
    missing = tmp_path / "none"
    with pytest.raises(lethe.NotFoundError) as raised:
        lethe.Blueprint.open(missing)
    assert str(raised.value) in command("strategy", missing, fails=True)
