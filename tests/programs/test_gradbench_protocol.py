"""GradBench's protocol: our side of it as a process, the driver, and the checks of the evals.

Programs are compared with the adjoints by hand, and both with differences.
"""

from __future__ import annotations

import importlib
import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from paths import ROOT

from benchmarks.gradbench import __main__ as report
from benchmarks.gradbench import byhand, drive, evals, programs
from benchmarks.gradbench.evals.checks import wrong

pytestmark = pytest.mark.slow

TOOL = [sys.executable, "-m", "benchmarks.gradbench.tool"]
NAMES = programs.NAMES


def makes_wasm() -> bool:
    try:
        return byhand.compiled("hello", "wasm").exists()
    except OSError:
        return False


compiled = pytest.mark.skipif(byhand.compiler("native") is None, reason="there is no C compiler")
to_wasm = pytest.mark.skipif(not makes_wasm(), reason="there is no clang with wasi-libc")

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Sends a message to one tool process, and gives the response."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(TOOL, cwd=ROOT, **pipes) as tool:
        ids = iter(range(1000))

        def asked(**message: Any) -> dict[str, Any]:
            n = next(ids)
            print(json.dumps({"id": n, **message}), file=tool.stdin, flush=True)
            response = json.loads(tool.stdout.readline())
            assert response.pop("id") == n
            return response

        yield asked
        tool.stdin.close()
        assert tool.wait(20) == 0  # the end of its input is the end of it


def square(ask: Ask, **more: Any) -> dict[str, Any]:
    asked = {"kind": "evaluate", "module": "hello", "function": "square", "input": 3, "description": "3"}
    return ask(**asked | more)


# our side of the protocol


def test_a_tool_says_who_it_is(ask: Ask):
    assert ask(kind="start", eval="hello", config={"unknown": [1]}) == {"tool": "rose-for-python"}


@pytest.mark.parametrize("kind", ["analysis", "a kind of later versions"])
def test_any_other_kind_is_answered_with_its_id(ask: Ask, kind: str):
    assert ask(kind=kind, of=0, valid=False, error="a lie") == {}


def test_what_is_not_here_is_not_defined(ask: Ask):
    assert ask(kind="define", module="no such eval") == {"success": False}
    assert ask(kind="define", module="hello", unknown=1) == {"success": True}


def test_a_success_has_an_output_and_no_error(ask: Ask):
    response = square(ask)
    assert response.keys() == {"success", "output", "timings"}
    assert response["success"] is True
    assert response["output"] == 9.0


def test_a_number_is_an_input(ask: Ask):
    """That of `hello` is no object, and has no `min_runs`."""
    of = [t["name"] for t in square(ask, input=3.0)["timings"]]
    assert of.count("evaluate") == 1


@pytest.mark.parametrize(("runs", "seconds"), [(1, 0), (5, 0), (5, 0.0), (1, 0.02), (3, 0.02)])
def test_a_function_is_run_as_often_and_as_long_as_is_asked(ask: Ask, runs: int, seconds: float):
    given = {"x": [1, 2], "n": 3, "min_runs": runs, "min_seconds": seconds}
    response = ask(kind="evaluate", module="llsq", function="primal", input=given)
    times = [t["nanoseconds"] for t in response["timings"] if t["name"] == "evaluate"]
    assert all(type(t) is int for t in times)
    assert len(times) >= runs
    assert sum(times) >= seconds * 1e9
    assert len(times) == runs or sum(times[:-1]) < seconds * 1e9


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"function": "cube"}, "there is no function 'cube' in 'hello'"),
        ({"module": "no such eval"}, "there is no function 'square' in 'no such eval'"),
        ({"input": "three"}, "TypeMismatch"),
        ({"input": None}, "TypeMismatch"),
        ({"input": 1e300}, "ValueError"),  # whose square is infinite, and so is no JSON
        ({"module": "llsq", "function": "primal", "input": {"x": [1.0]}}, "KeyError: 'n'"),
    ],
)
def test_what_fails_is_told_and_the_tool_goes_on(ask: Ask, message: dict[str, Any], said: str):
    response = square(ask, **message)
    assert response.keys() == {"success", "error"}
    assert response["success"] is False
    assert said in response["error"]
    assert square(ask)["success"] is True


