"""Calls everything with arguments that make no sense, from several threads: exceptions only, never a crash.

    python malformed.py [CALLS [THREADS [SEED]]]

Run by test_malformed.py in a process of its own, so that a crash is seen as one.
"""

from __future__ import annotations

import faulthandler
import random
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import lethe
import numpy as np
from lethe import _lethe

faulthandler.enable()
faulthandler.dump_traceback_later(600, repeat=True)


class Odd:
    """Not what anybody expects."""

    def __float__(self) -> float:
        raise RuntimeError("no number")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise ValueError("no array")


def arrays(rng: random.Random) -> Any:
    """An array of a strange kind, shape or layout."""
    rows, columns = rng.choice([0, 1, 2, 3, 17]), rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 60])
    kind = rng.choice(["u1", "u1", "u1", "i8", "i1", "u2", ">i4", "i8", "u8", "f4", "f8", "?", "c16", "O", "U2", "S3", "M8[s]"])
    low, high = rng.choice([(0, 52), (0, 52), (-5, 60), (50, 53), (0, 256)])
    generator = np.random.default_rng(rng.getrandbits(32))
    values = generator.integers(low, high, (rows, columns))
    if rng.random() < 0.5 and columns <= 52:
        values = np.argsort(generator.random((rows, 52)), axis=1)[:, :columns]
    with np.errstate(all="ignore"):
        array = values.astype(kind)
    layout = rng.randrange(8)
    if layout == 1:
        array = np.asfortranarray(array)
    elif layout == 2:
        array = array[::-1, ::-1]
    elif layout == 3:
        array = np.repeat(array, 2, axis=0)[::2]
    elif layout == 4:
        array = array.ravel()
    elif layout == 5:
        array = array[None]
    elif layout == 6:
        array = np.broadcast_to(array[:1], array.shape) if rows else array
    elif layout == 7 and kind in ("u1", "i8"):
        array = np.ndarray(array.shape, array.dtype, bytes(array.nbytes + 1), offset=1)
    array.setflags(write=False)
    return array


TEXTS = [
    "", " ", "As", "AsKs", "AsAs", "XxYy", "AsK", "Th9h8c", "Th9h8c2d", "Th9h8c2d2s", "Th9hTh", "♠♥", "10h10s", "\0",
    "AKs", "22+", "random", "AA:2", "AA:-1", "KK-", "AsKs" * 100, "a" * 5000, "🂡", "x b36", "r250 c /", "c x / Th9h8c",
    "f f f", "b99999999999999999999", "flop", "turn", "preflop", "nowhere", "0.1%", "5m", "-3s", "1e9h", "{", "a: [", "- 1",
    "board: 3", "\ud800", "../../etc", "/dev/null", "sb", "bb", "oop", "ip", "seed=1", "=", "1e400",
]  # fmt: skip


def value(rng: random.Random) -> Any:
    """Something."""
    kind = rng.randrange(12)
    if kind < 5:
        return arrays(rng)
    if kind < 9:
        return rng.choice(TEXTS)
    return rng.choice(
        [
            None, True, -1, 0, 1, 52, 2**31, 2**64, -(2**70), 0.5, float("nan"), float("inf"), 1j, b"AsKs", [], [[]], (),
            {}, {"a": 1}, {1: 2}, set(), object(), Odd(), int, len, [1, "a"], [[1], [2, 3]], ["AsKs", 3], ["AsKs", "Qd"],
            [None], [float("nan")] * 2, range(7), bytearray(7), memoryview(bytes(14)).cast("B", (2, 7)), np.float64("nan"),
            np.int8(-3), np.zeros(1326), np.full(1326, np.nan), np.full(1326, 2.0), np.zeros((2, 1326)), lethe.Range("AA"),
            {"board": "Qs", "pot": -1}, {"board": None}, {"board": {"x": float("nan")}},
        ]
    )  # fmt: skip


def some(value: Any) -> Any:
    """The same but for what means a default, with which minutes of work would begin."""
    return 0 if value is None or isinstance(value, dict) and not value else value


