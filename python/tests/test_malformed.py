"""Calls that make no sense are refused; nothing crashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_malformed_calls_only_raise() -> None:
    calls = os.environ.get("LETHE_MALFORMED", "100000")
    script = Path(__file__).with_name("malformed.py")
    line = [sys.executable, "-W", "ignore", str(script), calls, "8"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-4000:]}"
    print(done.stdout)
