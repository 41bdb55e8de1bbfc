"""What no taken branch reads contributes nothing, in every way to ask for a derivative and to compile one."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Module

import rose
from rose import Dual, Fin, Real, RoseError, Vec, dim
from tests.laws.test_untaken_elements import NASTY, PROGRAMS, log_of, masked_sum, where

AT = list(NASTY)
SLOPES = [1.0 / 1.5, 0.0, 0.5, 0.0]
CURVATURES = [-1.0 / 1.5**2, 0.0, -0.25, 0.0]
DIAGONAL = [[c if i == j else 0.0 for j in range(4)] for i, c in enumerate(CURVATURES)]

masked = rose.fn([Vec[4]], Real)(lambda x: masked_sum(x, log_of(x)))
each_masked = rose.fn([Vec[4]], Vec[4])(
    lambda x: (lambda p: rose.vec(where(x, i, p[i] * x[0]) for i in rose.range(4)))(log_of(x))
)
each_inside = rose.fn([Vec[4]], Vec[4])(lambda x: rose.vec(where(x, i, rose.log(x[i]) * x[0]) for i in rose.range(4)))


def dense(matrix: Any) -> Any:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


def test_gradients_and_hessians_of_every_kind():
    assert rose.grad(masked)(AT).tolist() == SLOPES
    for hessian in (rose.hessian(masked), rose.hessian(masked, sparse=True), rose.jacrev(rose.grad(masked)),
                    rose.jacfwd(rose.grad(masked))):  # fmt: skip
        found = hessian(AT)
        assert dense(found).tolist() == DIAGONAL
    assert rose.hvp(masked)(AT, [1.0, 2.0, 3.0, 4.0]).tolist() == [c * (k + 1) for k, c in enumerate(CURVATURES)]


def test_jacobians_of_every_kind():
    want = rose.jacfwd(each_inside)(AT).tolist()
    for jacobian in (rose.jacfwd(each_masked), rose.jacrev(each_masked), rose.jacobian(each_masked, sparse=True)):
        found = jacobian(AT)
        assert dense(found).tolist() == want


def test_maps_at_a_point():
    _, pullback = rose.vjp(masked)(AT)
    assert pullback(2.0).tolist() == [2.0 * s for s in SLOPES]
    assert rose.jvp(masked)([Dual(x, 1.0) for x in AT]).du == sum(SLOPES)
    _, pushforward = rose.linearize(masked)(AT)
    assert pushforward([1.0, 1.0, 1.0, 1.0]) == sum(SLOPES)


def test_a_cotangent_of_minus_zero_is_a_number_as_any_other():
    """What comes from outside is not marked: at -0.0 a product has a derivative in its other factor."""
    f = rose.fn([Vec[4], Real], Real)(lambda x, y: masked_sum(x, log_of(x)) * y)
    slope = lambda y: rose.grad(rose.fn([Vec[4], Real], Real)(lambda x, z: rose.grad(f)(x, z)[0]), argnums=1)(AT, y)
    assert slope(-0.0) == slope(0.0) == SLOPES[0]

    def weighed(x: Any, y: Any) -> Any:
        _, pullback = rose.vjp(each_masked)(x)
        return rose.dot(pullback(rose.vec([y] * 4)), x)

    by_y = rose.grad(rose.fn([Vec[4], Real], Real)(weighed), argnums=1)
    assert by_y(AT, -0.0) == by_y(AT, 0.0) == by_y(AT, 3.0) != 0.0


@pytest.mark.parametrize("y", [-0.0, 0.0, 1e-3])
def test_a_factor_that_is_zero_hides_no_derivative(y: float):
    """The element is read in a branch that is taken, with a cotangent that happens to be a zero of either sign."""

    def body(x: Any, y: Any) -> Any:
        p = log_of(x)
        return rose.sum(where(x, i, p[i] * y) for i in rose.range(4))

    f = rose.fn([Vec[4], Real], Real)(body)
    by_both = rose.fn([Vec[4], Real], Vec[4])(lambda x, y: rose.grad(f)(x, y))
    assert rose.jacrev(by_both, argnums=1)(AT, y).tolist() == SLOPES
    assert rose.jacfwd(by_both, argnums=1)(AT, y).tolist() == SLOPES


@pytest.mark.parametrize("options", [{"dtype": "f32"}, {"simd": True}, {"simd": True, "dtype": "f32"}])
def test_single_precision_and_simd(options: dict[str, Any]):
    n = 64
    f = rose.fn([Vec[n]], Real)(
        lambda x: (lambda p: rose.sum(where(x, i, p[i] * p[i]) for i in rose.range(n)))(
            rose.vec(rose.sqrt(x[i]) / x[i] for i in rose.range(n))
        )
    )
    x = tuple([[2.0, 0.0, -1.0, 4.0][k % 4] for k in range(n)])
    g = rose.grad(f)
    twice = rose.fn([Vec[n]], Vec[n])(lambda x: rose.grad(rose.fn([Vec[n]], Real)(lambda y: rose.sum(g(y))))(x))
    module = rose.compile({"g": g, "twice": twice}, **options)
    assert module["g"](x) == pytest.approx([[-0.25, 0.0, 0.0, -0.0625][k % 4] for k in range(n)], rel=1e-6)
    assert module["twice"](x) == pytest.approx([[0.25, 0.0, 0.0, 1.0 / 32.0][k % 4] for k in range(n)], rel=1e-6)


def test_sizes_that_are_known_when_the_module_runs():
    n = dim("n")
    f = rose.fn([Vec[n]], Real)(
        lambda x: (lambda p: rose.sum(where(x, i, p[i]) for i in rose.range(n)))(
            rose.vec(rose.log(x[i]) for i in rose.range(n))
        )
    )
    assert rose.grad(f)(AT).tolist() == SLOPES
    assert rose.jacrev(rose.grad(f))(AT).tolist() == DIAGONAL
    assert rose.grad(f)([]).tolist() == []


def test_vectors_without_elements():
    f = rose.fn([Vec[0], Real], Real)(
        lambda x, y: (lambda p: y * y + rose.sum(rose.select(y > 0.0, p[i], 0.0) for i in rose.range(0)))(
            rose.vec(rose.log(x[i]) / y for i in rose.range(0))
        )
    )
    assert rose.grad(f, argnums=1)([], 0.0) == 0.0
    assert rose.grad(rose.grad(f, argnums=1), argnums=1)([], 0.0) == 2.0


@rose.struct
class Model:
    w: Vec[4]
    b: Real


def test_structs():
    def loss(m: Any) -> Any:
        q = Model(log_of(m.w), 1.0 / m.b)
        return masked_sum(m.w, q.w) + rose.select(m.b > 0.0, q.b, 3.0 * m.b)

    g = rose.grad(rose.fn([Model], Real)(loss))(Model(AT, 0.0))
    assert (list(g.w), g.b) == (SLOPES, 3.0)


def test_a_while_loop_that_does_not_run():
    """What only its iterations read is read by nothing."""

    def body(x: Any) -> Any:
        p = log_of(x)
        iteration = lambda s: (s[0] + masked_sum(x, p), s[1] + 1.0)
        return rose.while_loop(lambda s: s[1] < x[3], iteration, (x[0], 0.0))[0]

    f = rose.fn([Vec[4]], Real)(body)
    assert rose.grad(f)(AT).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert rose.jacrev(rose.grad(f))(AT).tolist() == [[0.0] * 4] * 4


def test_third_derivatives_by_reverse_mode_of_an_inactive_branch_after_a_division():
    f = rose.fn([Vec[2]], Real)(lambda v: rose.relu(rose.scan(lambda i, s: s / (1.5 + s * s), v[0] * v[1], 1) - 5.0))
    third = rose.jacrev(rose.jacrev(rose.grad(f)))
    assert third([-0.8, 0.3]).tolist() == rose.jacfwd(rose.jacfwd(rose.grad(f)))([-0.8, 0.3]).tolist()
    assert third([-0.8, 0.3]).tolist() == [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]


BODIES: list[str] = ["s / (1.0 + s)", "rose.sqrt(s * s + 1.0)", "rose.log(s * s + 2.0)", "s / (1.5 + s * s)"]
INACTIVE: list[str] = ["rose.relu(y - 50.0)", "rose.max(y, 50.0)", "rose.select(y > 50.0, y * y, 1.0)"]


@pytest.mark.parametrize("step", BODIES)
@pytest.mark.parametrize("outer", INACTIVE)
def test_an_inactive_branch_after_any_step(step: str, outer: str):
    names: dict[str, Any] = {"rose": rose}
    body = eval(f"lambda s: {step}", names)
    last = eval(f"lambda y: {outer}", names)
    f = rose.fn([Real], Real)(lambda x: last(rose.scan(lambda i, s: body(s), x * x, 2)))
    for _ in range(3):
        f = rose.grad(f)
        assert f(0.7) == 0.0


def test_gradients_of_all_programs_are_finite_in_the_public_form():
    """With respect to a vector, compiled together."""
    fs = {body.__name__: rose.grad(rose.fn([Vec[4]], Real)(body)) for body, _ in PROGRAMS}
    wants = {body.__name__: rose.grad(rose.fn([Vec[4]], Real)(within)) for body, within in PROGRAMS}
    module = Module({k: f.func for k, f in fs.items()} | {f"{k} within": f.func for k, f in wants.items()})
    for k in fs:
        assert module[k](NASTY) == pytest.approx(module[f"{k} within"](NASTY), rel=1e-9, abs=1e-12), k


def test_what_is_outside_of_the_promise_is_nan_or_an_error():
    """As the chapter on derivatives says."""
    logs = lambda x: rose.scan(lambda i, s: (s, rose.log(x[i])), 0.0, 2)[1]
    of_data = rose.fn([Vec[2], Fin[2]], Real)(lambda x, k: logs(x)[k])
    assert [y != y for y in rose.grad(of_data)([0.0, 1.0], 1)] == [True, False]
    given = rose.fn([Vec[2]], Vec[2])(lambda x: rose.log(x))
    assert [y != y for y in rose.grad(rose.fn([Vec[2]], Real)(lambda x: given(x)[1]))([0.0, 1.0])] == [True, False]

    stored = rose.fn([Vec[4]], Vec[4])(log_of)  # a result of a call, of which one side of a `select` reads
    each = rose.fn([Vec[4]], Vec[4])(
        lambda x: (lambda p: rose.vec(where(x, i, p[i] * x[0]) for i in rose.range(4)))(stored(x))
    )

    def pulled(ct: Any) -> Any:
        _, pullback = rose.vjp(each)(rose.vec(AT))
        return pullback(ct)

    with pytest.raises(RoseError):
        rose.linear_transpose(rose.fn([Vec[4]], Vec[4])(pulled))(AT)


def test_what_only_a_loop_without_iterations_reads():
    def body(x: Any, y: Any) -> Any:
        unread = rose.dot(x, rose.vec(x[0] * x[1] for _ in rose.range(2)))
        return rose.sum(unread for _ in rose.range(0)) + y * rose.max(x[i] for i in rose.range(2))

    f = rose.fn([Vec[2], Real], Real)(body)
    assert rose.grad(f)([1.0, 2.0], 3.0).tolist() == [0.0, 3.0]
    assert rose.hessian(f)([1.0, 2.0], 3.0).tolist() == [[0.0, 0.0], [0.0, 0.0]]
