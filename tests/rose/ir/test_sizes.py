"""Sizes that are inferred at a call, `rose.dim`: functions of any size, derivatives, vectors of no elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from harness import compiled, same

import rose
from rose import Bool, Dual, Fin, Fn, Real, Vec, fn
from rose.differentiation import gradients
from rose.host.interpreter import run
from rose.host.marshal import plain
from rose.ir import types
from rose.ir.check import check

AnyFn = Fn[..., Any]

n, m, k = rose.dim("n"), rose.dim("m"), rose.dim("k")

Row = Vec[n]


@rose.struct
class Line:
    b0: Real
    b: Vec[m]

    def at(self, x: Any) -> Any:
        return self.b0 + rose.sum(x[j] * self.b[j] for j in rose.range(m))


@dataclass
class Data:
    x: Vec[n, Vec[m]]
    y: Vec[n]


class Pair(NamedTuple):
    head: Vec[n]
    tail: Vec[n + 1]


@fn
def squares(x: Vec[n]) -> Real:
    return rose.sum(x[i] * x[i] for i in rose.range(n)) / (n + 1)


@fn
def product(a: Vec[n, Vec[m]], x: Vec[m]) -> Vec[n]:
    return rose.vec(rose.dot(a[i], x) for i in rose.range(n))


@fn
def loss(line: Line, data: Data) -> Real:
    total = rose.accum(0.0)
    for i in rose.range(n):
        total += (data.y[i] - line.at(data.x[i])) ** 2
    return total.value


@fn
def gather(x: Vec[n], at: Vec[m, Fin[n]]) -> Vec[m]:
    return rose.vec(x[at[j]] for j in rose.range(m))


@fn
def scattered(x: Vec[n], at: Vec[m, Fin[n]], w: Vec[m]) -> Vec[n]:
    total = rose.accum(x)
    for j in rose.range(m):
        total[at[j]] += w[j] * x[at[j]]
    return total.value


@fn
def outer(x: Vec[n], y: Vec[m]) -> Vec[n, Vec[m]]:
    return rose.vec(rose.vec(x[i] * y[j] for j in rose.range(m)) for i in rose.range(n))


@fn
def multiplied(a: Vec[n, Vec[m]], b: Vec[m, Vec[k]]) -> Vec[n, Vec[k]]:
    return rose.matmul(a, b)


@fn
def transposed(a: Vec[n, Vec[m]]) -> Vec[m, Vec[n]]:
    return rose.transpose(a)


@fn
def reduced(x: Vec[n]) -> Real:
    return rose.prod(x[i] for i in rose.range(n)) + rose.norm(x) * rose.dot(x, x)


@fn
def scanned(x: Vec[n]) -> Vec[n]:
    return rose.scan(lambda i, s: (rose.sin(s * x[i]), s), 1.0, n)[1]


@fn
def chosen(x: Vec[n]) -> Vec[n]:
    doubled = rose.vec(2 * x[i] for i in rose.range(n))
    return rose.cond(rose.sum(x) > 1.0, lambda: doubled, lambda: rose.select(rose.sum(x) < 0.5, x, doubled))


@fn
def halves(x: Vec[n], y: Vec[n // 2], z: Vec[2 * n]) -> Real:
    return rose.sum(y) * rose.sum(x[n // 2 :]) + rose.dot(z[:n], x)


@fn
def signs(x: Vec[n]) -> Vec[n, Bool]:
    return rose.vec(x[i] > 0.0 for i in rose.range(n))


def given(t: types.Type, rng: np.random.Generator) -> Any:
    """Any plain value of a type."""
    match t:
        case types.Vec():
            return tuple([given(t.elem, rng) for _ in range(t.size)])
        case types.Tuple():
            return tuple([given(s, rng) for s in t.items])
        case types.Fin():
            return int(rng.integers(t.size))
        case _:
            return float(rng.normal())


def agree(f: AnyFn, seed: int = 7) -> Any:
    """What a function gives in the interpreter, and to the bit in a module."""
    rng = np.random.default_rng(seed)
    args = [given(t, rng) for t in f.types]
    check(f.func)
    got = run(f.func, *args)
    assert same(got, compiled(f.func)(*args))
    return got


# one function, any size


def test_a_size_is_inferred_at_each_call_and_is_a_number_inside():
    assert [squares([1.0, 2.0]), squares((1.0, 2.0, 3.0)), squares(np.arange(4.0)), squares([])] == [
        5 / 3,
        14 / 4,
        14 / 5,
        0.0,
    ]


def test_a_size_is_traced_and_compiled_once():
    traced: list[int] = []

    @fn
    def f(x: Vec[n]) -> Real:
        traced.append(len(x))
        return rose.sum(x)

    for x in ([1.0], [1.0, 2.0], [3.0], np.ones(2)):
        f(x)
    rose.grad(f)([1.0])
    assert traced == [1, 2]
    assert f.at(n=2) is f.at(n=2)


def test_a_function_says_its_sizes_by_name():
    assert repr(product) == "<fn product(a: Vec[n, Vec[m]], x: Vec[m]) -> Vec[n]>"
    assert repr(rose.jacobian(product, 1)) == "<fn jacobian(product)(a: Vec[n, Vec[m]], x: Vec[m]) -> Vec[n, Vec[m]]>"
    assert repr(halves) == "<fn halves(x: Vec[n], y: Vec[n // 2], z: Vec[2 * n]) -> Real>"
    assert repr(rose.fn([Vec[(n + 1) * 2 - (m - 1)], Vec[n], Vec[m]], Real)(max).types[0]) == "Vec[2 * n - m + 3]"
    assert repr(product.at(n=2, m=3)) == "<fn product(a: Vec[2, Vec[3]], x: Vec[3]) -> Vec[2]>"


def test_arithmetic_with_sizes():
    assert halves([1.0, 2.0, 3.0], [4.0], [1.0] * 6) == 4.0 * 5.0 + 6.0
    assert halves([], [], []) == 0.0

    @fn
    def grid(x: Vec[n], y: Vec[m], z: Vec[n * m], w: Vec[n + m - 1]) -> Vec[n, Vec[m]]:
        return rose.vec(rose.vec(z[i * m + j] * w[i + j] for j in range(m)) for i in range(n))

    z, w = np.arange(6.0), np.arange(4.0)
    want = z.reshape(2, 3) * np.array([[w[i + j] for j in range(3)] for i in range(2)])
    np.testing.assert_array_equal(grid([0, 0], [0, 0, 0], z, w), want)


def test_a_size_is_a_number_in_every_way_that_python_has():
    @fn
    def f(x: Vec[n]) -> Vec[12]:
        assert n == len(x) and n != 4 and n < 4 and 4 > n and n and {n: 1}[n] and range(n)[-1] == 2
        assert (n % 2, 7 % n, n**2, 2**n, -n, abs(n), float(n), int(n), divmod(n, 2)) == (
            1, 1, 9, 8, -3, 3, 3.0, 3, (1, 1))  # fmt: skip
        assert (f"{n} {n + 1:02} {n!s}", repr(n)) == ("3 04 3", "n")
        return [x[0] * n, n * x[0], x[0] + n, n - x[0], x[0] / n, n / x[0], n // 2, 10 // n, rose.sqrt(n), n, 1.5 * n,
                rose.sum(np.ones(2) * n)]  # fmt: skip

    want = [6.0, 6.0, 5.0, 1.0, 2 / 3, 1.5, 1.0, 3.0, 3**0.5, 3.0, 4.5, 6.0]
    np.testing.assert_array_equal(f([2.0, 0.0, 0.0]), want)


def test_a_size_is_a_number_where_nothing_is_compiled():
    @fn
    def outer_of(x: Vec[n], y: Vec[m]) -> Real:
        return squares(x) * n + squares(y) * m + rose.sum(x[i] * y[i % m] for i in rose.range(n))

    for x, y in (([1.0, 2.0], [3.0]), ([1.0], [2.0, 3.0]), ([], [1.0])):
        with rose.eager():
            got = outer_of(x, y), [*rose.grad(outer_of)(x, y)]
        assert got == (outer_of(x, y), [*rose.grad(outer_of)(x, y)])


def test_structs_with_sizes():
    rng = np.random.default_rng(1)
    x, y, b = rng.normal(size=(5, 2)), rng.normal(size=5), rng.normal(size=2)
    r = y - 0.5 - x @ b
    line, data = Line(0.5, b), Data(x, y)
    np.testing.assert_allclose(loss(line, data), r @ r)
    in_line, in_data = rose.grad(loss, (0, 1))(line, {"x": x, "y": y})
    np.testing.assert_allclose([in_line.b0, *in_line.b], [-2 * r.sum(), *(-2 * r @ x)])
    np.testing.assert_allclose(in_data.x, -2 * np.outer(r, b))
    np.testing.assert_allclose(rose.hessian(loss)(line, data).b0.b, 2 * x.sum(axis=0))

    @rose.fn([Pair, tuple[Vec[m], Real]], {"a": Vec[n], "b": Vec[m]})
    def split(p: Any, q: Any) -> Any:
        return {"a": p.head, "b": rose.vec(x * n for x in [q[0][i] for i in range(m)])}

    got = split(Pair([1.0], [2.0, 3.0]), ([4.0, 5.0], 6.0))
    assert [list(got["a"]), list(got["b"])] == [[1.0], [4.0, 5.0]]


def test_functions_of_any_size_call_one_another_and_themselves():
    @fn
    def both(a: Vec[n, Vec[m]], x: Vec[m]) -> Real:
        @fn
        def inner(y: Vec[n], z: Vec[k]) -> Real:  # n is a number by now, k is any
            return rose.dot(y, y) * k + rose.sum(z)

        return squares(product(a, x)) + rose.vjp(squares)(x).grad(1.0)[0] + inner(product(a, x), [1.0, 2.0])

    @fn
    def horner(x: Vec[n], t: Real) -> Real:
        return x[0] + t * horner(x[1:], t) if n > 0 else 0.0

    a, x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, -2.0])
    y = a @ x
    np.testing.assert_allclose(both(a, x), y @ y / 4 + 2 * x[0] / 3 + 2 * y @ y + 3)
    np.testing.assert_allclose(rose.grad(both, 1)(a, x), a.T @ y * 4.5 + [2 / 3, 0])
    np.testing.assert_array_equal(rose.grad(horner)([1.0, 2.0, 3.0], 2.0), [1.0, 2.0, 4.0])


def test_a_helper_that_is_plain_python_has_the_sizes_of_its_caller():
    def scaled(x: Any) -> Any:
        return rose.vec(x[i] * n for i in rose.range(n))

    @fn
    def f(x: Vec[n]) -> Vec[n]:
        return scaled(x)

    assert [*f([1.0]), *f([1.0, 2.0])] == [1.0, 2.0, 4.0]


def test_a_type_with_a_size_may_have_a_name():
    @fn
    def f(x: Row) -> Real:
        @fn
        def g(y: Row, i: Fin[n]) -> Real:
            return y[i] * x[i]

        return rose.sum(g(x, i) for i in rose.range(n))

    assert f([1.0, 2.0]) == 5.0


def test_errors_inside_of_an_instance_name_the_sizes_of_what_is_called():
    @fn
    def f(x: Vec[n]) -> Real:
        return loss(Line(0.0, [1.0]), Data([x], [1.0, 2.0, 3.0]))

    with pytest.raises(rose.TypeMismatch, match=r"data.x\[0\] must have m = 1 elements, as line.b has, got 2"):
        f([1.0, 2.0])
    with pytest.raises(rose.TypeMismatch, match=r"data.y must have n = 1 elements, as data.x has, got 3"):
        f([1.0])


def test_threads():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(rose.sin(x[i]) for i in rose.range(n))

    def both(size: int) -> tuple[float, float]:
        return f([0.1] * size), sum(rose.grad(f)([0.1] * size))

    with ThreadPoolExecutor(8) as pool:
        got = [*pool.map(both, [k % 5 for k in range(40)])]
    np.testing.assert_allclose(got, [[k % 5 * np.sin(0.1), k % 5 * np.cos(0.1)] for k in range(40)])


# derivatives


def test_derivatives_are_of_any_size_too():
    a, x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([1.0, -2.0])
    np.testing.assert_allclose(rose.grad(squares)(x), 2 * x / 3)
    value, gradient = rose.value_and_grad(squares)(x)
    np.testing.assert_allclose([value, *gradient], [5 / 3, *(2 * x / 3)])
    np.testing.assert_allclose(rose.hessian(squares)(x), np.eye(2) * 2 / 3)
    np.testing.assert_allclose(rose.hvp(squares)(x, [1.0, 3.0]), [2 / 3, 2.0])
    for jacobian in (rose.jacobian, rose.jacfwd, rose.jacrev):
        np.testing.assert_allclose(jacobian(product, argnums=-1)(a, x), a)
    y, pull = rose.vjp(product)(a, x)
    np.testing.assert_allclose(y, a @ x)
    np.testing.assert_allclose(pull([1.0, 2.0, 3.0])[1], a.T @ [1.0, 2.0, 3.0])
    y, push = rose.linearize(product)(a, x=x)
    np.testing.assert_allclose(push(np.zeros((3, 2)), [1.0, 0.0]), a[:, 0])
    assert rose.jvp(squares)([Dual(1.0, 1.0), Dual(2.0, 0.0)]) == Dual(5 / 3, 2 / 3)
    np.testing.assert_allclose(rose.linear_transpose(rose.fn([Vec[n]], Vec[n])(lambda x: x))(x), x)
    np.testing.assert_allclose(rose.grad(f=squares)(x), 2 * x / 3)


def test_a_rule_is_given_once_for_all_sizes():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x)

    assert f([1.0, 2.0]) == 3.0  # there is an instance before the rule

    @f.jvp
    def _(x: Vec[n, Dual]) -> Dual:
        return Dual(f([x[i].re for i in range(n)]), rose.sum(x[i].du * n for i in rose.range(n)))

    for size in (0, 1, 2, 3):
        np.testing.assert_array_equal(rose.grad(f)([0.5] * size), [size] * size)


@pytest.mark.parametrize("size", [0, 1, 4])
def test_modules_have_the_sizes_that_they_are_compiled_for(size: int):
    x = np.linspace(1.0, 2.0, size)
    module = rose.compile({"value": squares, "grad": rose.grad(squares)}, n=size)
    assert module(x) == squares(x)
    np.testing.assert_array_equal(module.grad(x), 2 * x / (size + 1))
    assert rose.compile(squares.at(n=size)).wasm == rose.compile(squares, n=size).wasm
    assert str(module.signature) == f"(x: Vec[{size}]) -> Real"


def test_one_module_may_have_a_function_in_two_sizes():
    module = rose.compile({"one": squares.at(n=1), "two": squares.at(n=2), "product": product}, n=1, m=1)
    assert (module.one([2.0]), module.two([2.0, 2.0]), [*module.product([[2.0]], [3.0])]) == (2.0, 8 / 3, [6.0])


# no elements

EVERY: list[tuple[AnyFn, int]] = [
    (squares, 0), (product, 0), (product, 1), (loss, 0), (loss, 1), (gather, 0), (scattered, 0), (scattered, 2),
    (outer, 0), (multiplied, 1), (transposed, 0), (reduced, 0), (scanned, 0), (chosen, 0), (halves, 0),
]  # fmt: skip


def sizes_of(f: Any) -> list[dict[str, int]]:
    names = [d.text for d in f.dims]
    return [dict(zip(names, c, strict=True)) for c in itertools.product([0, 1, 3], repeat=len(names)) if 0 in c]


def derived(f: AnyFn, j: int) -> list[AnyFn]:
    if f.result is Real:
        return [
            f,
            rose.grad(f, j),
            rose.hessian(f, j),
            rose.jacfwd(rose.grad(f, j), j),
            gradients.pullback(rose.grad(f, j)),
        ]
    return [
        f,
        rose.jacfwd(f, j),
        rose.jacrev(f, j),
        rose.jacrev(rose.jacfwd(f, j), j),
        gradients.pullback(f),
        rose.jvp(f),
    ]


@pytest.mark.parametrize(("f", "j"), EVERY, ids=[f"{f.name} in {f.names[j]}" for f, j in EVERY])
def test_vectors_of_no_elements(f: Any, j: int):
    for sizes in sizes_of(f):
        for g in derived(f.at(**sizes), j):
            nothing = any([t.elem == types.Fin(0) and t.size for t in g.types if isinstance(t, types.Vec)])
            if nothing:  # no value is of such a type, but a module there is
                rose.compile(g)
            else:
                agree(g)


def test_derivatives_in_nothing():
    def shape(x: Any) -> tuple[int, ...]:
        return np.asarray(x).shape

    assert shape(rose.hessian(squares)([])) == (0, 0)
    assert shape(rose.jacobian(product, 1)(np.zeros((0, 3)), [1.0, 2.0, 3.0])) == (0, 3)
    assert shape(rose.jacobian(product, 1)(np.zeros((3, 0)), [])) == (3, 0)
    assert shape(rose.jacobian(product, 0)(np.zeros((3, 0)), [])) == (3, 3, 0)
    assert (squares([]), rose.vjp(squares)([]).grad(1.0).shape, rose.hvp(squares)([], []).shape) == (0.0, (0,), (0,))
    assert rose.linearize(squares)([])[1]([]) == 0.0
    assert rose.jvp(squares)([]) == Dual(0.0, 0.0)


def test_arrays_of_no_elements():
    np.testing.assert_array_equal(product(np.zeros((0, 3)), [1.0, 2.0, 3.0]), np.zeros(0))
    np.testing.assert_array_equal(product(np.zeros((3, 0)), np.zeros(0)), np.zeros(3))
    assert multiplied(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == [[0.0] * 3] * 2
    assert transposed(np.zeros((0, 3))).shape == (3, 0)
    assert [*product([], [1.0])] == []
    assert loss(Line(1.0, []), Data(np.zeros((2, 0)), [2.0, 3.0])) == 5.0
    got = rose.grad(loss)(Line(1.0, [2.0]), Data(np.zeros((0, 1)), []))
    assert (got.b0, [*got.b]) == (0.0, [0.0])


@pytest.mark.parametrize("size", [0, 1, 2, 5])
@pytest.mark.parametrize("f", [squares, reduced, scanned, chosen, signs], ids=lambda f: f.name)
def test_a_function_of_any_size_is_that_of_the_size(f: Any, size: int):
    x = np.linspace(-0.5, 2.0, size)
    same_size: Callable[..., Any] = rose.fn(
        [Vec[size]], types.Vec(size, f.result.elem) if f.result is not Real else Real
    )(lambda x: f(x))
    assert np.array_equal(f(x), same_size(x))
    agree(f.at(n=size))
    assert same(plain(f(x), f.at(n=size).result), run(f.at(n=size).func, tuple(x.tolist())))
