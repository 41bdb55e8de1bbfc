"""Sparse Jacobians and Hessians: the numbers of the dense ones, by few products, wherever a function can be used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sparse_functions import Item, rosenbrock

import rose
from rose import Bool, Dual, Fin, Real, Vec, fn
from rose.differentiation.sparse import colouring
from rose.errors import RoseError
from rose.ir.check import check
from rose.ir.text.printer import show


def numbers(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).normal(size=shape)


@fn
def broyden(x: Vec[30]) -> Vec[30]:
    """Three neighbours in each row: by columns."""

    def at(k: Any) -> Any:
        before = rose.cond(k > 0, lambda: x[(k + 29) % 30], lambda: 0.0)
        after = rose.cond(k < 29, lambda: x[(k + 1) % 30], lambda: 0.0)
        return (3 - 2 * x[k]) * x[k] - before - 2 * after + 1

    return rose.vec(at(k) for k in rose.range(30))


@fn
def few_rows(x: Vec[40], s: Real) -> Vec[2]:
    """Two rows that need not be told apart: by rows."""
    return [
        s * rose.sum(x[2 * i] ** 2 for i in rose.range(20)),
        rose.sum(rose.sin(x[2 * i + 1]) for i in rose.range(20)),
    ]


@rose.struct
class Part:
    p: Real
    q: Vec[2]


def part(x: Any, s: Any) -> Part:
    return Part(x.a * x.b[0] * s, [x.b[1] ** 2, rose.exp(s)])


@fn
def of_items(items: Vec[4, Item], s: Real) -> Vec[4, Part]:
    return rose.vec(part(items[i], s) for i in rose.range(4))


ITEMS = [Item(0.5 + k, k % 3, [1.0, 2.0 - k], True) for k in range(4)]


def test_a_jacobian_by_columns():
    x = numbers(30)
    sparse = rose.jacobian(broyden, sparse=True)(x)
    assert sparse.format == "csr" and sparse.nnz == 88 and sparse.has_sorted_indices
    assert np.allclose(sparse.toarray(), rose.jacobian(broyden)(x), rtol=1e-15, atol=0)


def test_a_jacobian_by_rows():
    x = numbers(40)
    sparse = rose.jacobian(few_rows, sparse=True)(x, 2.0)
    assert sparse.nnz == 40 and np.allclose(sparse.toarray(), rose.jacobian(few_rows)(x, 2.0), rtol=1e-15, atol=0)


def test_the_way_with_fewer_products_is_taken():
    rows, columns = [show(rose.jacobian(f, sparse=True).func) for f in (few_rows, broyden)]
    assert ".bwd" in rows and ".bwd" not in columns


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1, 0)])
def test_structs_are_their_numbers_in_order(argnums: Any):
    sparse = rose.jacobian(of_items, argnums, sparse=True)(ITEMS, 0.3).toarray()
    parts: list[Any] = []
    for k in argnums if isinstance(argnums, tuple) else [argnums]:
        columns: list[Any] = []
        for j in range(12 if k == 0 else 1):
            values, tangents = [np.array([[i.a, *i.b] for i in ITEMS]), np.array(0.3)], [np.zeros((4, 3)), np.zeros(())]
            tangents[k].flat[j] = 1.0
            columns.append(along(values, tangents))
        parts.append(np.stack(columns, axis=1))
    assert np.allclose(sparse, np.concatenate(parts, axis=1), rtol=1e-14, atol=0)


def along(values: Any, tangents: Any) -> Any:
    """The tangent of `of_items`, by forward mode."""
    items = [
        {"a": Dual(x[0], d[0]), "k": 0, "b": [Dual(x[1], d[1]), Dual(x[2], d[2])], "on": True}
        for x, d in zip(values[0], tangents[0], strict=True)
    ]
    made = rose.jvp(of_items)(items, Dual(float(values[1]), float(tangents[1])))
    return np.array([z.du for row in made for z in (row.p, *row.q)])


@pytest.mark.parametrize("n", [2, 3, 17, 40])
def test_a_hessian_is_the_dense_one(n: int):
    x = numbers(n)
    sparse = rose.hessian(rosenbrock(n), sparse=True)(x)
    assert sparse.nnz == 3 * n - 2 and (sparse != sparse.T).nnz == 0
    assert np.allclose(sparse.toarray(), rose.hessian(rosenbrock(n))(x), rtol=1e-13, atol=0)


@fn
def arrow(x: Vec[20], y: Real) -> Real:
    return rose.sum(rose.sin(x[i]) * x[0] * y for i in rose.range(20))


def test_a_hessian_takes_few_products():
    hub = rose.sparsity(rose.grad(arrow)).by_row()
    assert colouring.count(colouring.of_symmetric(hub)) == 2
    x = numbers(20)
    sparse = rose.hessian(arrow, sparse=True)(x, 0.7)
    assert np.allclose(sparse.toarray(), rose.hessian(arrow)(x, 0.7), rtol=1e-13, atol=1e-15)


def test_a_hessian_in_several_parameters_is_one_matrix():
    x = numbers(20)
    dense = rose.hessian(arrow, (0, 1))(x, 0.7)
    wanted = np.block([[dense[0][0], dense[0][1][:, None]], [dense[1][0][None, :], np.reshape(dense[1][1], (1, 1))]])
    sparse = rose.hessian(arrow, (0, 1), sparse=True)(x, 0.7)
    assert sparse.shape == (21, 21) and np.allclose(sparse.toarray(), wanted, rtol=1e-13, atol=1e-15)


@fn
def odd(x: Vec[2]) -> Real:
    return x[0] * x[1]


@odd.jvp
def odd_rule(x: Any) -> Any:
    """No derivative of anything: the order of two of these matters, and the pattern does not show it."""
    return Dual(odd([x[0].re, x[1].re]), x[0].du * x[1].re + x[1].du * (5.0 * x[0].re))


def test_a_rule_that_is_no_derivative_gives_the_dense_hessian():
    def f(x: Any) -> Any:
        return odd([x[0], x[1]]) + x[0] ** 3 + x[2] ** 2

    f = fn([Vec[3]], Real)(f)
    dense = rose.hessian(f)([1.0, 2.0, 3.0])
    assert dense[0, 1] != dense[1, 0]
    assert (rose.hessian(f, sparse=True)([1.0, 2.0, 3.0]).toarray() == dense).all()


def test_a_mirror_image_that_is_missing_takes_no_star():
    @fn
    def cut(x: Vec[3]) -> Real:
        return x[0] * rose.sin(x[1]) + x[2]

    @cut.jvp
    def rule(x: Any) -> Any:
        return Dual(cut([x[k].re for k in range(3)]), x[0].du * rose.sin(x[1].re))

    assert cut.jvp is not None and rule is not None
    assert rose.hessian(cut, sparse=True)([1.0, 2.0, 3.0]).toarray().tolist() == [[0, np.cos(2.0), 0], [0] * 3, [0] * 3]


# functions in which there is nothing


@fn
def fixed(x: Vec[3]) -> Vec[2]:
    return [1.0, 2.0]


@fn
def nothing_in(x: Vec[0], y: Real) -> Vec[2]:
    return [y, y]


@fn
def nothing_out(x: Vec[3]) -> Vec[0]:
    return rose.vec(x[0] for _ in rose.range(0))


@fn
def straight(x: Vec[3]) -> Real:
    return x[0] + 2 * x[1]


@pytest.mark.parametrize(
    ("f", "args", "shape"),
    [(fixed, [[1, 2, 3]], (2, 3)), (nothing_in, [[], 1.0], (2, 0)), (nothing_out, [[1, 2, 3]], (0, 3))],
    ids=["fixed", "nothing in", "nothing out"],
)
def test_a_matrix_without_entries(f: Any, args: Any, shape: tuple[int, int]):
    made = rose.jacobian(f, sparse=True)(*args)
    assert made.shape == shape and made.nnz == 0


def test_a_hessian_without_entries():
    assert rose.hessian(straight, sparse=True)([1, 2, 3]).nnz == 0


def test_a_number_has_a_matrix_of_one():
    f = fn([Real], Real)(lambda x: x**3)
    assert rose.jacobian(f, sparse=True)(2.0).toarray().tolist() == [[12.0]]
    assert rose.hessian(f, sparse=True)(2.0).toarray().tolist() == [[12.0]]


# as any other function


def test_inside_a_function_it_has_rows_columns_and_values():
    @fn
    def product(x: Vec[30], v: Vec[30]) -> Vec[30]:
        jac = rose.jacobian(broyden, sparse=True)(x)
        y = rose.accum(rose.constant(Vec[30], [0.0] * 30))
        for k in rose.range(len(jac.values)):
            y[jac.rows[k]] += jac.values[k] * v[jac.cols[k]]
        return y.value

    x, v = numbers(30), numbers(30, 1)[:, 0]
    dense = rose.jacobian(broyden)(x)
    assert np.allclose(product(x, v), dense @ v, rtol=1e-13, atol=1e-13)
    check(rose.grad(fn([Vec[30]], Real)(lambda x: rose.sum(product(x, v)))).func)


def test_its_values_can_be_differentiated_again():
    f = rosenbrock(6)
    total = fn([Vec[6]], Real)(lambda x: rose.sum(rose.hessian(f, sparse=True)(x).values))
    wanted = fn([Vec[6]], Real)(lambda x: rose.sum(rose.sum(row) for row in [rose.hessian(f)(x)[k] for k in range(6)]))
    x = numbers(6)
    assert np.allclose(rose.grad(total)(x), rose.grad(wanted)(x), rtol=1e-12)
    assert np.allclose(rose.hessian(total)(x), rose.hessian(wanted)(x), rtol=1e-12)


def test_its_own_pattern_is_known():
    assert rose.sparsity(rose.jacobian(broyden, sparse=True)).nnz == 30  # only the diagonal moves, each with its own


def test_a_function_may_return_it():
    made = rose.jacobian(broyden, sparse=True)
    whole = fn([Vec[30]], made.result)(lambda x: made(x))
    x = numbers(30)
    assert (whole(x) != made(x)).nnz == 0


def test_it_uses_what_is_around_it():
    @fn
    def outer(x: Vec[4], y: Vec[4]) -> Vec[4]:
        inner = fn([Vec[4]], Vec[4])(lambda z: rose.vec(z[i] ** 2 * y[i] for i in rose.range(4)))
        return rose.jacobian(inner, sparse=True)(x).values

    assert outer([1, 2, 3, 4], [5, 6, 7, 8]).tolist() == [10, 24, 42, 64]


def test_in_single_precision():
    module = rose.compile(rose.hessian(rosenbrock(9), sparse=True), dtype="f32")
    made = module(numbers(9).astype(np.float32))
    assert made.dtype == np.float32
    assert np.allclose(made.toarray(), rose.hessian(rosenbrock(9))(numbers(9)), rtol=1e-5)


def test_with_two_turns_at_once_it_is_the_same():
    x, f = numbers(30), rose.jacobian(broyden, sparse=True)
    assert (rose.compile(f)(x) != rose.compile(f, simd=True)(x)).nnz == 0


def test_a_function_of_any_size_is_asked_for_its_size():
    n = rose.dim("n")
    f = fn([Vec[n]], Real)(lambda x: rose.sum(x[i] ** 3 for i in rose.range(n)))
    for ask in (lambda: rose.hessian(f, sparse=True), lambda: rose.jacobian(f, sparse=True)):
        with pytest.raises(RoseError, match=r"the pattern of .* is that of one size"):
            ask()
    assert rose.hessian(f.at(n=3), sparse=True)([1, 2, 3]).toarray().tolist() == np.diag([6.0, 12.0, 18.0]).tolist()


@pytest.mark.parametrize("derive", [rose.jacobian, rose.hessian])
def test_what_has_no_derivative_is_refused(derive: Any):
    f = fn([Fin[3]], Real)(lambda k: 1.0)
    with pytest.raises(RoseError, match="which has no derivative"):
        derive(f, sparse=True)
    with pytest.raises(RoseError, match="takes an @fn function"):
        derive(lambda x: x, sparse=True)


@pytest.mark.parametrize("derive", [rose.sparsity, lambda f: rose.jacobian(f, sparse=True)])
def test_a_jacobian_of_no_numbers_is_refused(derive: Any):
    with pytest.raises(RoseError, match="gives a Bool, which has no derivative"):
        derive(fn([Real], Bool)(lambda x: x > 0.0))
