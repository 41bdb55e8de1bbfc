"""Arms of `select` that are not taken, of every kind that users of other tools complained about.

Each body is some tame function at the point it is tested at, and something that holds an infinity or a nan
in an arm that is not taken there. Its derivatives equal those of the tame function, of every order up to the
third and in every composition of forward and reverse; the interpreter gives the bits of the module.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import Module, same

import rose
from rose import Real, Vec, ir
from rose.host.interpreter import run
from rose.ir import FOR, Block, Func, Value, is_call
from rose.ir.ops import select

Body = Callable[[Any], Any]


def v(f: Any) -> Any:
    return rose.grad(f)


def j(f: Any) -> Any:
    return rose.fn([Real], Real)(lambda x: rose.jvp(f)(rose.Dual(x, 1.0)).du)


def orders(highest: int) -> list[str]:
    return ["".join(ways) for k in range(highest + 1) for ways in itertools.product("jv", repeat=k)]


def derivatives(body: Body, highest: int = 3) -> dict[str, Func]:
    """The function, and its derivatives by every composition of `j` and `v`."""
    made: dict[str, Any] = {"": rose.fn([Real], Real)(body)}
    for name in orders(highest)[1:]:
        made[name] = {"j": j, "v": v}[name[-1]](made[name[:-1]])
    return {name or "f": f.func for name, f in made.items()}


def values(body: Body, x: float, highest: int = 3) -> dict[str, float]:
    """Each derivative at `x`: what the module gives, which is what the interpreter gives."""
    funcs = derivatives(body, highest)
    module = Module(funcs)
    found = {name: module[name](x) for name in funcs}
    for name, f in funcs.items():
        if len(name) < 3:
            assert same(found[name], run(f, x)), name
    return found


def vector(x: Any, *more: Any) -> Any:
    return rose.vec([x, *more])


def centred(x: Any) -> Any:
    """`x / norm(x)`, in the plane."""
    p = vector(x, 2.0 * x)
    return p[0] / rose.norm(p)


# name, what is in the arm, a point at which it is infinite or nan, or has such a derivative
NASTY: list[tuple[str, Body, float]] = [
    ("log", lambda x: rose.log(x), 0.0),
    ("log below 0", lambda x: rose.log(x), -1.0),
    ("x * log(x)", lambda x: x * rose.log(x), 0.0),
    ("xlogy", lambda x: rose.log(x * x) * x, 0.0),
    ("entropy", lambda x: -(x * rose.log2(x)) - (1.0 - x) * rose.log2(1.0 - x), 0.0),
    ("x / norm(x)", centred, 0.0),
    ("x / sqrt(x . x)", lambda x: x / rose.sqrt(rose.dot(vector(x, x), vector(x, x))), 0.0),
    ("sinc", lambda x: rose.sin(x) / x, 0.0),
    ("(1 - cos) / x**2", lambda x: (1.0 - rose.cos(x)) / x**2, 0.0),
    ("expm1(x) / x", lambda x: rose.expm1(x) / x, 0.0),
    ("pow of a negative base", lambda x: (x - 1.0) ** 2.5, 0.0),
    ("pow of a negative base, traced", lambda x: rose.pow(x - 1.0, x + 0.5), 0.0),
    ("pow, small", lambda x: rose.pow(x, 0.25), 0.0),
    ("pow, overflow", lambda x: rose.pow(10.0, 400.0 + x), 0.0),
    ("atan2(0, 0)", lambda x: rose.atan2(x, 2.0 * x), 0.0),
    ("acos at 1", lambda x: rose.acos(1.0 + x), 0.0),
    ("acos beyond 1", lambda x: rose.acos(2.0 + x), 0.0),
    ("acos at -1", lambda x: rose.acos(x), -1.0),
    ("asin", lambda x: rose.asin(1.0 - x), 0.0),
    ("acosh", lambda x: rose.acosh(1.0 + x), 0.0),
    ("atanh", lambda x: rose.atanh(1.0 + x), 0.0),
    ("lgamma at 0", lambda x: rose.lgamma(x), 0.0),
    ("lgamma at -2", lambda x: rose.lgamma(x), -2.0),
    ("gamma at a pole", lambda x: rose.gamma(x), -1.0),
    ("exp, overflow", lambda x: rose.exp(1000.0 - x), 0.0),
    ("softplus, naively", lambda x: rose.log(1.0 + rose.exp(-x)), -1000.0),
    ("sigmoid, naively", lambda x: rose.exp(-x) / (1.0 + rose.exp(-x)), -1000.0),
    ("tan", lambda x: rose.tan(1.0 / x), 0.0),
    ("sin of infinity", lambda x: rose.sin(1.0 / x), 0.0),
    ("sinh, overflow", lambda x: rose.sinh(x) * rose.cosh(x), -800.0),
    ("tanh of infinity", lambda x: rose.tanh(1.0 / x), 0.0),
    ("cbrt", lambda x: rose.cbrt(x), 0.0),
    ("hypot", lambda x: x / rose.hypot(x, 3.0 * x), 0.0),
    ("erf of infinity", lambda x: rose.erf(1.0 / x) + rose.erfc(1.0 / x), 0.0),
    ("fmod by 0", lambda x: rose.fmod(1.0, x), 0.0),
    ("% 0", lambda x: (x + 1.0) % x, 0.0),
    ("clip", lambda x: rose.clip(1.0 / x, rose.log(x), math.inf), 0.0),
    ("relu and softplus", lambda x: rose.relu(1.0 / x) * rose.softplus(rose.log(x)), 0.0),
    ("sigmoid of nan", lambda x: rose.sigmoid(x / x), 0.0),
    ("logsumexp", lambda x: rose.logsumexp(vector(rose.log(x), 1.0 / x)), 0.0),
    ("logsumexp of -inf", lambda x: rose.logsumexp(vector(rose.log(x), rose.log(2.0 * x))), 0.0),
    ("a negative power", lambda x: x**-2, 0.0),
    ("a cancelled infinity", lambda x: (1.0 / x) * x, 0.0),
    ("subnormal", lambda x: 1.0 / (x * 1e-320), 1e-5),
    ("matmul", lambda x: (rose.matmul([[1.0, 2.0]], vector(rose.log(x), x)))[0], 0.0),
]  # fmt: skip


def cubic(x: Any) -> Any:
    return x * x * x + 2.0 * x


@pytest.mark.parametrize(("name", "nasty", "x"), NASTY, ids=[row[0] for row in NASTY])
def test_an_arm_that_is_not_taken_adds_nothing(name: str, nasty: Body, x: float):
    want = values(cubic, x)
    assert values(lambda y: rose.select(y > x, nasty(y), cubic(y)), x) == want
    assert values(lambda y: rose.select(y <= x, cubic(y), nasty(y)), x, 2).items() <= want.items()


@pytest.mark.slow
def test_what_is_nasty_is_nasty():
    """Each of them would spoil a derivative that it had a part in."""
    for name, nasty, x in NASTY:
        found = values(nasty, x, 2)
        assert not all([math.isfinite(y) for y in found.values()]), name


# arms in arms, loops, calls and aggregates

inner = rose.fn([Real], Real)(lambda x: rose.select(x > 0.0, rose.log(x) / x, x * 5.0))
naive = rose.fn([Real, Real], Real)(lambda x, y: rose.log(x) * y + rose.sqrt(x * y))


@rose.opaque(name="Math.log", pure=True)
def host_log(x: Real) -> Real:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


@host_log.jvp
def host_log_rule(x: Any) -> Any:
    return rose.Dual(host_log(x.re), x.du / x.re)


@rose.opaque(name="page.roots", pure=True)
def host_roots(p: Vec[2]) -> Vec[2]:
    return [math.sqrt(max(y, 0.0)) for y in p]  # type: ignore


@host_roots.jvp
def host_roots_rule(p: Any) -> Any:
    y = host_roots(vector(p[0].re, p[1].re))
    return [rose.Dual(y[k], p[k].du / (2.0 * y[k])) for k in range(2)]


@rose.fn([Real], Real)
def ruled(x: Any) -> Any:
    return rose.sqrt(x)


@ruled.jvp
def ruled_rule(x: Any) -> Any:
    return rose.Dual(ruled(x.re), x.du / (2.0 * ruled(x.re)))


@rose.struct
class Point:
    x: Real
    y: Real


def carried(x: Any) -> Any:
    """A loop with a state: each iteration chooses whether it changes."""

    def iteration(i: Value, s: Value) -> tuple[list[Value], list[Value]]:
        return [rose.select(s > 0.0, rose.log(s) * rose.sqrt(s), s * 3.0)], []

    return ir.current_builder().loop(3, iteration, [x])[0][0]


def around_a_loop(x: Any) -> Any:
    """A loop with a state, as a whole in an arm."""

    def iteration(i: Value, s: Value) -> tuple[list[Value], list[Value]]:
        return [rose.sqrt(s) / s + rose.log(s)], []

    return rose.select(x > 0.0, ir.current_builder().loop(3, iteration, [x])[0][0], x * x)


def accumulated(x: Any) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(3):
        total += rose.select(x > i, rose.log(x - i) / (x - i), x * x * i)
    return total.value


def accumulated_inside(x: Any) -> Any:
    total = rose.accum(x)
    for i in rose.range(3):
        total += rose.log(x * i) / x
    return rose.select(x > 0.0, total.value, x * 7.0)


def structs(x: Any) -> Any:
    p = rose.select(x > 0.0, Point(rose.log(x), 1.0 / x), Point(x * 2.0, x * x))
    return p.x * 3.0 + p.y


def vectors(x: Any) -> Any:
    p = rose.select(x > 0.0, rose.vec(rose.log(x * i) / x for i in rose.range(3)), vector(x, x * x, 2.0))
    return rose.sum(p[i] * (i + 1.0) for i in rose.range(3))


def copies(x: Any) -> Any:
    """A loop whose iterations give a value from outside of it: there its cotangent leaves the arm."""
    p = rose.vec(x for _ in rose.range(2))
    q = rose.select(x > 0.0, rose.vec(rose.log(p[i]) for i in rose.range(2)), rose.vec(x * x for _ in rose.range(2)))
    return q[0] + 2.0 * q[1]


def copied_states(x: Any) -> Any:
    """The same, with a state."""
    keep = lambda i, s: ([rose.select(s > 0.0, x, x)], [rose.log(s)])
    _, (q,) = ir.current_builder().loop(3, keep, [x])
    return rose.select(x > 0.0, rose.sum(q[i] for i in rose.range(3)), x * 4.0)


def two_states(x: Any) -> Any:
    """A loop of which two arms read two results, neither of them taken."""
    iteration = lambda i, s, t: ([s + rose.log(t), rose.sqrt(t) * s], [])
    (s, t), _ = ir.current_builder().loop(2, iteration, [x, x])
    return rose.select(x > 0.0, s, rose.select(x < -1.0, t, x * 4.0))


def parts_of_vectors(x: Any) -> Any:
    """A vector of which one element is infinite, and another is read."""
    p = vector(rose.log(x), x * x)
    return rose.select(x > 0.0, p[0] / x, p[1])


STRUCTURED: list[tuple[str, Body, Body]] = [
    ("nested", lambda x: rose.select(x > 0.0, rose.select(x > 1.0, rose.log(x - 1.0), rose.sqrt(x)), cubic(x)), cubic),
    ("nested, the other way",
     lambda x: rose.select(x <= 0.0, rose.select(x < 0.0, rose.log(x), cubic(x)), 1.0 / x), cubic),
    ("three deep",
     lambda x: rose.select(x < 1.0, rose.select(x < 0.0, 1.0 / x, rose.select(x > 0.0, rose.log(x), cubic(x))),
                           rose.atanh(1.0 + x)), cubic),
    ("a select of a select's value",
     lambda x: rose.select(x > 0.0, rose.log(rose.select(x > 0.0, rose.sqrt(x), x)), cubic(x)), cubic),
    ("joined conditions",
     lambda x: rose.select((x > 0.0) & (x < 1.0), rose.log(x) * rose.acos(1.0 + x), cubic(x)), cubic),
    ("either condition", lambda x: rose.select((x > 0.0) | (x < -1.0), rose.log(x) / x, cubic(x)), cubic),
    ("negated", lambda x: rose.select(~(x > 0.0), cubic(x), rose.log(x) / x), cubic),
    ("both arms nasty somewhere", lambda x: rose.select(x == 0.0, cubic(x), rose.sin(x) / x), cubic),
    ("shared by both arms",
     lambda x: (lambda s: rose.select(x > 0.0, rose.log(s) / s, s * 3.0) + s)(x * x + x),
     lambda x: (lambda s: s * 3.0 + s)(x * x + x)),
    ("an outer factor", lambda x: rose.exp(x) * rose.select(x > 0.0, rose.log(x), x), lambda x: rose.exp(x) * x),
    ("an outer function", lambda x: rose.sin(rose.select(x > 0.0, 1.0 / x, x)), lambda x: rose.sin(x)),
    ("two in a row",
     lambda x: rose.select(x > 0.0, rose.log(x), x) * rose.select(x > 0.0, rose.log(x), x), lambda x: x * x),
    ("in a called function", lambda x: inner(x) * x, lambda x: x * 5.0 * x),
    ("a call in an arm", lambda x: rose.select(x > 0.0, naive(x, x), cubic(x)), cubic),
    ("a call of a call in an arm", lambda x: rose.select(x > 0.0, inner(rose.log(x)), cubic(x)), cubic),
    ("a call with a choice inside, chosen again", lambda x: rose.select(x > 0.0, inner(x) / x, cubic(x)), cubic),
    ("opaque", lambda x: rose.select(x > 0.0, host_log(x) * x, cubic(x)), cubic),
    ("opaque, of vectors", lambda x: rose.select(x > 0.0, host_roots(vector(x, 2.0 * x))[1], cubic(x)), cubic),
    ("a rule of the user's", lambda x: rose.select(x > 0.0, ruled(x), cubic(x)), cubic),
    ("a state", carried, lambda x: x * 3.0 * 3.0 * 3.0),
    ("a loop with a state, in an arm", around_a_loop, lambda x: x * x),
    ("an accumulator", accumulated, lambda x: 0.0 + x * x * 0.0 + x * x * 1.0 + x * x * 2.0),
    ("an accumulator in an arm", accumulated_inside, lambda x: x * 7.0),
    ("structs", structs, lambda x: x * 2.0 * 3.0 + x * x),
    ("vectors", vectors, lambda x: x * 1.0 + x * x * 2.0 + 2.0 * 3.0),
    ("shared by two arms, neither taken",
     lambda x: (lambda s: rose.select(x > 0.0, s, rose.select(x < -1.0, 2.0 * s, cubic(x))))(rose.log(x) / x), cubic),
    ("shared by two arms of different selects",
     lambda x: (lambda s: rose.select(x > 0.0, s, x) + rose.select(x < -1.0, s * s, cubic(x)))(rose.log(x) / x),
     lambda x: x + cubic(x)),
    ("shared by all arms but the taken one",
     lambda x: (lambda s: rose.select(x > 1.0, s, rose.select(x > 0.5, s * x, rose.select(x > 0.0, rose.select(
         x > 0.1, s, s + 1.0), cubic(x)))))(1.0 / x), cubic),
    ("shared, in a loop",
     lambda x: rose.sum((lambda s: rose.select(x > i, s * i, rose.select(x < -i - 1.0, s, x * x)))(rose.sqrt(x - i) / x)
                        for i in rose.range(2)), lambda x: x * x + x * x),
    ("a state shared by two arms", two_states, lambda x: x * 4.0),
    ("copies", copies, lambda x: x * x + 2.0 * (x * x)),
    ("copied states", copied_states, lambda x: x * 4.0),
    ("parts of vectors", parts_of_vectors, lambda x: x * x),
    ("max of nasty values", lambda x: rose.select(x > 0.0, rose.max([rose.log(x), 1.0 / x]), cubic(x)), cubic),
    ("a product", lambda x: rose.select(x > 0.0, rose.prod(rose.log(x * i) for i in rose.range(3)), cubic(x)), cubic),
    ("a derivative in an arm", lambda x: rose.select(x > 0.0, rose.grad(naive, argnums=0)(x, x), cubic(x)), cubic),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "tame"), STRUCTURED, ids=[row[0] for row in STRUCTURED])
def test_an_arm_adds_nothing_wherever_it_is(name: str, body: Body, tame: Body):
    found, want = values(body, 0.0), values(tame, 0.0)
    assert all([math.isfinite(y) for y in want.values()])
    assert found == want


def test_a_hessian_sees_only_the_taken_arms():
    def body(p: Any) -> Any:
        return rose.select(rose.norm(p) > 0.0, rose.log(rose.norm(p)) * p[0] / rose.norm(p), p[0] * p[0] * p[1])

    f = rose.fn([Vec[2]], Real)(body)
    assert rose.hessian(f)([0.0, 0.0]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert rose.grad(f)([0.0, 0.0]).tolist() == [0.0, 0.0]
    each = rose.fn([Vec[2]], Real)(
        lambda p: rose.sum(rose.select(p[i] > 0.0, rose.log(p[i]), p[i] * p[0] * 3.0) for i in rose.range(2))
    )
    assert rose.hessian(each)([0.0, -2.0]).tolist() == [[6.0, 3.0], [3.0, 0.0]]
    assert rose.jacfwd(rose.grad(each))([0.0, -2.0]).tolist() == [[6.0, 3.0], [3.0, 0.0]]
    assert rose.hvp(each)([0.0, -2.0], [1.0, 1.0]).tolist() == [9.0, 3.0]


def test_a_taken_arm_hides_nothing():
    f = rose.fn([Real], Real)(lambda x: rose.select(x >= 0.0, rose.log(x), 0.0))
    assert rose.grad(f)(0.0) == math.inf
    assert rose.grad(rose.grad(f))(0.0) == -math.inf


# what it costs


def instructions(f: Func) -> Iterator[Value]:
    """All that a function runs, in its loops and in what it calls too."""
    stack: list[Block] = [f.body]
    while stack:
        for u in stack.pop().code:
            yield u
            if u.op is FOR:
                stack.append(u.attr)
            elif is_call(u):
                stack.append(u.attr.body)


def masks(body: Body) -> int:
    """How many choices the reverse half of a derivative makes, beyond those for the selects themselves."""
    return sum([1 for u in instructions(rose.grad(rose.fn([Real], Real)(body)).func) if u.op is select])


TAME: list[tuple[str, Body]] = [
    ("sums", lambda x: x + x - 3.0),
    ("a literal factor", lambda x: 2.5 * (x + 1.0) * -4.0),
    ("a literal divisor", lambda x: -(x / 8.0) + x),
    ("in a loop", lambda x: rose.sum(x * 2.0 - 1.0 for _ in rose.range(3))),
]
WILD: list[tuple[str, Body]] = [
    ("a traced factor", lambda x: x * x),
    ("sin", lambda x: rose.sin(x)),
    ("exp", lambda x: rose.exp(x)),
    ("an infinite literal", lambda x: x * math.inf),
    ("a division by 0", lambda x: x / 0.0),
    ("nan", lambda x: x * math.nan),
]


@pytest.mark.parametrize(("name", "arm"), TAME, ids=[n for n, _ in TAME])
def test_an_arm_that_cannot_misbehave_costs_nothing(name: str, arm: Body):
    least = masks(lambda x: rose.select(x > 0.0, x, -x))
    assert masks(lambda x: rose.select(x > 0.0, arm(x), -x)) <= least
    assert masks(lambda x: rose.select(x > 0.0, x, arm(x))) <= least


@pytest.mark.parametrize(("name", "arm"), WILD, ids=[n for n, _ in WILD])
def test_an_arm_that_may_misbehave_is_masked_once(name: str, arm: Body):
    least = masks(lambda x: rose.select(x > 0.0, x, -x))
    assert least < masks(lambda x: rose.select(x > 0.0, arm(x), -x)) <= least + 2


def test_derivatives_of_arms_in_arms_are_as_long_as_the_program():
    """What the conditions of two arms have in common is computed once."""

    def length(n: int) -> int:
        def nested(x: Any) -> Any:
            for k in range(n):
                x = rose.select(x < 1.0 + k, rose.sin(x) * x, 2.0)
            return x

        seen: dict[Func, None] = {}
        todo = [v(rose.fn([Real], Real)(nested)).func]
        while todo:
            f = todo.pop()
            if f not in seen:
                seen[f] = None
                todo += [w.attr for w in f.body.code if is_call(w)]
        return sum([len(f.body.code) for f in seen])

    assert length(60) - length(40) == pytest.approx(length(40) - length(20), rel=0.1)
