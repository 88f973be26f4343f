"""What is documented runs: the guide, the examples in docstrings, the notebooks."""

from __future__ import annotations

import doctest
import importlib
import os
import re
from pathlib import Path

import lethe
import pytest
from conftest import ROOT

MODULES = ["lethe", "lethe._cards", "lethe._plot", "lethe._solve", "lethe._lines"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    found = doctest.testmod(module)
    assert found.failed == 0 and found.attempted > 0


def test_examples_of_the_classes_in_rust_run() -> None:
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    examples = [test for test in finder.find(lethe.Range, "Range", globs={"lethe": lethe}) if test.examples]
    assert examples
    for example in examples:
        assert runner.run(example).failed == 0


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    guide = blocks[0]
    assert len(guide.strip().splitlines()) <= 40
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LETHE_DATA", str(tmp_path / "data"))
    names: dict[str, object] = {}
    exec(compile(guide, "docs/python.md", "exec"), names)  # noqa: S102
    for block in blocks[1:]:
        exec(compile(block, "docs/python.md", "exec"), names)  # noqa: S102


@pytest.mark.parametrize("name", ["abstraction", "solve-and-play"])
def test_notebooks_run(name: str, tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "python" / "notebooks" / f"{name}.ipynb", as_version=4)
    os.environ["LETHE_DATA"] = str(tmp_path / "data")
    try:
        client = nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
        client.execute()
    finally:
        del os.environ["LETHE_DATA"]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    shown = [data for cell in cells for output in cell.outputs for data in output.get("data", {})]
    assert "text/html" in shown, "there are pictures in it"