def test_integers_stand_for_numbers(ask: Ask):
    given = {"A": [2, 0, 0, 0, 3, 0, 0, 0, 4], "ell": 3, "min_runs": 1, "min_seconds": 0}
    assert ask(kind="evaluate", module="det", function="primal", input=given)["output"] == 24.0


def test_a_line_that_is_no_message_ends_the_tool():
    done = subprocess.run(TOOL, cwd=ROOT, input="\n{no message\n", capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stdout == ""


# the driver

HAPPY = [
    {"id": 0, "kind": "start", "eval": "e"},
    {"id": 1, "kind": "define", "module": "e"},
    {"id": 2, "kind": "evaluate", "module": "e", "function": "f", "input": 1, "description": "one"},
    {"id": 3, "kind": "analysis", "of": 2, "valid": True},
]
RIGHT = {"success": True, "output": 1, "timings": [{"name": "evaluate", "nanoseconds": 3000}]}
ANSWERS = [{"id": 0, "tool": "t"}, {"id": 1, "success": True}, {"id": 2, **RIGHT}, {"id": 3}]
INVALID = [*HAPPY[:3], {"id": 3, "kind": "analysis", "of": 2, "valid": False, "error": "not so"}]


def speaking(lines: list[Any], first: bool, last: str = "") -> list[str]:
    """A process that says these lines, the first of them unasked if it is an eval, and does something at its end."""
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    turn = "print(line, flush=True); input()" if first else "input(); print(line, flush=True)"
    return [sys.executable, "-c", f"import time\nfor line in {text!r}:\n    {turn}\n{last}"]


@pytest.mark.parametrize(
    ("messages", "answers", "last", "outcome", "said"),
    [
        (HAPPY, ANSWERS, "", "success", ""),
        (HAPPY[:2], [ANSWERS[0], {"id": 1, "success": False}], "", "undefined", ""),
        (HAPPY[:3], [*ANSWERS[:2], {"id": 2, "success": False, "error": "too hard"}], "", "failure", "too hard"),
        (INVALID, ANSWERS, "", "invalid", "not so"),
        (HAPPY, ANSWERS[:2], "", "error", "the tool has ended"),
        (HAPPY, ANSWERS[:2], "time.sleep(100)", "timeout", "no answer in 2 s"),
        (HAPPY, [*ANSWERS[:2], "what?"], "", "error", "Expecting value"),
        (HAPPY, [*ANSWERS[:2], {"id": 7, **RIGHT}], "", "error", "message 2 has the response 7"),
        (HAPPY, [*ANSWERS[:2], {"id": 2, **RIGHT, "error": "but"}], "", "error", "and no error"),
        (HAPPY, [*ANSWERS[:2], {"id": 2, "success": True}], "", "error", "has an output"),
        (HAPPY, [*ANSWERS[:2], {"id": 2}], "", "error", "success"),
    ],
)
def test_the_outcome_of_a_session(messages: list[Any], answers: list[Any], last: str, outcome: str, said: str):
    eval, tool = speaking(messages, True), speaking(answers, False, last)
    with drive.Session(eval, tool, 2.0, stderr=subprocess.DEVNULL) as session:
        while session.step():
            pass
    assert session.outcome == outcome
    assert said in session.said
    timed = [r.median for r in session.rows if r.median is not None]
    assert timed == ([3.0] if outcome == "success" else [])  # nothing else counts


def test_what_was_wrong_is_said_of_each_question():
    messages = [*HAPPY[:3], {**HAPPY[2], "id": 3, "description": "two"}]
    answers = [*ANSWERS[:2], {"id": 2, "success": False, "error": "too hard"}]
    with drive.Session(speaking(messages, True), speaking(answers, False), 20.0, stderr=subprocess.DEVNULL) as session:
        while session.step():
            pass
    assert [(r.description, r.error) for r in session.rows] == [("one", "too hard"), ("two", "the tool has ended")]
    assert session.outcome == "failure"  # which comes before an error


def test_what_is_said_is_logged_and_the_exit_code_is_the_outcome(tmp_path: Path):
    def driven(messages: list[Any]) -> subprocess.CompletedProcess[str]:
        eval, tool = shlex.join(speaking(messages, True)), shlex.join(speaking(ANSWERS, False))
        command = [sys.executable, "-m", "benchmarks.gradbench.drive", "--eval", eval, "--tool", tool, "-o", str(log)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    log = tmp_path / "log.jsonl"
    assert driven(INVALID).returncode == 1
    done = driven(HAPPY)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "success")
    assert "| one | f | 1 | 3.00 |  |  |" in done.stdout
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line.get("message", line.get("response")) for line in lines[:4]] == [
        HAPPY[0],
        ANSWERS[0],
        HAPPY[1],
        ANSWERS[1],
    ]
    assert all(line["elapsed"]["nanoseconds"] > 0 for line in lines)


