"""How fast Lethe is from Python, on one thread, beside what people use.

    python peers.py [HANDS [ABSTRACTION]]

`phevaluator` and `eval7` are measured where they are installed, on fewer hands, and compared by the hand. Times are
processor times of the calling thread, so that other work on the machine counts little.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import lethe
import numpy as np
from lethe import _lethe


def deals(rows: int, cards: int) -> np.ndarray:
    """Random rows of different cards."""
    rng = np.random.default_rng(0)
    found = np.empty((rows, cards), dtype=np.uint8)
    for first in range(0, rows, 250_000):
        part = found[first : first + 250_000]
        part[:] = np.argpartition(rng.random((len(part), 52), dtype=np.float32), cards, axis=1)[:, :cards]
    return found


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least time of some tries."""
    best = float("inf")
    for _ in range(times):
        begun = time.thread_time()
        work()
        best = min(best, time.thread_time() - begun)
    return best


def show(name: str, rate: float, note: str = "") -> None:
    print(f"{name:44} {rate / 1e6:10.2f} M/s  {note}", flush=True)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    hands = deals(rows, 7)
    own = rows / seconds(lambda: lethe.evaluate(hands))
    show(f"lethe.evaluate, {rows:,} hands of 7", own)
    million = hands[:1_000_000]
    outer = seconds(lambda: lethe.evaluate(million), 9)
    inner = seconds(lambda: _lethe.evaluate(million), 9)
    show("lethe.evaluate, 1,000,000 hands", len(million) / outer, f"{outer / inner:.3f} times the call without the package around it")
    few = hands[:100_000].tolist()
    peers: list[tuple[str, Callable[[], object]]] = []
    try:
        from phevaluator import evaluate_cards

        # Both number cards 4 * rank + suit.
        peers.append(("phevaluator.evaluate_cards, a loop", lambda: [evaluate_cards(*hand) for hand in few]))
    except ImportError:
        print("phevaluator is not installed")
    try:
        import eval7

        deck = [eval7.Card(f"{rank}{suit}") for rank in "23456789TJQKA" for suit in "cdhs"]
        cards = [[deck[card] for card in hand] for hand in few]
        peers.append(("eval7.evaluate, a loop, cards made before", lambda: [eval7.evaluate(hand) for hand in cards]))
    except ImportError:
        print("eval7 is not installed")
    for name, work in peers:
        rate = len(few) / seconds(work)
        show(name, rate, f"lethe is {own / rate:.0f} times as fast")
    if len(sys.argv) > 2:
        abstraction = lethe.Abstraction.open(sys.argv[2])
        for cards, street in ((3, "flop"), (4, "turn"), (5, "river")):
            dealt = deals(rows, 2 + cards)
            holes, boards = np.ascontiguousarray(dealt[:, :2]), np.ascontiguousarray(dealt[:, 2:])
            abstraction.buckets(holes, boards)
            show(f"buckets on the {street}", rows / seconds(lambda: abstraction.buckets(holes, boards)))
            show(f"situation_index on the {street}", rows / seconds(lambda: lethe.situation_index(holes, boards)))


if __name__ == "__main__":
    main()
