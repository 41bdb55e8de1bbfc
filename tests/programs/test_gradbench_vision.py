"""GradBench's bundle adjustment and hand tracking: against differences, the interpreter, and the adjoints by hand."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import Module, same
from numpy.typing import NDArray

import rose
from benchmarks.gradbench import byhand, evals, programs
from benchmarks.gradbench.evals import checks
from benchmarks.gradbench.evals.ba import example as bundle
from benchmarks.gradbench.evals.ht import example as tracking
from benchmarks.gradbench.programs import ba, ht
from rose.frontend.any_size import fixed
from rose.host.interpreter import run
from rose.host.marshal import plain

pytestmark = pytest.mark.slow

CLOSE = 1e-9
Array = NDArray[np.float64]

by_hand = pytest.mark.skipif(shutil.which("gcc") is None and shutil.which("clang") is None, reason="no C compiler")


def answer(name: str, function: str, given: Any) -> Any:
    found = programs.functions(name)
    assert found is not None
    job = found[function](given)
    return job.shown(job.run())


def columns(f: Callable[[Array], Array], x: Array, step: float) -> Array:
    """The Jacobian by differences, extrapolated to a step of nothing."""
    slope = lambda d, h: (f(x + h * d) - f(x - h * d)).ravel() / (2 * h)
    return np.array([(4 * slope(d, step / 2) - slope(d, step)) / 3 for d in np.eye(len(x))]).T


# bundle adjustment


def observed(n: int, m: int, p: int, *, turned: bool = True) -> ba.Problem:
    """Cameras and points of which no two are equal, and who saw what in no order."""
    rng, one = np.random.default_rng(0), bundle(n, m, p)
    cameras = one["cam"] * (1 + rng.normal(0, 0.1, (n, 11)))
    if not turned:
        cameras[:, :3] = 0
    points = one["x"] + rng.normal(0, 0.3, (m, 3))
    seen = rng.integers(0, n, p).astype(np.uint32), rng.integers(0, m, p).astype(np.uint32)
    return ba.Problem(cameras, points, rng.uniform(0.5, 1, p), rng.normal(0, 50, (p, 2)), *seen)


def dense(found: ba.Sparse, n: int, m: int, p: int) -> Array:
    """The matrix of a CSR, each entry of which is added where it belongs."""
    values, places, rows = map(ba.joined, (found.values, found.columns, found.rows))
    assert len(values) == len(places) == rows[-1] == 31 * p
    assert len(rows) == 3 * p + 1
    out = np.zeros((3 * p, 11 * n + 3 * m + p))
    np.add.at(out, (np.repeat(np.arange(3 * p), np.diff(rows)), places), values)
    return out


@pytest.mark.parametrize("turned", [True, False])
def test_the_sparse_jacobian_of_bundle_adjustment_is_that_of_differences(turned: bool):
    n, m, p = 3, 4, 6
    given = observed(n, m, p, turned=turned)
    module = rose.compile({"objective": ba.objective, "jacobian": ba.jacobian}, n=n, m=m, p=p)

    def errors(x: Array) -> Array:
        cameras, points, weights = np.split(x, [11 * n, 11 * n + 3 * m])
        rest = given.features, given.camera, given.point
        whole = ba.Problem(cameras.reshape(n, 11), points.reshape(m, 3), weights, *rest)
        return ba.joined(module.objective(whole))

    x = np.concatenate([given.cameras.ravel(), given.points.ravel(), given.weights])
    wanted, got = columns(errors, x, 1e-3), dense(module.jacobian(given), n, m, p)
    assert got == pytest.approx(wanted, rel=1e-6, abs=1e-6 * np.abs(wanted).max())


@by_hand
@pytest.mark.parametrize("turned", [True, False])
def test_bundle_adjustment_agrees_with_what_is_written_by_hand(turned: bool):
    n, m, p = 3, 4, 60
    given = observed(n, m, p, turned=turned)
    parts = [given.cameras, given.points, given.weights, given.features]
    ints = np.concatenate([[n, m, p], given.camera, given.point]).astype(np.int32)
    numbers = np.concatenate([x.ravel() for x in parts])
    module = rose.compile({"objective": ba.objective, "jacobian": ba.jacobian}, simd=True, n=n, m=m, p=p)
    errors, found = module.objective(given), module.jacobian(given)
    words = [ba.joined(x) for x in (found.columns, found.rows)]
    for function, out, got in (("objective", 3 * p, errors), ("jacobian", 48 * p + 1, found.values)):
        packed = evals.Packed(ints, numbers, out, 0)
        call, read = byhand.native(byhand.compiled("ba", "native"), function, packed)
        call()
        wanted = read()
        assert checks.wrong(ba.joined(got).tolist(), wanted[: len(ba.joined(got))].tolist(), CLOSE) is None
    places = wanted[31 * p :].view(np.int32)
    assert places[: 34 * p + 1].tolist() == np.concatenate(words).tolist()


@pytest.mark.parametrize("p", [3, 40])
def test_what_is_shown_of_a_matrix_has_the_length_that_gradbench_shows(p: int):
    found = answer("ba", "jacobian", bundle(2, 3, p))
    first = [*range(0, 30 * p, 15), *range(30 * p, 31 * p + 1)]
    assert found["rows"] == [*first[:30], 31 * p]
    assert [len(found[k]) for k in ("cols", "vals")] == [31, 31]
    assert found["cols"][:15] == [*range(11), 22, 23, 24, 31]
    assert found["cols"][-1] == 22 + 9 + p - 1


def test_integers_may_stand_for_numbers():
    given = bundle(2, 2, 3) | {"cam": [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0], "x": [1, 2, 4], "w": 3, "feat": [0, 0]}
    errors = {"elements": [1.5, 3.0], "repeated": 3}
    assert answer("ba", "objective", given) == {"reproj_error": errors, "w_err": {"element": -8.0, "repeated": 3}}


def test_the_blocks_of_bundle_adjustment_are_those_of_the_interpreter():
    given = observed(2, 2, 3)
    f = ba.jacobian.at(n=2, m=2, p=3).func
    assert same(Module({"f": f})["f"](given), run(f, plain(given, f.params[0].type)))


# hand tracking

VARIANTS = [(variant, mirrored) for variant in ("simple", "complicated") for mirrored in (False, True)]


def shifted(given: dict[str, Any], x: Array) -> dict[str, Any]:
    """An input with another pose, and all points moved on their triangles by the same."""
    us = (np.array(given["us"]) + x[:2]).tolist() if given["us"] else []
    return given | {"theta": x[-26:].tolist(), "us": us}


@pytest.mark.parametrize(("variant", "mirrored"), VARIANTS)
@pytest.mark.parametrize("turned", [True, False])
def test_the_rows_of_hand_tracking_are_those_of_differences(variant: str, mirrored: bool, turned: bool):
    given = tracking(9, "small", variant, mirrored)
    if not turned:
        given["theta"][:3] = [3e-5, 0, -2e-5]  # so little that it counts as none, and has no derivative
    x = np.array([*([0.0, 0.0] if given["us"] else []), *given["theta"]])
    f = lambda x: np.array(answer("ht", "objective", shifted(given, x)))
    wanted, got = columns(f, x, 1e-3 if turned else 1e-5), np.array(answer("ht", "jacobian", given))
    assert got.shape == (27, len(x))
    assert got == pytest.approx(wanted, rel=1e-7, abs=1e-8 if turned else 1e-7)


@by_hand
@pytest.mark.parametrize(("variant", "mirrored"), VARIANTS)
@pytest.mark.parametrize("function", ["objective", "jacobian"])
def test_hand_tracking_agrees_with_what_is_written_by_hand(variant: str, mirrored: bool, function: str):
    given = tracking(33, "small", variant, mirrored)
    wanted = byhand.answer("ht", function, given)
    assert checks.wrong(answer("ht", function, given), wanted, CLOSE) is None


def test_fingers_that_are_no_chains_are_refused():
    given = tracking(3, "small")
    given["data"]["model"]["parents"][3] = 1
    with pytest.raises(ValueError, match="a finger is a chain of four bones"):
        answer("ht", "jacobian", given)


def test_the_rows_of_hand_tracking_are_those_of_the_interpreter():
    given = tracking(2, "small")
    model = given["data"]["model"]
    model["base_positions"], model["weights"], model["triangles"] = (
        model["base_positions"][:3],
        model["weights"][:3],
        [[0, 2, 1]],
    )
    given["data"]["correspondences"] = [0, 0]
    _, args = ht.prepared(given)
    f = fixed(ht.tracker(model["parents"]), {"v": 3, "t": 1, "k": 2}, dynamic=False)["jacobian"].func
    assert same(Module({"f": f})["f"](*args), run(f, *[plain(x, p.type) for x, p in zip(args, f.params, strict=True)]))