def targets(place: str) -> list[tuple[Callable[..., Any], int, list[str]]]:
    """What is called: a function, how many arguments it takes by place, and the names of others."""
    abstraction = lethe.build({"board_clusters": 2, "buckets": 2, "equity_samples": 20}, data=place, threads=1)
    blueprint = lethe.train("push-fold", data=place, iterations=3, threads=1)
    solution = lethe.solve(
        {"board": "2s3h4d6c7c", "oop_range": "AsAh,QsQh", "ip_range": "KsKh", "pot": 100, "stack": 100}, iterations=2
    )
    node, agent = solution.node(), lethe.Agent(blueprint, threads=1)
    closed = [lethe.Abstraction.open(abstraction.path), lethe.Blueprint.open(blueprint.path)]
    shut = lethe.Agent(blueprint, threads=1)
    for item in (*closed, shut):
        item.close()

    def decide(*args: Any) -> Any:
        return agent.decide(**dict(zip(["seat", "hole", "history", "board", "stack", "number"], args)))

    return [
        (lethe.cards, 1, []),
        (lethe.cards_text, 1, []),
        (lethe.evaluate, 1, []),
        (lethe.describe, 1, []),
        (lethe.canonical, 2, []),
        (lethe.situation_index, 2, []),
        (lethe.board_index, 1, []),
        (lethe.board_multiplicity, 1, []),
        (lethe.row_holes, 1, []),
        (lethe.hole_index, 1, []),
        (lethe.Range, 1, []),
        (lethe.Range("QQ+").__getitem__, 1, []),
        (lethe.Range("QQ+").without, 1, []),
        (lethe.Range("QQ+").__contains__, 1, []),
        (lethe.Range("QQ+").__eq__, 1, []),
        (abstraction.buckets, 2, []),
        (abstraction.lookup, 2, []),
        (abstraction.inspect, 1, []),
        (abstraction.table, 1, ["threads"]),
        (abstraction.plot, 1, []),
        (lethe.Abstraction.open, 1, ["data"]),
        (lethe.Blueprint.open, 1, ["checkpoint", "data"]),
        (lethe.Solution.open, 1, ["data"]),
        (blueprint.node, 1, ["board", "hand"]),
        (blueprint.frequencies, 3, []),
        (blueprint.export, 1, ["street"]),
        (solution.node, 1, ["player"]),
        (solution.export, 1, ["to"]),
        (solution.runouts, 1, []),
        (node.__getitem__, 1, []),
        (node.table.__arrow_c_stream__, 1, []),
        (lethe.Table.of, 1, []),
        (lethe.tree, 1, ["depth"]),
        (lethe.solve, 1, ["target", "iterations", "time", "rule", "precision", "memory", "start", "locks", "abstraction"]),
        (lambda a, **k: lethe.build(some(a), data=place, **k), 1, ["set", "threads"]),
        (lambda a, **k: lethe.train(some(a), data=place, **k), 1, ["set", "time", "iterations", "threads"]),
        (lambda a, b: lethe.lab(boards=some(a), methods=b, iterations=1), 2, []),
        (decide, 6, []),
        (lethe.Agent, 1, ["iterations", "target", "think", "gadget", "search_from", "seed"]),
        (closed[0].buckets, 2, []),
        (closed[0].table, 1, []),
        (closed[1].node, 1, []),
        (shut.decide, 0, ["seat", "hole"]),
        (_lethe.evaluate, 1, []),
        (_lethe.canonical, 2, []),
        (_lethe.situation_index, 2, []),
        (_lethe.board_index, 1, []),
        (_lethe.equity_rows, 1, ["threads"]),
        (_lethe.equity, 4, []),
        (_lethe.write_cards, 1, []),
        (_lethe.row_holes, 1, []),
        (abstraction._open.buckets, 2, []),
    ]


def call(function: Callable[..., Any], count: int, names: list[str], rng: random.Random) -> str:
    """Calls a function and says what became of it."""
    count = rng.choice([count] * 9 + [max(0, count - 1), count + 1])
    args = [value(rng) for _ in range(count)]
    options = {name: value(rng) for name in names if rng.random() < 0.4}
    try:
        function(*args, **options)
    except (lethe.Error, ValueError, TypeError, KeyError, OverflowError, OSError, RuntimeError, RecursionError) as error:
        # A bug in the Rust code is an error of its own, and no exception may be empty.
        assert "internal error" not in str(error), f"{function}{args}{options}: {error}"
        return type(error).__name__
    return "answered"


def main() -> int:
    calls, threads, seed = (int(text) for text in [*sys.argv[1:], *["100000", "8", "0"][len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as place:
        known = targets(place)
        counts: dict[str, int] = {}
        wrong: list[BaseException] = []
        lock = threading.Lock()

        def work(number: int) -> None:
            rng = random.Random(seed * 1000 + number)
            own: dict[str, int] = {}
            try:
                for _ in range(calls // threads):
                    outcome = call(*rng.choice(known), rng)
                    own[outcome] = own.get(outcome, 0) + 1
            except BaseException as error:  # noqa: BLE001
                wrong.append(error)
            with lock:
                for name, count in own.items():
                    counts[name] = counts.get(name, 0) + count

        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    for error in wrong[:3]:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    total = sum(counts.values())
    print(f"{total} calls: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    return 1 if wrong or total < calls // threads * threads else 0


if __name__ == "__main__":
    sys.exit(main())
