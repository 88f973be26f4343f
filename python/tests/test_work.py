"""Long work: progress, Ctrl-C, threads and forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import lethe
import numpy as np
import pytest
from conftest import ROOT

# What is interrupted, and whether it takes long enough.
LONG = {
    "solve": "lethe.solve(spots / 'srp-flop.yaml', target='0.0001%')",
    "train": "lethe.train('push-fold', out=place / 'run', time=100)",
    "build": "lethe.build('fine', data=place)",
    "lab": "lethe.lab(data=place)",
    "equity_rows": "lethe.equity_rows(lethe.canonical_boards('flop'))",
    "evaluate": "[lethe.evaluate(hands) for _ in range(10**6)]",
}

SCRIPT = """
import os, signal, sys, threading, time
from pathlib import Path
import numpy as np
import lethe
spots, place = Path(sys.argv[1]), Path(sys.argv[2])
hands = np.tile(np.arange(7, dtype=np.uint8), (4_000_000, 1))
sent = []
def stop():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1.5, stop).start()
try:
    {work}
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
"""


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_stops_at_once(name: str, tmp_path: Path) -> None:
    script = SCRIPT.replace("{work}", LONG[name])
    line = [sys.executable, "-c", script, str(ROOT / "spots"), str(tmp_path)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    # A tenth of a second on an idle machine; a busy one is allowed two.
    assert float(done.stdout) < 2.0
    if name == "build":
        assert not any(tmp_path.rglob("*.buckets")), "nothing is left behind"


def test_progress_is_reported() -> None:
    seen: list[tuple[str, int, int]] = []
    lethe.lab(
        methods=["percentile"],
        buckets=[9],
        boards=["Ks7h2d9s"],
        iterations=20,
        progress=lambda phase, done, total, figures: seen.append((phase, done, total)),
    )
    assert seen[-1][1] == seen[-1][2] > 0
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_an_error_in_the_progress_function_stops_the_work() -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("enough")

    begun = time.perf_counter()
    with pytest.raises(RuntimeError, match="enough"):
        lethe.solve(ROOT / "spots" / "srp-flop.yaml", target="0.0001%", progress=fail)
    assert time.perf_counter() - begun < 30


class Bar:
    """What tqdm's bars have in common."""

    def __init__(self, total: int | None = None, desc: str = "") -> None:
        self.total, self.desc, self.n, self.closed = total, desc, 0, False

    def update(self, n: int) -> None:
        self.n += n

    def reset(self, total: int | None = None) -> None:
        self.total, self.n = total, 0

    def set_description(self, desc: str) -> None:
        self.desc = desc

    def close(self) -> None:
        self.closed = True


def test_bars_are_driven() -> None:
    options: dict[str, Any] = dict(methods=["ehs"], buckets=[9], boards=["Ks7h2d9s"], iterations=10)
    bar = Bar()
    lethe.lab(**options, progress=bar)
    assert bar.n == bar.total and bar.desc and not bar.closed
    made: list[Bar] = []

    class Made(Bar):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            made.append(self)

    lethe.lab(**options, progress=Made)
    assert made and all(bar.closed for bar in made)
    tqdm = pytest.importorskip("tqdm")
    with tqdm.tqdm(file=open(os.devnull, "w")) as real:
        lethe.lab(**options, progress=real)
        assert real.n == real.total
    with pytest.raises(TypeError, match="progress"):
        lethe.lab(**options, progress=3)


def test_the_interpreter_is_free_meanwhile() -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.002):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    hands = np.tile(np.arange(7, dtype=np.uint8), (3_000_000, 1))
    for _ in range(5):
        lethe.evaluate(hands)
    done.set()
    thread.join()
    assert ticks > 5


def test_results_do_not_depend_on_threads() -> None:
    spot = ROOT / "spots" / "river-srp.yaml"
    nodes = [lethe.solve(spot, iterations=15, threads=threads).node().to_dict() for threads in (1, 2, 3)]
    assert nodes[0] == nodes[1] == nodes[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_works(sampled: lethe.Abstraction, pushfold: lethe.Blueprint) -> None:
    agent = lethe.Agent(pushfold)
    lethe.equity_rows("Th9h8c2d")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert lethe.equity_rows("Th9h8c2d").shape == (1128,)
            assert lethe.solve(ROOT / "spots" / "toy-river.yaml").iterations > 0
            sampled.buckets("AsKs", "Th9h8c")
            try:
                agent.decide(seat="sb", hole="AsKs")
            except lethe.InputError:
                code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_runs_resume(tmp_path: Path) -> None:
    first = lethe.train("push-fold", out=tmp_path / "run", iterations=20, threads=1)
    assert first.iterations == 20
    with pytest.raises(lethe.InputError):
        lethe.train("push-fold", out=tmp_path / "run", iterations=40)
    again = lethe.train("push-fold", out=tmp_path / "run", iterations=40, threads=1, resume=True)
    assert again.iterations == 40
