"""`rose.compile(f, dynamic=True)`: one module for every size gives the bits of a module for each."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from harness import same
from pairs import seeds

import rose
from rose import Fin, Fn, Real, Vec, fn
from rose.frontend.any_size import AnySize, open_sizes
from rose.frontend.operators import view
from rose.frontend.values import infer
from rose.host.argument_sizes import measured
from rose.host.marshal import plain
from rose.ir import types
from rose.ir.check import check
from rose.ir.sizes import Size, at_most, sized
from tests.rose.ir.test_sizes import (
    chosen,
    gather,
    loss,
    multiplied,
    outer,
    product,
    scanned,
    scattered,
    signs,
    squares,
    transposed,
)

AnyFn = Fn[..., Any]

n, m, k = rose.dim("n"), rose.dim("m"), rose.dim("k")


@rose.struct
class Cloud:
    mass: Real
    at: Vec[n, Vec[2]]
    last: Fin[7]
    speed: Vec[n, tuple[Real, Real]]


@fn
def mean(x: Vec[n], w: Vec[n + 1]) -> Real:
    return (rose.sum(x) * w[0] + w[-1]) / (n + 1)


@fn
def variance(x: Vec[n]) -> Real:
    average = rose.sum(x) / n
    return rose.sum((x[i] - average) ** 2 for i in rose.range(n)) / (n + 1)


@fn
def differences(x: Vec[n], y: Vec[n + 1]) -> Vec[n]:
    return rose.vec((y[i + 1] - y[i]) * x[i] for i in rose.range(n))


@fn
def ring(x: Vec[n]) -> Real:
    return rose.sum(x[i] * x[(i + 1) % n] * rose.sin(x[(i + (n - 1)) % n]) for i in rose.range(n))


@fn
def flat(x: Vec[n], y: Vec[m], z: Vec[n * m]) -> Vec[n, Vec[m]]:
    return rose.vec(rose.vec(z[i * m + j] * x[i] * y[j] for j in rose.range(m)) for i in rose.range(n))


@fn
def pulled(c: Cloud) -> Cloud:
    middle = [rose.sum(c.at[i][d] for i in rose.range(n)) * c.mass for d in (0, 1)]
    at = rose.vec([c.at[i][0] + c.speed[i][0], c.at[i][1] - middle[1]] for i in rose.range(n))
    return Cloud(c.mass * middle[0], at, c.last, rose.vec((c.speed[i][1], middle[0] * c.mass) for i in rose.range(n)))


@fn
def stepped(x: Vec[n]) -> Vec[n]:
    """A state that is a vector, for n iterations."""
    iteration = lambda i, s: rose.vec(rose.sin(s[j]) + x[j] * s[i] for j in rose.range(n))
    return rose.scan(iteration, x, n)


@fn
def settled(x: Vec[n]) -> Vec[n]:
    """Vectors on a tape that grows."""
    iteration = lambda s: (rose.vec(s[0][i] * 1.5 + x[i] for i in rose.range(n)), s[1] + rose.dot(s[0], s[0]) + 0.25)
    return rose.while_loop(lambda s: s[1] < 3.0, iteration, (x, 0.0))[0]


@fn
def either(x: Vec[n], y: Vec[n]) -> Vec[n]:
    then = lambda: rose.vec(rose.exp(x[i]) * y[i] for i in rose.range(n))
    return rose.cond(rose.dot(x, y) > 0.0, then, lambda: y)


@fn
def through(x: Vec[n], a: Real) -> Real:
    @fn
    def each(y: Vec[k], b: Real) -> Real:
        return rose.sum(rose.tanh(y[i] * b) for i in rose.range(k)) * a

    rows = rose.vec(each(x, x[i]) for i in rose.range(n))
    return each(rows, a) + squares(rows)


@fn
def bent(x: Vec[n]) -> Vec[n]:
    """A derivative inside."""
    g = rose.grad(variance)(x)
    return rose.vec(g[i] * x[i] for i in rose.range(n))


POOL: list[AnySize] = [
    mean, variance, differences, ring, flat, pulled, stepped, settled, either, through, bent, squares, product, loss,
    gather, scattered, outer, multiplied, transposed, scanned, chosen, signs,
]  # fmt: skip
SIZES = [{"n": a, "m": b, "k": c} for a, b, c in [(3, 2, 4), (1, 1, 1), (0, 2, 0), (5, 0, 1), (17, 3, 2), (3, 2, 4)]]


def total(t: types.Type, x: Any) -> Any:
    """A number from all numbers of a value."""
    if isinstance(t, types.Vec):
        return rose.sum(total(t.elem, x[i]) * (i + 1.0) for i in rose.range(t.size))
    if isinstance(t, types.Tuple):
        assert t.form is None or not t.form.is_dict
        parts = [getattr(x, j) for j in t.form.fields] if t.form is not None else [x[j] for j in range(len(t.items))]
        return sum([total(s, y) for s, y in zip(t.items, parts, strict=True)], 0.0)
    return x * x + x if t is Real else 0.0


def summed(f: AnySize) -> AnyFn:
    """A function to a number."""
    return rose.fn(f.types, Real)(lambda *xs: total_of(f(*xs)))


def total_of(x: Any) -> Any:
    v = infer(x)
    return total(v.type, view(v))


def given(t: types.Type, r: random.Random) -> Any:
    """Any plain value of a type."""
    match t:
        case types.Vec():
            made = [given(t.elem, r) for _ in range(t.size)]
            shape, elem = shape_of(t)
            return np.array(made).reshape(shape) if elem is Real else made
        case types.Tuple():
            xs = [given(s, r) for s in t.items]
            return t.form.make(xs) if t.form is not None else tuple(xs)
        case types.Fin():
            return r.randrange(max(t.size, 1))
        case _:
            return r.gauss(0.0, 1.0)


def shape_of(t: types.Type) -> tuple[tuple[int, ...], types.Type]:
    """The sizes of vectors in vectors, and what they hold."""
    if not isinstance(t, types.Vec):
        return (), t
    sizes, elem = shape_of(t.elem)
    return (t.size, *sizes), elem


def arguments(f: AnyFn, sizes: dict[str, int]) -> list[Any]:
    r = random.Random(7)
    return [given(sized(t, sizes), r) for t in f.types]


def fits(f: AnySize, sizes: dict[str, int]) -> bool:
    """True if there are arguments: an index into nothing is none."""
    return f not in (gather, scattered) or sizes["n"] > 0 or sizes["m"] == 0


DERIVED: list[Callable[[AnyFn], AnyFn]] = [
    lambda f: f,
    rose.jvp,
    rose.value_and_grad,
    rose.hessian,
    lambda f: rose.jvp(rose.grad(f)),
    lambda f: rose.grad(summed(rose.grad(f))),
    lambda f: rose.jvp(rose.jvp(rose.grad(f))),
    lambda f: rose.grad(summed(rose.hessian(f))),
]


def bits(x: Any) -> Any:
    """A result, so that equal ones have equal bits."""
    if isinstance(x, np.ndarray):
        return x.shape, x.tobytes()
    if isinstance(x, float):
        return np.float64(x).tobytes()
    if hasattr(x, "__dataclass_fields__"):
        return [bits(getattr(x, j)) for j in x.__dataclass_fields__]
    return [bits(y) for y in x] if isinstance(x, (list, tuple)) else x


def is_told(f: AnySize, args: list[Any]) -> bool:
    """True if the arguments tell the sizes: a list of no lists does not."""
    try:
        measured(f.name, f.names, f.types, args)
    except rose.TypeMismatch:
        return False
    return True


def agree(f: AnySize, sizes: dict[str, int], module: Any) -> None:
    """The module for every size gives the bits of the one for these."""
    args = arguments(f, sizes)
    if not is_told(f, args):
        assert not all(sizes.values())
        return
    known = {d.text: sizes[d.text] for d in f.dims}
    t = sized(f.result, known)
    got, want = module(*args), rose.compile(f, **known)(*args)
    if all(sizes.values()):
        assert bits(got) == bits(want), (f.name, sizes)
    else:  # where there is nothing to add, the zero that comes out may have another sign
        assert same(plain(got, t), plain(want, t)) or plain(got, t) == plain(want, t), (f.name, sizes)


def can_be(derive: Callable[[AnyFn], AnyFn], f: AnySize) -> bool:
    return derive in DERIVED[:2] or f.result is Real or f is not signs


@pytest.mark.parametrize("f", POOL, ids=lambda f: f.name)
def test_one_module_gives_the_bits_of_a_module_for_each_size(f: AnySize):
    for derive in DERIVED:
        if f is signs and derive is not DERIVED[0]:
            continue  # it has no derivative
        of_reals = f if derive in DERIVED[:2] or f.result is Real else summed(f)
        g = derive(of_reals)
        assert isinstance(g, AnySize)
        check(g.at(**open_sizes(g)).func)
        module = rose.compile(g, dynamic=True)
        for sizes in SIZES:
            if fits(f, sizes):
                agree(g, sizes, module)


# random programs

STEPS: list[Callable[[Any, Any, random.Random], Any]] = [
    lambda x, y, r: rose.vec(rose.sin(x[i]) * y[i] for i in rose.range(n)),
    lambda x, y, r: rose.vec(x[(i + 1) % n] - x[i] for i in rose.range(n)),
    lambda x, y, r: rose.vec(x[i] / (1.0 + rose.dot(x, y) ** 2) for i in rose.range(n)),
    lambda x, y, r: rose.scan(lambda i, s: (rose.tanh(s + x[i]), s * y[i]), r.random(), n)[1],
    lambda x, y, r: rose.scan(lambda i, s: rose.vec(s[j] * 0.5 + x[i] for j in rose.range(n)), y, n),
    lambda x, y, r: rose.cond(rose.sum(x) > r.gauss(0, 1), lambda: x, lambda: rose.vec(-v * v for v in each(x))),
    lambda x, y, r: rose.while_loop(lambda s: rose.dot(s, s) > 1.0, lambda s: rose.vec(v * 0.5 for v in each(s)), x),
    lambda x, y, r: rose.grad(squares)(x),
    lambda x, y, r: rose.vec(rose.sum(x[i] * y[j] for j in rose.range(n)) for i in rose.range(n)),
    lambda x, y, r: accumulated(x, y),
    lambda x, y, r: rose.vec(rose.select(x[i] > y[i], x[i] * x[i], rose.exp(-(y[i] ** 2))) for i in rose.range(n)),
]


def each(x: Any) -> Any:
    return (x[i] for i in rose.range(n))


def accumulated(x: Any, y: Any) -> Any:
    total = rose.accum(y)
    for i in rose.range(n):
        total[(i + (n - 1)) % n] += x[i] * y[i]
    return total.value


def random_program(seed: int) -> AnySize:
    def body(x: Any, y: Any) -> Any:
        r = random.Random(seed)
        for _ in range(r.randrange(1, 5)):
            x, y = r.choice(STEPS)(x, y, r), x
        return rose.dot(x, y)

    return rose.fn([Vec[n], Vec[n]], Real)(body)  # pyright: ignore[reportReturnType]


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(8, 20))
def test_random_programs_and_their_derivatives(seed: int):
    f = random_program(seed)
    for derive in random.Random(seed).sample(DERIVED, 3):
        g = derive(f)
        assert isinstance(g, AnySize)
        module = rose.compile(g, dynamic=True)
        for sizes in SIZES:
            agree(g, sizes, module)


# what no iteration changes stays in a loop that may have none: in parts of branches and of while loops, too


def repeated(step: Callable[[Any, Any, Any], Any]) -> AnySize:
    whole = lambda x, y: rose.while_loop(lambda s: s[1] < 3.0, lambda s: (step(s[0], x, y), s[1] + 1.0), (y, 0.0))[0]
    return rose.fn([Vec[n], Real], Real)(whole)  # pyright: ignore[reportReturnType]


def decided(arm: Callable[[Any, Any], Any]) -> AnySize:
    whole = lambda x, y: rose.cond(y > 5.0, lambda: y, lambda: arm(x, y))
    return rose.fn([Vec[n], Real], Real)(whole)  # pyright: ignore[reportReturnType]


WITH_PARTS = {
    "a sum of a constant, repeated": repeated(lambda s, x, y: rose.sum(rose.log(y) for _ in rose.range(n))),
    "a sum, repeated": repeated(lambda s, x, y: 0.1 * s + rose.sum(rose.sin(y) * x[i] for i in rose.range(n))),
    "a scan, repeated": repeated(lambda s, x, y: rose.scan(lambda i, q: q * rose.sin(y), s, n)),
    "a sum in a branch": decided(lambda x, y: rose.sum(rose.log(y) for _ in rose.range(n))),
    "a scan in a branch": decided(
        lambda x, y: rose.sum(rose.scan(lambda i, s: rose.vec(x[i] / (1.5 + x[i] * x[i]) for _ in rose.range(n)), x, n))
    ),
}


@pytest.mark.parametrize("name", WITH_PARTS)
def test_gradients_through_parts_have_the_bits_of_a_module_for_each_size(name: str):
    gradient, r = rose.grad(WITH_PARTS[name], (0, 1)), random.Random(3)
    module = rose.compile(gradient, dynamic=True)
    for size in (1, 3, 8):
        fixed = rose.compile(gradient, n=size)
        for _ in range(20):
            args = [r.uniform(0.1, 1.0) for _ in range(size)], r.uniform(0.1, 0.99)
            (dx, dy), (other_dx, other_dy) = module(*args), fixed(*args)
            assert bits([*dx, dy]) == bits([*other_dx, other_dy])


# what a module for every size is


def test_functions_of_one_module_need_only_the_memory_of_what_is_called():
    module = rose.compile({"f": product, "g": rose.jacrev(product)}, dynamic=True)
    big, x = np.ones((2_000, 2_000)), np.arange(2_000.0)
    np.testing.assert_allclose(module.f(big, x), big @ x)
    with pytest.raises(rose.TooLarge, match="vectors of these sizes need more memory than WebAssembly has"):
        module.g(big, x)  # which has 2,000 ** 3 numbers
    np.testing.assert_allclose(module.f(big, x), big @ x)
    np.testing.assert_array_equal(module.g(big[:1, :2], x[:2])[0][0], [0.0, 1.0])


def test_a_size_below_zero_is_refused_and_what_was_there_stays():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(rose.sum(x) + i for i in rose.range(n - 2))

    module = rose.compile(f, dynamic=True)
    assert module([1.0, 2.0, 3.0]) == 6.0
    for _ in range(2):
        with pytest.raises(rose.OutOfRange, match="a vector or a loop of the function has a size below zero"):
            module([1.0])
    assert module([1.0, 2.0, 3.0]) == 6.0 and module([1.0, 2.0]) == 0.0


def test_what_a_loop_without_iterations_divides_by_is_not_divided_by_before_it():
    @fn
    def f(x: Vec[n], i: Fin[7]) -> Real:
        return rose.sum(x[i % n] * x[j] for j in rose.range(n))

    module = rose.compile(f, dynamic=True)
    assert module([1.0, 2.0, 3.0], 4) == 12.0 and module([], 4) == 0.0


def test_functions_of_several_sizes_in_one_module():
    module = rose.compile({"f": product, "g": squares, "h": rose.fn([Real], Real)(lambda x: x * x)}, dynamic=True)
    for size in (1, 4, 2, 4):
        x = np.arange(1.0, size + 1)
        assert module.g(x) == squares(x) and module.h(3.0) == 9.0
        np.testing.assert_array_equal(module.f([x, x, x], x), [x @ x] * 3)


def test_some_sizes_may_be_given():
    module = rose.compile(product, dynamic=True, m=2)
    np.testing.assert_array_equal(module([[1, 2], [3, 4], [5, 6]], [1, 1]), [3, 7, 11])
    with pytest.raises(rose.TypeMismatch, match="x must have 2 elements, got 3"):
        module([[1, 2]], [1, 1, 1])


def test_calls_as_of_any_module():
    module = rose.compile(product, dynamic=True)
    a, x = np.arange(6.0).reshape(2, 3), np.ones(3)
    out = np.empty(2)
    assert module.call([a, x], out=out) is out and [*out] == [3.0, 12.0]
    assert [*module(x=x, a=a)] == [3.0, 12.0] and [*module.call([a, x], view=True)] == [3.0, 12.0]
    again = pickle.loads(pickle.dumps(module))
    assert [*again(a, x)] == [3.0, 12.0]
    assert str(module.signature) == "(a: Vec[n, Vec[m]], x: Vec[m]) -> Vec[n]"
    with ThreadPoolExecutor(8) as pool:
        got = [*pool.map(lambda s: float(module(np.ones((1, s)), np.ones(s))[0]), [j % 7 for j in range(100)])]
    assert got == [float(j % 7) for j in range(100)]


def test_what_is_printed_has_the_size_of_the_call(capsys: pytest.CaptureFixture[str]):
    @fn
    def f(x: Vec[n], y: Vec[m, Vec[n]]) -> Real:
        rose.print("{} of {}, {:.1f}", x, y, rose.sum(x))
        rose.assert_(rose.sum(x) < 10.0, "small")
        return rose.dot(x, x)

    module = rose.compile({"f": f, "g": rose.grad(f)}, dynamic=True)
    for x, y in (([1.0], [[2.0]]), ([1.0, 2.0], [[3.0, 4.0], [5.0, 6.0]]), ([], []), ([3.0], [[4.0], [5.0]])):
        y = np.array(y).reshape(len(y), len(x))
        for g in (module.f, module.g):
            g(x, y)
            assert capsys.readouterr().out == f"{x} of {y.tolist()}, {sum(x):.1f}\n"
    with pytest.raises(rose.AssertionFailed, match="small"):
        module.f([20.0], [[1.0]])


def test_single_precision():
    module = rose.compile({"f": variance, "g": rose.grad(variance)}, dynamic=True, dtype="f32")
    for size in (1, 2, 9):
        x = np.linspace(0, 1, size).astype(np.float32)
        static = rose.compile({"f": variance, "g": rose.grad(variance)}, n=size, dtype="f32")
        assert module.f(x) == static.f(x) and module.g(x).tobytes() == static.g(x).tobytes()


def test_code_does_not_grow_with_what_is_called():
    module = rose.compile(rose.grad(variance), dynamic=True)
    size = len(module.wasm)
    module(np.ones(100_000))
    assert size == len(module.wasm) < 2_000


def test_what_is_certain_of_sizes_holds_for_each():
    """Of quotients and rests: an index that is certainly in a vector needs no look at its size."""
    n = rose.dim("n")
    sizes = [
        0,
        1,
        3,
        n,
        n + 2,
        2 * n,
        n // 4,
        4 * (n // 4),
        4 * (n // 4) + 3,
        n % 4,
        4 * (n // 4) + n % 4,
        8 * (n // 4),
    ]
    sizes += [4 * (n // 4) - 3, n // 4 + n % 4, 2 * (n % 4), (n + 3) // 4, 4 * ((n + 3) // 4)]
    certain = [(x, y) for x in sizes for y in sizes if at_most(x, y)]
    for x, y in certain:
        for k in range(40):
            a, b = [z.at({"n": k}) if isinstance(z, Size) else z for z in (x, y)]
            assert a <= b, (x, y, k)
    whole = 4 * (n // 4)
    assert all([at_most(x, n) for x in (whole, whole - 3, whole + n % 4, n % 4)]) and at_most(n, whole + n % 4)
    assert not at_most(whole + 3, n) and not at_most(n, whole)


def test_what_cannot_be_below_zero_in_one_function_may_be_in_another():
    n = rose.dim("n")
    f = rose.fn([Vec[n]], Real)(lambda x: rose.scan(lambda i, s: x[i] * s, 1.0, n))
    module = rose.compile({"one": rose.grad(f), "two": rose.grad(f)}, dynamic=True)
    assert module["one"]([]).tolist() == module["two"]([]).tolist() == []
