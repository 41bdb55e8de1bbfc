"""Penrose's search for a layout in our language: what its own engine found, and the same in JavaScript, to the bit."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import node
from paths import DATA

import rose
from benchmarks.penrose import measure, optimise, ours, report
from benchmarks.penrose.graphs import Graph, Point, Stage, read
from benchmarks.penrose.optimise import optimiser
from benchmarks.penrose.programs import functions
from rose import Real, Vec

pytestmark = pytest.mark.slow

PENROSE = DATA / "penrose"
SMALL = ("alloy-models__river-crossing", "animation__center-shrink-circle", "interactive__planets")
SEARCH = (Path(optimise.__file__).parent / "js" / "optimise.mjs").as_uri()


def found(graph: Graph) -> Any:
    search = optimiser(functions(graph)["value_and_gradient"], graph.inputs, graph.stages)
    return rose.compile(search)(np.array(graph.inputs))


@pytest.mark.parametrize("name", SMALL)
def test_a_diagram_ends_as_with_the_engine_of_penrose(name: str):
    graph = read(PENROSE / f"{name}.json.gz")
    end, theirs = found(graph), graph.optimised
    assert (end["converged"], end["weight"]) == (theirs["converged"], theirs["finalWeight"])
    assert end["asked"] == theirs["gradCalls"] > end["calls"]
    assert end["value"] == pytest.approx(theirs["finalPhiLast"], rel=1e-5, abs=1e-10)


def test_inputs_that_vary_in_no_stage_stay_where_they_are():
    graph = read(PENROSE / "animation__center-shrink-circle.json.gz")
    still = [not any(varies) for varies in zip(*[s.inputs for s in graph.stages], strict=True)]
    moved = found(graph)["x"] != np.array(graph.inputs)
    assert any(still)
    assert any(moved)
    assert not any(moved & still)


def valley(x: Any, y: Any, weight: Any) -> Any:
    """A valley of which a constraint cuts off the lowest point, with its slopes."""
    outside = rose.select(x + y - 1.0 > 0.0, x + y - 1.0, 0.0)
    value = 100.0 * (y - x * x) * (y - x * x) + (1.0 - x) * (1.0 - x) + weight * (outside * outside)
    pull = weight * 2.0 * outside
    return value, [-400.0 * x * (y - x * x) - 2.0 * (1.0 - x) + pull, 200.0 * (y - x * x) + pull]


IN_JAVASCRIPT = """
import { optimise } from "%s";
const f = ([x, y], weight, masks, gradient) => {
  const outside = x + y - 1 > 0 ? x + y - 1 : 0;
  const pull = weight * 2 * outside;
  gradient[0] = -400 * x * (y - x * x) - 2 * (1 - x) + pull;
  gradient[1] = 200 * (y - x * x) + pull;
  return 100 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x) + weight * (outside * outside);
};
const { x, calls, value, weight } = optimise(f, { inputs: new Float64Array(%s), stages: [{}], weight: 1000 });
console.log(JSON.stringify({ x: [...x], calls, value, weight }));
"""

NAN_IN_JAVASCRIPT = """
import { optimise } from "%s";
const f = ([x], weight, masks, gradient) => ((gradient[0] = 1), Math.sqrt(x));
const { converged, value } = optimise(f, { inputs: new Float64Array([-1]), stages: [{}, {}], weight: 1000 });
console.log(JSON.stringify([converged, value]));
"""


@pytest.mark.parametrize("start", [[-1.2, 1.0], [3.0, -2.0], [0.25, 30.0]])
def test_the_search_takes_the_steps_that_it_takes_in_javascript(start: list[float], tmp_path: Path):
    def both(x: Any, weight: Any, *masks: Any) -> Any:
        value, slopes = valley(x[0], x[1], weight)
        return value, rose.vec(slopes)

    stage = Stage("", [1.0, 1.0], [1.0], [1.0])
    search = optimiser(rose.fn([Vec[2], Real, Vec[2], Vec[1], Vec[1]], tuple[Real, Vec[2]])(both), start, [stage])
    end = rose.compile(search)(start)
    script = tmp_path / "search.mjs"
    script.write_text(IN_JAVASCRIPT % (SEARCH, start))
    theirs = json.loads(node(script, cwd=tmp_path))
    assert end["converged"]
    assert (end["asked"], end["value"], end["weight"]) == (theirs["calls"], theirs["value"], theirs["weight"])
    assert end["x"].tolist() == theirs["x"]
    assert sum(end["x"]) == pytest.approx(1.0, abs=1e-3)


def test_a_search_that_comes_to_a_nan_says_so(tmp_path: Path):
    @rose.fn
    def both(x: Vec[1], weight: Real, varies: Vec[1], objectives: Vec[1], constraints: Vec[1]) -> tuple[Real, Vec[1]]:
        return rose.sqrt(x[0]), rose.vec([1.0])

    stage = Stage("", [1.0], [1.0], [1.0])
    ended = rose.compile(optimiser(both, [1.0], [stage, stage]))([-1.0])
    assert not ended["converged"]
    assert math.isnan(ended["value"])
    script = tmp_path / "search.mjs"
    script.write_text(NAN_IN_JAVASCRIPT % SEARCH)
    assert json.loads(node(script, cwd=tmp_path)) == [False, None]


def row(graph: str, tool: str, ms: float) -> dict[str, Any]:
    stages = {f"{k}{again}": {"wall": ms, "cpu": ms} for k in ("build", "compile") for again in ("", "_again")}
    search = {"cpu": ms, "converged": True, "weight": 1e5, "value": 2.0, "asked": 12, "calls": 12}
    whole = {**stages, "first": {"wall": ms, "cpu": ms}, "us": ms, "optimise": search, "bytes": 100}
    return {"graph": graph, "tool": tool, **whole, **({"layout": stages["build"]} if tool == "ours" else {})}


def test_a_nan_counts_where_it_is_known_what_is_right_there():
    point = Point([0.0] * 3, 1.0, 2.0, [4.0, math.nan, math.nan])
    assert ours.off(2.0, np.array([4.0, 1.0, 7.0]), point, {1: 1.0}) == 0.0
    assert ours.off(2.0, np.array([4.0, 3.0, 7.0]), point, {1: 1.0}) == 0.5
    assert ours.off(2.0, np.array([4.0, math.nan, 7.0]), point, {1: math.nan}) == 0.0
    assert ours.off(2.0, np.array([4.0, math.nan, 7.0]), point, {1: 1.0}) == math.inf
    assert ours.off(2.5, np.array([4.0, 1.0, 7.0]), point, {1: 1.0}) == 0.25
    assert ours.off(math.nan, np.array([4.0, 1.0, 7.0]), point, {1: 1.0}) == math.inf


def test_of_several_rounds_each_number_is_the_least_and_an_error_is_kept():
    rounds = [{"us": 2.0, "first": {"wall": 1.0}, "fine": True}, {"us": 1.0, "first": {"wall": 3.0}, "fine": True}]
    assert measure.least(rounds) == {"us": 1.0, "first": {"wall": 1.0}, "fine": True}
    assert measure.least([*rounds, {"error": "stopped"}]) == {"error": "stopped"}


def test_graphs_are_chosen_by_their_names_or_as_the_core(tmp_path: Path):
    for name in ("a__one", "a__two", "b"):
        (tmp_path / f"{name}.json.gz").touch()
    (tmp_path / "timings.csv").write_text("key,core\na/one,0\na/two,1\nb,1\n")
    chosen = lambda names, core: [measure.title(f) for f in measure.chosen(tmp_path, names, core)]
    assert chosen([], False) == ["a__one", "a__two", "b"]
    assert chosen(["a/"], False) == ["a__one", "a__two"]
    assert chosen(["a/"], True) == ["a__two"]


def test_the_tables_tell_quantiles_and_what_is_wrong():
    rows = [row("a", "ours", 1.0), row("a", "the original", 4.0), row("b", "ours", 3.0), row("b", "the original", 2.0)]
    rows += [row("c", "ours", 9.0), {"graph": "c", "tool": "the original", "error": "took | long"}]
    assert report.pairs(rows, "a gradient, us") == {"a": (1.0, 4.0), "b": (3.0, 2.0)}
    text = report.tables(rows)
    assert "| a gradient, us | ratio | 0.56 | 0.88 | 1.19 | 1.44 | 1.50 |" in text
    assert "| to the first gradient, ms | original | 7.50 | 9.00 | 10.5 | 11.7 | 12.0 |" in text
    assert "| from graph to layout, ms | b | 3.00 | 8.00 | 0.38 |" in text
    assert "| c | the original | took / long |" in text


def test_a_search_that_ended_at_a_nan_has_no_equal():
    rows = [row("a", "ours", 1.0), row("a", "the original", 4.0)]
    assert "| ended at the same value, to 1e-6 | 1 |" in report.searches(rows)
    rows[1]["optimise"]["value"] = None
    assert "| ended at the same value, to 1e-6 | 0 |" in report.searches(rows)
