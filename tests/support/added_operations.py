"""Two operations that are added to a copy of the tree: `cube`, of a number, and `swap`, which exchanges a pair's items.

`EDITS` is the patch of each, as the recipes of CONTRIBUTING.md have it: by file, what is written before which text.
Run in the copy, this file checks all that is to know them, by no more than their rows.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

OPS, PUTS, EVALUATOR = "rose/ir/ops.py", "rose/ir/puts.py", "rose/host/evaluator.py"
SPARSE, EMITTERS = "rose/differentiation/sparse/abstract_interpreter.py", "wasm_backend/codegen/function.py"

EDITS: dict[str, list[tuple[str, str, str]]] = {
    "cube": [
        (OPS, '    "erf", "erfc",', '    "cube",\n'),
        (OPS, "copysign = scalar(", '''\
cube = scalar(
    "cube", "`x * x * x`",
    type=UNARY,
    eval=lambda x: x * x * x,
    jvp=[lambda d, x, z: d * (3.0 * (x * x))],
    wasm="$0, $0, f64.mul, $0, f64.mul",
    kind="product", monotone=GROWS, exact=False, whole=False, unit=(3,), cost=2,
)  # fmt: skip
'''),
    ],
    "swap": [
        (PUTS, "def _put_type(", '''\
from .builder import current_builder
from .columns import ALL
from .types import Tuple


def _exchanged(x: Value) -> Type | None:
    t = x.type
    return t.of(t.items[::-1]) if isinstance(t, Tuple) and t.form is None and len(t.items) == 2 else None


SWAP = structural(
    "swap", "A pair with its items exchanged.", type=_exchanged,
    linear_in=ALL, moves=True, place=lambda k, part: (1 - part[0], *part[1:]),
    transpose=lambda ct, x: [current_builder().emit(SWAP, (ct,))],
    simplify=lambda x: x.args[0] if x.op is SWAP else None,
)  # fmt: skip


'''),
        (EVALUATOR, "Evaluator.rules = {", "from ..ir.puts import SWAP\n\n"),
        (EVALUATOR, "    PUT: lambda e, v, xs", "    SWAP: lambda e, v, xs: (xs[0][1], xs[0][0]),\n"),
        (SPARSE, "_STEPS: dict[", '''\
from ...ir.puts import SWAP


def _swap(v: Value, x: Value) -> Step:
    return lambda env: None if env[x] is None else (env[x][1], env[x][0])


'''),
        (SPARSE, "    ir.CONST: _const", "    SWAP: _swap,\n"),
        (EMITTERS, "# what writes each instruction", '''\
from rose.ir.puts import SWAP
from ..abi.layout import is_flat


def _swap(w: FunctionWriter, v: Value) -> None:
    """The items, one after the other: those of a pair that is kept apart in locals, else in memory."""
    frame, c, (x,) = w.frame, w.frame.c, v.args
    if not is_flat(v.type):
        frame.location[v] = () if v.type.empty else (to := frame.build_at(v, 0, v.type),)
        for k in (0, 1) if not v.type.empty else ():
            there, here, item = offsets(x.type)[1 - k], offsets(v.type)[k], v.type.items[k]
            for t, at in zip(leaves(item), leaf_offsets(item), strict=True):
                source, target = frame.address(x).at(plus(there, at)), to.at(plus(here, at))
                if t.scalar:
                    c.base(target)
                    c.load(t, source)
                    c.write(t, target)
                else:
                    c.copy(t, source, target)
        return
    first, whole = len(leaves(x.type.items[0])), leaves(x.type)
    locations: list[Location] = []
    for leaf in [*range(first, len(whole)), *range(first)]:
        w.expr.push(x, leaf)
        k = frame.set(v, whole[leaf])
        locations.append(k if whole[leaf].scalar else Mem(k, 0))
    frame.location[v] = tuple(locations)


'''),
        (EMITTERS, "    PUSH: lambda w, v:", "    SWAP: _swap,\n"),
    ],
}  # fmt: skip


def add(name: str, tree: Path) -> set[str]:
    """Add an operation to a copy of the tree; the files that it touches."""
    for file, before, text in EDITS[name]:
        old = (tree / file).read_text(encoding="utf-8")
        assert old.count(before) == 1, (file, before)
        (tree / file).write_text(old.replace(before, text + before), encoding="utf-8")
    return {file for file, _, _ in EDITS[name]}


# what is checked in the copy


def check_function(f: Any, same: Any, *xs: Any) -> None:
    """That a function is another one: its values and derivatives, interpreted, compiled, and read from its own text."""
    import rose
    from rose.host.interpreter import run
    from rose.ir.check import check
    from rose.ir.text.printer import show

    close = lambda a, b: _numbers(a) == _numbers(b) or all(map(_near, _numbers(a), _numbers(b)))
    ks = tuple(range(len(xs)))
    ways = [lambda g: g, rose.grad, lambda g: rose.grad(g, ks), rose.value_and_grad, rose.hessian]
    ways += [lambda g: rose.grad(rose.fn(g.types, rose.Real)(lambda *ys: _total(rose.grad(g)(*ys))))]
    for way in ways:
        ours, theirs = way(f), way(same)
        expected = theirs(*xs)
        assert close(ours(*xs), expected), (ours(*xs), expected)
        assert close(rose.compile(ours)(*xs), expected)
    text = show(check(f.func))
    assert show(rose.parse(text)[f.func.name.strip("<>")].func) == text
    assert close(run(f.func, *xs), run(same.func, *xs))
    at = [_dual(x) for x in xs]
    assert close(rose.jvp(f)(*at).du, rose.jvp(same)(*at).du)


def _total(x: Any) -> Any:
    import rose

    return x * x if x.type is rose.Real else rose.sum(e * e for e in x)


def _dual(x: Any) -> Any:
    import rose

    return [_dual(e) for e in x] if isinstance(x, list) else rose.Dual(x, 1.0)


def _numbers(x: Any) -> list[float]:
    return [float(x)] if not hasattr(x, "__iter__") else [n for y in x for n in _numbers(y)]


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-12)


def check_cube() -> None:
    import rose
    from rose import Real, Vec, fn
    from rose.interpretations import Counts, Errors, Interval, Intervals, Measured, Units

    cube, power = fn([Real], Real)(lambda x: rose.cube(x)), fn([Real], Real)(lambda x: x * x * x)
    check_function(cube, power, 1.5)
    check_function(
        fn([Vec[3]], Real)(lambda x: rose.sum(rose.select(e > 0.0, rose.cube(e), e) for e in x)),
        fn([Vec[3]], Real)(lambda x: rose.sum(rose.select(e > 0.0, e * e * e, e) for e in x)),
        [1.0, -2.0, 3.0],
    )
    assert _numbers(rose.jet(cube, 3)([2.0, 1.0, 0.0, 0.0])) == [8.0, 12.0, 12.0, 6.0]
    y = rose.interpret(cube, Intervals())(Interval(-1.0, 2.0))
    assert y.lo <= -1.0 < -0.99 and 8.0 <= y.hi < 8.01
    counted = rose.interpret(cube, Counts())(2.0)[1]
    assert (counted.products, counted.functions, counted.sums) == (1.0, 0.0, 0.0)
    assert type(rose.interpret(cube, Units(x="m"))(2.0)).__name__ == "m^3"
    assert math.isclose(rose.interpret(cube, Errors(rounding=0.0))(Measured(2.0, 1e-3)).error, 12e-3)


def check_swap() -> None:
    import rose
    from rose import Real, Vec, fn
    from rose.interpretations import Counts, Errors, Interval, Intervals, Measured, Units
    from rose.ir import OPS, current_builder

    def swap(x: Any, y: Any) -> tuple[Any, Any]:
        b = current_builder()
        pair = b.emit(OPS["swap"], (b.tuple([x, y]),))
        return b.get(pair, 0), b.get(pair, 1)

    def programs(swap: Any) -> list[tuple[Any, tuple[Any, ...]]]:
        def of_numbers(x: Any, y: Any) -> Any:
            p, q = swap(x, x * y)
            return p / q + rose.sin(q)

        def of_vectors(x: Any, y: Any) -> Any:
            p, q = swap(rose.vec(e * e for e in x), y)
            return p * rose.sum(q[i] * x[i] for i in rose.range(3)) + q[1]

        def untaken(x: Any, y: Any) -> Any:
            p, q = swap(rose.vec(rose.log(e) for e in x), rose.sqrt(y))
            return rose.select(x[0] > 0.0, rose.sum(q), p * x[1]) + x[2]

        def states(x: Any, y: Any) -> Any:
            p, q = rose.scan(lambda i, s: swap(s[0] * x[i], s[1] + y), (1.0, y), 3)
            return p * q

        return [
            (fn([Real, Real], Real)(of_numbers), (1.5, 0.25)),
            (fn([Vec[3], Real], Real)(of_vectors), ([1.0, -2.0, 3.0], 0.5)),
            (fn([Vec[3], Real], Real)(untaken), ([-1.0, 2.0, 3.0], 4.0)),
            (fn([Vec[3], Real], Real)(states), ([1.0, -2.0, 3.0], 0.5)),
        ]

    plainly: Any = lambda x, y: (y, x)
    for (f, xs), (same, _) in zip(programs(swap), programs(plainly), strict=True):
        check_function(f, same, *xs)
        if isinstance(xs[0], list):
            assert str(rose.sparsity(rose.grad(f))) == str(rose.sparsity(rose.grad(same)))
    (f, xs), (same, _) = programs(swap)[0], programs(plainly)[0]
    for meaning, given in [
        (Intervals(), [Interval(x, x + 0.5) for x in xs]),
        (Counts(), list(xs)),
        (Errors(), [Measured(x, 1e-6) for x in xs]),
    ]:
        assert _fields(rose.interpret(f, meaning)(*given)) == _fields(rose.interpret(same, meaning)(*given))
    ratio, other = [fn([Real, Real], Real)(lambda x, y, s=s: (lambda p: p[0] / p[1])(s(x, y))) for s in (swap, plainly)]
    assert [type(rose.interpret(g, Units(x="m", y="s"))(1.0, 2.0)).__name__ for g in (ratio, other)] == ["s / m"] * 2


def _fields(x: Any) -> Any:
    return [_fields(y) for y in x] if isinstance(x, tuple) else {**vars(x)} if hasattr(x, "__dict__") else x


if __name__ == "__main__":
    check_cube()
    check_swap()
    print("both are known")
