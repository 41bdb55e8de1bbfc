"""The law of columns: a column of a Hessian is a product with a unit vector, and one of a Jacobian a derivative, to
the bit, however many directions a sweep has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from access_programs import GUARDS, SHAPES, Random, point, program
from control_programs import CASES, Case
from derivative_programs import sin
from harness import reals, same
from pairs import rest_in_fuzz, rotated, seeds

import rose
from rose import Bool, Dual, Fin, Real, Vec
from rose.differentiation import sweeps
from rose.differentiation.flatten import Flat
from rose.frontend.function import Fn
from rose.host.interpreter import run
from rose.host.marshal import plain
from tests.fuzz.derivatives import pairs, twin

AnyFn = Fn[..., Any]


def compiled(f: AnyFn, **options: Any) -> Callable[..., Any]:
    module = rose.compile(f, **options)
    return lambda *args: plain(module(*args), f.result)


def interpreted(f: AnyFn) -> Callable[..., Any]:
    return lambda *args: run(f.func, *args)


def units(f: AnyFn) -> Iterator[Any]:
    """The unit vectors of the first parameter."""
    flat = Flat(f.types[0])
    to = interpreted(rose.fn([Vec[flat.size]], f.types[0])(flat.value))
    for k in range(flat.size):
        yield to([float(j == k) for j in range(flat.size)])


def transposed(rows: list[list[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*rows, strict=True)]


def hold(f: AnyFn, xs: list[Any], how: Callable[[AnyFn], Callable[..., Any]] = interpreted) -> None:
    """The columns of the Hessian of `f` are its products with the unit vectors; so are those of its gradient's
    Jacobian."""
    t, n = f.types[0], Flat(f.types[0]).size
    product, along = how(rose.hvp(f)), how(rose.jvp(rose.grad(f)))
    zeros = [plain_zero(y) for y in xs[1:]]
    products, derivatives = list[list[float]](), list[list[float]]()
    for v in units(f):
        products.append([*reals(product(*xs, v), t)])
        duals = [twin(y, d, s) for y, d, s in zip(xs, (v, *zeros), f.types, strict=True)]
        derivatives.append([du for _, du in pairs(along(*duals), t)])
    for made, columns in ((rose.hessian(f), products), (rose.jacfwd(rose.grad(f)), derivatives)):
        numbers = [*reals(how(made)(*xs), made.result)]
        rows = [numbers[n * i : n * (i + 1)] for i in range(n)]
        assert same(transposed(rows), columns)


def plain_zero(x: Any) -> Any:
    return tuple(map(plain_zero, x)) if isinstance(x, tuple) else 0.0


ALL = [(shape, guard) for shape in SHAPES for guard in GUARDS]


@pytest.mark.parametrize(("shape", "guard"), rest_in_fuzz(ALL, rotated([*SHAPES], [*GUARDS], each=2)))
def test_the_columns_of_any_access(shape: str, guard: str):
    f = program(shape, guard, 3)
    hold(f, point(f))


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_the_columns_of_branches_and_loops(case: Case):
    hold(case.fn, [case.at])


@pytest.mark.parametrize("seed", seeds(20, 60, quick=4))
def test_the_columns_of_random_programs(seed: int):
    f = Random(seed, 3).program()
    hold(f, point(f))


def chained(n: int) -> AnyFn:
    """A function that reads each number, and its neighbour, in a loop and in a call."""
    g = rose.fn([Real, Real], Real)(lambda x, y: rose.exp(-x * y) * rose.sin(x))
    return rose.fn([Vec[n]], Real)(
        lambda x: rose.sum(g(x[i], x[(i + 1) % max(n, 1)]) + rose.abs(x[i]) ** 3 for i in rose.range(n))
    )


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 18, 20])
def test_the_columns_of_any_number_of_directions(n: int):
    f = chained(n)
    hold(f, point(f))


@pytest.mark.parametrize("options", [{}, {"simd": True}, {"dtype": "f32"}])
@pytest.mark.parametrize("n", [3, 17, 40])
def test_the_columns_that_a_module_computes(n: int, options: dict[str, Any]):
    f = chained(n)
    hold(f, point(f), lambda g: compiled(g, **options))


# however many directions a sweep has


@rose.struct
class Body:
    mass: Real
    at: Vec[2]
    alive: Bool
    cell: Fin[3]


@rose.struct
class World:
    bodies: Vec[2, Body]
    scale: Real


V3, ROWS = Vec[3], Vec[3, Vec[2]]
BODIES = (((1.5, (0.3, 0.4), True, 2), (0.7, (-0.2, 0.9), False, 0)), 2.0)


def ruled() -> Any:
    """A product with a rule of its own, in two numbers."""
    f = rose.fn([V3, Real], V3)(lambda v, y: rose.vec(v[i] * y for i in rose.range(3)))
    f.jvp(lambda v, y: Dual(f(v.re, y.re), rose.vec(2.0 * v.du[i] * y.re + v.re[i] * y.du for i in rose.range(3))))
    return f


def added(x: Any) -> Any:
    total = rose.accum([[0.0, 0.0], [0.0, 0.0]])
    for i in rose.range(3):
        total[i % 2][0] += x[i] * x[(i + 1) % 3]
        total[1] += [x[i], rose.exp(x[i])]
    return total.value


def pulled(w: Any) -> Any:
    """The centre of what is alive, and how far each is from the next."""
    far = lambda b, c: (b.at[0] - c.at[0]) ** 2 + b.mass * b.at[1] * w.scale
    living = lambda b: rose.select(b.alive, b.mass * b.at[b.cell % 2], 0.0)
    return (
        rose.sum(living(w.bodies[i]) for i in rose.range(2)),
        rose.vec([far(w.bodies[i], w.bodies[(i + 1) % 2]), w.scale] for i in rose.range(2)),
    )


def rooted(x: Any) -> Any:
    root = lambda a: rose.while_loop(lambda y: rose.abs(y * y - a) > 1e-9, lambda y: (y + a / y) / 2.0, 1.0)
    return rose.vec(root(1.0 + x[i] ** 2) for i in rose.range(3))


def recurrent(x: Any) -> Any:
    step = lambda i, s: (rose.vec(rose.sin(s[0][k] * x[i]) for k in rose.range(3)), s[1] + s[0][i])
    return rose.scan(step, (x, 0.5), 3, checkpoint="sqrt")


def forked(x: Any) -> Any:
    f = rose.fn([V3, Real], Real)(lambda v, y: rose.cond(y > 0.0, lambda: v[0] * rose.exp(y), lambda: v[1] / y))
    return rose.vec(f(x, x[i]) for i in rose.range(3))


MANY: dict[str, tuple[Callable[[], AnyFn], tuple[Any, ...]]] = {
    "a row for each number": (lambda: rose.fn([V3], ROWS)(rows), ((0.3, -0.4, 1.2),)),
    "rows": (lambda: rose.fn([ROWS], V3)(lambda x: rose.vec(rose.norm(x[i]) for i in rose.range(3))), (
        ((0.3, 0.4), (1.0, -2.0), (0.7, 0.1)),
    )),
    "rows without columns": (lambda: rose.fn([Vec[3, Vec[0]]], V3)(lambda x: [1.0, 2.0, 3.0]), (((), (), ()),)),
    "nothing": (lambda: rose.fn([Vec[0]], V3)(lambda x: [rose.sum(x), 1.0, 2.0]), ((),)),
    "nothing of something": (lambda: rose.fn([V3], Vec[0])(lambda x: []), ((1.0, 2.0, 3.0),)),
    "what it does not read": (lambda: rose.fn([V3, Real], V3)(lambda x, y: [y, y * y, 1.0]), ((1.0, 2.0, 3.0), 0.5)),
    "structs": (lambda: rose.fn([World], tuple[Real, Vec[2, Vec[2]]])(pulled), (BODIES,)),
    "a number": (lambda: rose.fn([Real], V3)(lambda x: [x, rose.sin(x), x**3]), (0.7,)),
    "accumulators": (lambda: rose.fn([V3], Vec[2, Vec[2]])(added), ((0.3, -0.4, 1.2),)),
    "a while loop": (lambda: rose.fn([V3], V3)(rooted), ((0.3, -0.4, 1.2),)),
    "a scan": (lambda: rose.fn([V3], tuple[V3, Real])(recurrent), ((0.3, -0.4, 1.2),)),
    "a branch": (lambda: rose.fn([V3], V3)(forked), ((0.3, -0.4, 1.2),)),
    "a rule": (lambda: rose.fn([V3], V3)(of_rule), ((0.3, -0.4, 1.2),)),
    "a host function": (lambda: rose.fn([V3], V3)(of_host), ((0.3, -0.4, 1.2),)),
}  # fmt: skip


def rows(x: Any) -> Any:
    return rose.vec([rose.exp(x[i] * x[0]), rose.select(x[i] > 0.0, rose.sqrt(x[i]), x[2])] for i in rose.range(3))


def of_rule(x: Any) -> Any:
    f = ruled()
    return f(f(x, x[1]), rose.sin(x[2]))


def of_host(x: Any) -> Any:
    return rose.vec(sin(x[i] * x[(i + 1) % 3]) for i in rose.range(3))


def numbers_of(f: AnyFn) -> AnyFn:
    """The sum of the sines of what `f` gives."""
    flat = Flat(f.result)
    one = lambda *xs: (lambda v: rose.sum(rose.sin(v[i]) for i in rose.range(flat.size)))(flat.vector(f(*xs)))
    return rose.fn(list(f.types), Real)(one)


DERIVED: dict[str, Callable[[AnyFn], AnyFn]] = {
    "jacfwd": rose.jacfwd,
    "jacobian": rose.jacobian,
    "jacfwd of jacfwd": lambda f: rose.jacfwd(rose.jacfwd(f)),
    "jacrev of jacfwd": lambda f: rose.jacrev(rose.jacfwd(f)),
}


def one_by_one_and_several(name: str, derived: Callable[[AnyFn], AnyFn], patch: pytest.MonkeyPatch) -> list[Any]:
    """What a derivative gives, interpreted and compiled, with one direction in a sweep and with several."""
    make, xs = MANY[name]
    found = list[Any]()
    for several in ((1,), sweeps.SEVERAL, (2,)):
        patch.setattr(sweeps, "SEVERAL", several)
        f = derived(make())
        found += [interpreted(f)(*xs), compiled(f)(*xs)]
    return found


@pytest.mark.parametrize("what", DERIVED)
@pytest.mark.parametrize("name", MANY)
def test_the_bits_are_those_of_one_direction_at_a_time(name: str, what: str, monkeypatch: pytest.MonkeyPatch):
    first, *others = one_by_one_and_several(name, DERIVED[what], monkeypatch)
    assert all([same(x, first) for x in others])


@pytest.mark.parametrize("name", MANY)
def test_a_gradient_through_a_jacobian_sums_over_directions_in_another_order(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    t = MANY[name][0]().types[0]
    found = one_by_one_and_several(name, lambda f: rose.grad(numbers_of(rose.jacfwd(f))), monkeypatch)
    assert all([same(x, y) for x, y in zip(found[::2], found[1::2], strict=True)])
    first, *others = [[*reals(x, t)] for x in found]
    assert all([x == pytest.approx(first, rel=1e-13, abs=1e-15) for x in others])
