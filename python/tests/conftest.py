"""What the tests share: the command, small abstractions and a small blueprint."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lethe
import numpy as np
import pytest
from hypothesis import settings

# A busy machine is no error.
settings.register_profile("lethe", deadline=None, derandomize=True)
settings.load_profile("lethe")

ROOT = Path(os.environ.get("LETHE_ROOT", Path(__file__).resolve().parents[2]))
SAMPLED = {"board_clusters": 3, "buckets": 4, "equity_samples": 100, "seed": 7}

Command = Callable[..., Any]


@pytest.fixture(scope="session")
def command() -> Command:
    """Runs the command and returns its JSON; `LETHE_COMMAND` names it."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    binary = os.environ.get("LETHE_COMMAND", str(target / "release" / "lethe"))
    if not shutil.which(binary):
        pytest.fail(f"{binary} is missing: build it with cargo build --release")

    def run(*args: object, stdin: str | None = None, fails: bool = False) -> Any:
        line = [binary, *map(str, args), "--json"]
        done = subprocess.run(line, input=stdin, capture_output=True, text=True, check=False)
        if fails:
            assert done.returncode == 2, done.stderr
            return done.stderr
        assert done.returncode == 0, f"{line}: {done.stderr}"
        lines = done.stdout.splitlines()
        return json.loads(lines[0]) if len(lines) == 1 else [json.loads(line) for line in lines]

    return run


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def sampled(data: Path) -> lethe.Abstraction:
    """A sampled abstraction of 12 buckets per street."""
    return lethe.build(SAMPLED, data=data)


@pytest.fixture(scope="session")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Iterator[lethe.Abstraction]:
    """An abstraction with a bucket for every hand; its tables have 400 MB."""
    place = tmp_path_factory.mktemp("dense")
    config = {"board_clusters": 2, "buckets": 5, "method": "texture", "kmeans_max_iter": 5}
    yield lethe.build(config, data=place)
    shutil.rmtree(place)


@pytest.fixture(scope="session")
def pushfold(data: Path) -> lethe.Blueprint:
    """A blueprint of push or fold."""
    return lethe.train("push-fold", data=data, iterations=200, threads=1)


@pytest.fixture(scope="session")
def small(data: Path, sampled: lethe.Abstraction) -> lethe.Blueprint:
    """A blueprint of whole hands, hardly trained."""
    settings = {"abstraction": sampled.name, "game.stack": 500, "training.evaluate": 0}
    return lethe.train("quick", out="small", set=settings, data=data, iterations=3, threads=1)


def situations(rng: np.random.Generator, rows: int, cards: int) -> np.ndarray:
    """Rows of different cards."""
    return np.argsort(rng.random((rows, 52)), axis=1)[:, :cards].astype(np.uint8)
