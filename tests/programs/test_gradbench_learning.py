"""GradBench's `gmm`, `kmeans` and `lstm` in our language: beside the adjoints by hand, and beside differences."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.gradbench import byhand, evals, programs
from benchmarks.gradbench.programs import gmm, kmeans, lstm

pytestmark = pytest.mark.slow

MADE: dict[str, list[Any]] = {
    "gmm": [(2, 5, 20), (1, 3, 4), (3, 1, 2), (5, 4, 3, 2, 0.5), (17, 3, 4), (34, 2, 3), (67, 2, 2)],
    "kmeans": [(3, 10, 2), (1, 4, 1), (10, 60, 8), (7, 30, 19)],
    "lstm": [(2, 5, 3), (1, 2, 1), (3, 4, 14), (2, 3, 18)],
}
FUNCTIONS = {"gmm": ("objective", "jacobian"), "kmeans": ("cost", "dir"), "lstm": ("objective", "jacobian")}
cases = pytest.mark.parametrize(("name", "size"), [(name, size) for name, sizes in MADE.items() for size in sizes])


def flat(x: Any) -> list[float]:
    """The numbers of an output, or of a part of an input."""
    if isinstance(x, (int, float)):
        return [float(x)]
    return [number for part in (x.values() if isinstance(x, dict) else x) for number in flat(part)]


def answer(name: str, function: str, given: Any) -> Any:
    found = programs.functions(name)
    assert found is not None
    job = found[function](given)
    return job.shown(job.run())


@pytest.mark.skipif(shutil.which("gcc") is None and shutil.which("clang") is None, reason="no C compiler is installed")
@cases
def test_answers_are_those_by_hand(name: str, size: tuple[Any, ...]):
    given = json.loads(json.dumps(evals.find(name).made(*size)))
    for function in FUNCTIONS[name]:
        ours, by_hand = [json.loads(json.dumps(of(name, function, given))) for of in (answer, byhand.answer)]
        assert np.shape(ours) == np.shape(by_hand)
        assert not isinstance(ours, dict) or list(ours) == list(by_hand)
        if isinstance(ours, list) and isinstance(ours[0], list):
            assert [len(row) for row in ours] == [len(row) for row in by_hand]
        wanted = np.array(flat(by_hand))
        assert np.abs(np.array(flat(ours)) - wanted).max() <= 1e-12 * np.abs(wanted).max()


def slope(f: Callable[[float], float], h: float = 1e-4) -> float:
    """The derivative at 0, by differences that are extrapolated."""
    by = lambda h: (f(h) - f(-h)) / (2 * h)
    return (4 * by(h / 2) - by(h)) / 3


def moved(given: dict[str, Any], names: tuple[str, ...], along: np.ndarray, t: float) -> dict[str, Any]:
    """An input whose parameters have gone some way."""
    out = dict(given)
    for name in names:
        x = np.array(given[name], float)
        out[name] = (x + t * along[: x.size].reshape(x.shape)).tolist()
        along = along[x.size :]
    return out


@pytest.mark.parametrize(
    ("name", "size", "parameters"),
    [("gmm", size, ("alpha", "mu", "q", "l")) for size in MADE["gmm"]]
    + [("lstm", size, ("main_params", "extra_params")) for size in MADE["lstm"]],
)
def test_gradients_are_what_differences_say(name: str, size: tuple[Any, ...], parameters: tuple[str, ...]):
    given = evals.find(name).made(*size)
    gradient = np.array(flat(answer(name, "jacobian", given)))
    along = np.random.default_rng(1).normal(size=gradient.size) / np.sqrt(gradient.size)
    by_differences = slope(lambda t: answer(name, "objective", moved(given, parameters, along, t)))
    assert gradient @ along == pytest.approx(by_differences, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("size", MADE["kmeans"])
def test_a_step_leads_from_the_means_of_what_is_nearest(size: tuple[Any, ...]):
    given = evals.find("kmeans").made(*size)
    points, centroids = np.array(given["points"]), np.array(given["centroids"])
    nearest = ((points[:, None] - centroids[None]) ** 2).sum(2).argmin(1)
    means = np.array([points[nearest == c].mean(0) for c in range(len(centroids))])
    np.testing.assert_allclose(answer("kmeans", "dir", given), centroids - means, rtol=1e-12, atol=1e-15)


def test_whole_numbers_may_stand_for_others():
    given = {"points": [[0, 0], [4, 0], [4, 2]], "centroids": [[0, 1], [5, 1]]}
    assert answer("kmeans", "cost", given) == 5
    assert answer("kmeans", "dir", given) == [[0, 1], [1, 0]]
    one = {"d": 1, "k": 1, "n": 1, "m": 0, "gamma": 1, "x": [[0]], "alpha": [0], "mu": [[0]], "q": [[0]], "l": [[]]}
    assert answer("gmm", "jacobian", one) == {"alpha": [0.0], "mu": [[0.0]], "q": [[0.0]], "l": [[]]}


@pytest.mark.parametrize(
    ("compiled", "small", "large"),
    [
        (gmm.compiled, (80, 20, 100, 0, 1.0), (128, 100, 1000, 0, 1.0)),
        (kmeans.compiled, (40, 100, 20), (1000, 10000, 40)),
        (lstm.compiled, (20, 20, 100), (60, 40, 8192)),
    ],
)
def test_code_does_not_grow_with_the_sizes(compiled: Any, small: Any, large: Any):
    made = [compiled(*size) for size in (small, large)]
    few, many = [len((m[0] if isinstance(m, tuple) else m).wasm) for m in made]
    assert many - few < 0.1 * few