@compiled
def test_an_eval_asks_and_checks_a_tool():
    asked = [sys.executable, "-m", "benchmarks.gradbench.evals", "hello"]
    with drive.Session(asked, TOOL, 60.0, cwd=ROOT) as session:
        while session.step():
            pass
    assert session.outcome == "success"
    asked_for = [(r.function, r.description) for r in session.rows]
    assert asked_for[:4] == [("square", "1"), ("double", "1"), ("square", "2"), ("double", "4")]
    assert asked_for[-1] == ("double", "16384")


# the checks of the evals


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (1, 1.0),
        (1.0 + 1e-10, 1.0),
        ([1, 2], [1.0, 2.0]),
        ({"a": [[0.0]]}, {"a": [[0.0]]}),
        ([], []),
        ([1.0, 1e-13], [1, 0]),
    ],
)
def test_what_is_right(got: Any, wanted: Any):
    assert wrong(got, wanted, 1e-9) is None


@pytest.mark.parametrize(
    ("got", "wanted", "said"),
    [
        (math.nan, 1.0, "is not finite"),
        ([1.0, math.nan], [1.0, 2.0], "is not finite"),
        ([math.inf], [math.inf], "has no finite value by hand"),
        (1.0 + 1e-8, 1.0, "off by 1.0e-08"),
        (0.0, 1e-300, "off by 1.0e+00"),  # however small all numbers are
        ([1e-9, 1.0], [2e-9, 1.0], "number 0 is"),
        ([1.0], 1.0, "should be a number"),
        (True, 1.0, "should be a number"),
        (None, 1.0, "should be a number"),
        (1.0, [1.0], "should be a list of 1"),
        ([1.0], [1.0, 2.0], "should be a list of 2"),
        ([[1.0], [2.0, 3.0]], [[1.0], [2.0]], "the output[1] should be a list of 1"),
        ({"a": 1}, {"a": 1, "b": 2}, "an object with a, b"),
        ({"a": {"b": 1.0}}, {"a": {"b": 2.0}}, "the output.a.b"),
        ([1.0], {"a": 1.0}, "an object with a"),
    ],
)
def test_what_is_wrong(got: Any, wanted: Any, said: str):
    assert said in (wrong(got, wanted, 1e-9) or "")


# programs


def smallest(name: str) -> tuple[Any, tuple[str, ...]]:
    """An input, and the functions that are asked for it."""
    w = next(iter(evals.find(name).workloads()))
    return w.input, w.functions or tuple(evals.find(name).functions)


