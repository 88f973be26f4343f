"""Tables travel: NumPy, Polars, pandas, pyarrow, dictionaries; and pictures."""

from __future__ import annotations

import gc
from pathlib import Path
from xml.dom import minidom

import lethe
import numpy as np
import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def solution() -> lethe.Solution:
    return lethe.solve(ROOT / "spots" / "river-srp.yaml", iterations=20)


def test_polars_and_pyarrow_read_a_node(solution: lethe.Solution) -> None:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    node = solution.node()
    frame, table = polars.DataFrame(node), pyarrow.table(node)
    plain = node.to_dict()
    assert frame.columns == table.column_names == node.columns == list(plain)
    for name in node.columns:
        assert frame[name].to_list() == table[name].to_pylist() == plain[name]
    assert frame["hand"].dtype == polars.String


def test_memory_is_shared_and_outlives_the_table(solution: lethe.Solution) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    node = solution.node()
    first, second = pyarrow.table(node), pyarrow.table(node)
    address = [table["reach"].chunk(0).buffers()[1].address for table in (first, second)]
    assert address[0] == address[1], "both are the memory of the table itself"
    expected = node["reach"].tolist()
    del node, second
    gc.collect()
    assert first["reach"].to_pylist() == expected
    for _ in range(1000):
        solution.node().__arrow_c_stream__() if _ % 100 == 0 else first.slice(1)
    gc.collect()


def test_a_stream_is_released_read_or_not(solution: lethe.Solution) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = solution.export()
    for number in range(200):
        capsule = table.__arrow_c_stream__()
        if number % 2:
            assert pyarrow.RecordBatchReader._import_from_c_capsule(capsule).read_all().num_rows == len(table)
        table.__arrow_c_schema__()
    one = pyarrow.RecordBatchReader.from_stream(table)
    columns = [one.read_next_batch().column(0)]
    with pytest.raises(StopIteration):
        one.read_next_batch()
    del one, table
    gc.collect()
    assert columns[0][0].as_py() == ""


def test_pandas_reads_reports(pushfold: lethe.Blueprint) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(pushfold.history().to_dict())
    assert frame["iterations"].iloc[-1] == 200
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert len(pandas.DataFrame.from_arrow(pushfold.export())) == 676


def test_missing_values_are_missing(small: lethe.Blueprint) -> None:
    polars = pytest.importorskip("polars")
    table = lethe.Table.of({"a": [1, None, 3], "b": [0.5, None, 1.5], "c": ["x", None, "ü"]})
    frame = polars.DataFrame(table)
    assert frame.null_count().row(0) == (1, 1, 1)
    assert frame.to_dict(as_series=False) == table.to_dict()
    assert np.isnan(table["b"][1]) and table["c"].tolist() == ["x", None, "ü"]
    assert polars.DataFrame(lethe.Table.of({"a": []})).shape == (0, 1)
    with pytest.raises(KeyError, match="no such column"):
        table["d"]
    assert small.export("c x", street="flop").shape[0] > 0


def test_columns_add_up(solution: lethe.Solution, small: lethe.Blueprint) -> None:
    node = solution.node()
    assert np.allclose(node.frequencies.sum(axis=1), 1)
    assert np.allclose(small.node().frequencies.sum(axis=1), 1)
    reached = node["reach"] > 0
    mean = (node["ev"] * node["reach"])[reached].sum() / node["reach"].sum()
    assert mean == pytest.approx(node.ev["oop"], rel=0.05)
    other = solution.node(player="ip")
    assert other.shown == "ip" and other.frequencies.shape[1] == 0


def test_runouts_are_cards() -> None:
    turn = lethe.solve(ROOT / "spots" / "monotone-turn.yaml", iterations=2)
    cards = turn.runouts("x x")
    assert len(cards) == 48 and "ev oop" in cards


def test_a_saved_solution_can_leave_a_street_out(tmp_path: Path) -> None:
    turn = lethe.solve(ROOT / "spots" / "monotone-turn.yaml", iterations=2)
    path = turn.save(tmp_path / "turn.lethe", without="river")
    again = lethe.Solution.open(path)
    # Saved frequencies are rounded.
    assert np.allclose(again.node().frequencies, turn.node().frequencies, atol=1e-3)
    with pytest.raises(lethe.InputError, match="saved without the river"):
        again.export(to="river")


def test_pictures_are_self_contained(
    solution: lethe.Solution, pushfold: lethe.Blueprint, tmp_path: Path
) -> None:
    pictures = [
        lethe.Range("22+,A2s+:0.5")._repr_html_(),
        solution.node()._repr_html_(),
        pushfold.node()._repr_html_(),
        lethe.equity("AsKs", "Th9h8c").plot().svg,
        *pushfold.history().plot().parts,
    ]
    for picture in pictures:
        assert minidom.parseString(picture).documentElement.tagName == "svg"
        assert "href" not in picture and "url(" not in picture and "<script" not in picture
    pushfold.history().plot("Average regret").save(tmp_path / "regret.svg")
    assert (tmp_path / "regret.svg").read_text().startswith("<svg")
    with pytest.raises(lethe.InputError, match="not a curve"):
        pushfold.history().plot("nonsense")