@compiled
@pytest.mark.parametrize("name", NAMES)
def test_a_program_agrees_with_that_by_hand(ask: Ask, name: str):
    given, functions = smallest(name)
    limits = {"min_runs": 2, "min_seconds": 0}
    assert ask(kind="define", module=name)["success"] is True
    for f in functions:
        asked = given | limits if isinstance(given, dict) else given
        response = ask(kind="evaluate", module=name, function=f, input=asked)
        assert wrong(response["output"], byhand.answer(name, f, given), 1e-9) is None


@compiled
@to_wasm
@pytest.mark.parametrize("name", NAMES)
def test_the_same_c_in_wasm_agrees(name: str):
    given, functions = smallest(name)
    for f in functions:
        job = byhand.prepared(name, "wasm", f, given)
        job.run()
        assert wrong(job.shown(job.run()), byhand.answer(name, f, given), 1e-9) is None


SMALL: dict[str, list[dict[str, Any]]] = {
    "llsq": [{"x": [0.3, -1.2, 0.7, 0.1], "n": 2}, {"x": [0.3, -1.2, 0.7, 0.1], "n": 9}, {"x": [2], "n": 40}],
    "lse": [{"x": [0.5]}, {"x": [-3, 800.0, 799.0, 2.5]}, {"x": [0.1 * k % 0.7 for k in range(50)]}],
    "det": [
        {"A": [(7 * k % 11) / 7 + (k % (n + 1) == 0) for k in range(n * n)], "ell": n} for n in (1, 2, 3, 4, 5, 7, 8)
    ],
    "ode": [{"x": [0.9, 0.7, 1.1, 0.4][:n], "s": s} for n, s in ((1, 3), (2, 1), (4, 1), (4, 7))],
}
VARIED = {"llsq": "x", "lse": "x", "det": "A", "ode": "x"}


@pytest.mark.parametrize(("name", "given"), [(name, given) for name, inputs in SMALL.items() for given in inputs])
def test_a_gradient_agrees_with_differences(name: str, given: dict[str, Any]):
    """Also where GradBench compares zeros with zeros."""
    functions = importlib.import_module(f"benchmarks.gradbench.programs.{name}").functions

    def value(x: Any) -> float:
        job = functions["primal"](given | {VARIED[name]: x.tolist()})
        return float(np.atleast_1d(job.shown(job.run()))[-1])

    x = np.array(given[VARIED[name]], float)
    job = functions["gradient"](given)
    found = np.array(job.shown(job.run()))
    for k, d in enumerate(np.eye(len(x))):
        assert found[k] == pytest.approx((value(x + 1e-5 * d) - value(x - 1e-5 * d)) / 2e-5, rel=1e-6, abs=1e-9)


@compiled
@pytest.mark.parametrize(("name", "given"), [(name, given) for name, inputs in SMALL.items() for given in inputs])
def test_a_program_agrees_with_that_by_hand_at_odd_sizes(name: str, given: dict[str, Any]):
    functions = importlib.import_module(f"benchmarks.gradbench.programs.{name}").functions
    for f, prepare in functions.items():
        job = prepare(given)
        job.run()
        assert wrong(job.shown(job.run()), byhand.answer(name, f, given), 1e-9) is None


# the report


def test_a_wrong_answer_has_no_time_in_the_report():
    rows = [drive.Row("w", "f", [2000], 5_000_000, None), drive.Row("w", "f", [4000], 1, None)]
    ours = report.result("e", report.OURS, ("w", "f"), rows)
    assert (ours["us"], ours["runs"], ours["prepare ms"]) == (3.0, 2, 5.0)
    bad = report.result("e", "C", ("w", "f"), [rows[0], drive.Row("w", "f", [1], 1, "the output: off by 2.0e+00")])
    assert "us" not in bad
    good = report.result("e", "JAX", ("w", "f"), [drive.Row("w", "f", [6000], None, None)])
    assert report.report([ours, bad, good]).splitlines()[-1] == "| e | w | f | 3.00 | wrong | 6.00 (2.00×) |"
    assert report.ratios([ours, bad, good]).splitlines()[-1] == "| e |  | 0.50, 0.50 |"
