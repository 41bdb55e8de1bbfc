"""The text of the IR: whole programs, as they are printed."""

from typing import Any

import pytest

import rose
import rose.frontend.arrays.products as products
import rose.frontend.language.loops as loops
from rose.autodiff.jvp import full_mask, jvp
from rose.frontend.annotations import Dual, Fin, Vec, struct
from rose.frontend.decorators import fn, opaque
from rose.frontend.values import to_value
from rose.ir import Func, Value, building, ops
from rose.ir.text.printer import show, show_func
from rose.ir.types import Bool, Real, Ref, Tan, Type, tuple_of
from rose.ir.types import Vec as VecType


def derivative(f: Any) -> Func:
    return jvp(f.func, full_mask(f.func)).func


def golden(f: Func, text: str) -> None:
    assert show(f) == text.strip("\n")


@struct
class Line:
    b0: Real
    b: Vec[1]


@fn
def sum(v: Vec[11]) -> Real:
    return loops.sum(v[i] for i in loops.range(11))


@fn
def dot(x: Vec[3], y: Vec[3]) -> Real:
    return products.dot(x, y)


@fn
def outer(x: Vec[3], y: Vec[2]) -> Vec[3, Vec[2]]:
    return loops.vec(loops.vec(x[i] * y[j] for j in loops.range(2)) for i in loops.range(3))


@fn
def prod(v: Vec[4]) -> Real:
    return loops.prod(v[i] for i in loops.range(4))


@fn
def choose(c: Bool, x: Real) -> Real:
    return ops.select(~c & (x <= 2.0), ops.max_(x, -1.0), ops.sqrt(x))


@fn
def predict(line: Line, x: Vec[1]) -> Real:
    return line.b0 + line.b[0] * x[0]


@fn
def turn(line: Line) -> Line:
    return Line(line.b[0], [line.b0])


def test_listing_7():
    golden(
        sum.func,
        """
def sum(v: [11]Real): Real =
  let x0: Real = 0.0 in
  let x1: (Real, [11]()) =
    accum a0 from x0 in
      [for i0: 11,
        let x2: Real = v[i0] in
        let x3: () = a0 += x2 in
        x3
      ]
  in
  let x4: Real = fst x1 in
  x4
""",
    )


def test_the_derivative_of_listing_7():
    golden(
        derivative(sum),
        """
def sum.jvp(v: [11]Real, dv: [11]Tan): (Real, Tan) =
  let x0: Real = 0.0 in
  let x1: Tan = 0.0 in
  let x2: (Tan, Real) =
    accum a0 from x1 in
      let x3: (Real, [11]()) =
        accum a1 from x0 in
          [for i0: 11,
            let x4: Real = v[i0] in
            let x5: Tan = dv[i0] in
            let x6: () = a1 += x4 in
            let x7: () = a0 += x5 in
            x7
          ]
      in
      let x8: Real = fst x3 in
      x8
  in
  let x9: Tan = fst x2 in
  let x10: Real = snd x2 in
  let x11: (Real, Tan) = (x10, x9) in
  x11
""",
    )


def test_dot():
    golden(
        dot.func,
        """
def dot(x: [3]Real, y: [3]Real): Real =
  let x0: Real = 0.0 in
  let x1: (Real, [3]()) =
    accum a0 from x0 in
      [for i0: 3,
        let x2: Real = x[i0] in
        let x3: Real = y[i0] in
        let x4: Real = x2 * x3 in
        let x5: () = a0 += x4 in
        x5
      ]
  in
  let x6: Real = fst x1 in
  x6
""",
    )


def test_the_derivative_of_dot():
    golden(
        derivative(dot),
        """
def dot.jvp(x: [3]Real, dx: [3]Tan, y: [3]Real, dy: [3]Tan): (Real, Tan) =
  let x0: Real = 0.0 in
  let x1: Tan = 0.0 in
  let x2: (Tan, Real) =
    accum a0 from x1 in
      let x3: (Real, [3]()) =
        accum a1 from x0 in
          [for i0: 3,
            let x4: Real = x[i0] in
            let x5: Tan = dx[i0] in
            let x6: Real = y[i0] in
            let x7: Tan = dy[i0] in
            let x8: Real = x4 * x6 in
            let x9: Tan = x5 * x6 in
            let x10: Tan = x7 * x4 in
            let x11: Tan = x9 + x10 in
            let x12: () = a1 += x8 in
            let x13: () = a0 += x11 in
            x13
          ]
      in
      let x14: Real = fst x3 in
      x14
  in
  let x15: Tan = fst x2 in
  let x16: Real = snd x2 in
  let x17: (Real, Tan) = (x16, x15) in
  x17
""",
    )


def test_nested_loops():
    golden(
        outer.func,
        """
def outer(x: [3]Real, y: [2]Real): [3][2]Real =
  let x0: [3][2]Real = [for i0: 3,
    let x1: [2]Real = [for i1: 2,
      let x2: Real = x[i0] in
      let x3: Real = y[i1] in
      let x4: Real = x2 * x3 in
      x4
    ] in
    x1
  ] in
  x0
""",
    )


def test_the_derivative_of_nested_loops():
    golden(
        derivative(outer),
        """
def outer.jvp(x: [3]Real, dx: [3]Tan, y: [2]Real, dy: [2]Tan): ([3][2]Real, [3][2]Tan) =
  let (x0, x1): ([3][2]Real, [3][2]Tan) = [for i0: 3,
    let (x2, x3): ([2]Real, [2]Tan) = [for i1: 2,
      let x4: Real = x[i0] in
      let x5: Tan = dx[i0] in
      let x6: Real = y[i1] in
      let x7: Tan = dy[i1] in
      let x8: Real = x4 * x6 in
      let x9: Tan = x5 * x6 in
      let x10: Tan = x7 * x4 in
      let x11: Tan = x9 + x10 in
      (x8, x11)
    ] in
    (x2, x3)
  ] in
  let x12: ([3][2]Real, [3][2]Tan) = (x0, x1) in
  x12
""",
    )


def test_a_loop_with_a_state():
    golden(
        prod.func,
        """
def prod(v: [4]Real): Real =
  let x0: Real = 1.0 in
  let x1: Real = [for i0: 4, x2: Real from x0,
    let x3: Real = v[i0] in
    let x4: Real = x2 * x3 in
    x4
  ] in
  x1
""",
    )


def test_the_derivative_of_a_loop_with_a_state():
    golden(
        derivative(prod),
        """
def prod.jvp(v: [4]Real, dv: [4]Tan): (Real, Tan) =
  let x0: Real = 1.0 in
  let x1: Tan = 0.0 in
  let (x2, x3): (Real, Tan) = [for i0: 4, x4: Real from x0, x5: Tan from x1,
    let x6: Real = v[i0] in
    let x7: Tan = dv[i0] in
    let x8: Real = x4 * x6 in
    let x9: Tan = x5 * x6 in
    let x10: Tan = x7 * x4 in
    let x11: Tan = x9 + x10 in
    (x8, x11)
  ] in
  let x12: (Real, Tan) = (x2, x3) in
  x12
""",
    )


def test_select_and_truth():
    golden(
        choose.func,
        """
def choose(c: Bool, x: Real): Real =
  let x0: Bool = not c in
  let x1: Real = 2.0 in
  let x2: Bool = x <= x1 in
  let x3: Bool = x0 and x2 in
  let x4: Real = -1.0 in
  let x5: Real = x max x4 in
  let x6: Real = sqrt x in
  let x7: Real = x3 ? x5 : x6 in
  x7
""",
    )


def test_the_derivative_of_select():
    golden(
        derivative(choose),
        """
def choose.jvp(c: Bool, x: Real, dx: Tan): (Real, Tan) =
  let x0: Bool = not c in
  let x1: Real = 2.0 in
  let x2: Bool = x <= x1 in
  let x3: Bool = x0 and x2 in
  let x4: Real = -1.0 in
  let x5: Real = x max x4 in
  let x6: Bool = x4 < x in
  let x7: Bool = x == x4 in
  let x8: Real = 0.5 in
  let x9: Tan = dx * x8 in
  let x10: Tan = 0.0 in
  let x11: Tan = x7 ? x9 : x10 in
  let x12: Tan = x6 ? dx : x11 in
  let x13: Real = sqrt x in
  let x14: Real = x13 + x13 in
  let x15: Tan = dx / x14 in
  let x16: Real = x3 ? x5 : x13 in
  let x17: Tan = x3 ? x12 : x15 in
  let x18: (Real, Tan) = (x16, x17) in
  x18
""",
    )


def test_a_struct():
    golden(
        predict.func,
        """
type Line = {b0: Real, b: [1]Real}

def predict(line: Line, x: [1]Real): Real =
  let x0: Real = line.b0 in
  let x1: [1]Real = line.b in
  let x2: 1 = 0 in
  let x3: Real = x1[x2] in
  let x4: Real = x[x2] in
  let x5: Real = x3 * x4 in
  let x6: Real = x0 + x5 in
  x6
""",
    )


def test_a_struct_is_made():
    golden(
        turn.func,
        """
type Line = {b0: Real, b: [1]Real}

def turn(line: Line): Line =
  let x0: Real = line.b0 in
  let x1: [1]Real = line.b in
  let x2: 1 = 0 in
  let x3: Real = x1[x2] in
  let x4: [1]Real = [x0] in
  let x5: Line = (x3, x4) in
  x5
""",
    )


def test_the_derivative_of_a_struct_has_another_type_of_its_name():
    golden(
        derivative(turn),
        """
type Line = {b0: Real, b: [1]Real}
type Line_1 = {b0: Tan, b: [1]Tan}

def turn.jvp(line: Line, dline: Line_1): (Line, Line_1) =
  let x0: Real = line.b0 in
  let x1: Tan = dline.b0 in
  let x2: [1]Real = line.b in
  let x3: [1]Tan = dline.b in
  let x4: 1 = 0 in
  let x5: Real = x2[x4] in
  let x6: Tan = x3[x4] in
  let x7: [1]Real = [x0] in
  let x8: [1]Tan = [x1] in
  let x9: Line = (x5, x7) in
  let x10: Line_1 = (x6, x8) in
  let x11: (Line, Line_1) = (x9, x10) in
  x11
""",
    )


def figure_4() -> Any:
    def f(x: float) -> Any:
        @fn
        def f(y: Real) -> Real:
            return x / y

        return f

    f0, f1, f2 = f(5), f(7), f(5)

    @fn
    def h(z: Real) -> Real:
        return f0(z) + f1(z) + f1(f2(z))

    return h


def test_figure_4():
    golden(
        figure_4().func,
        """
def f(y: Real): Real =
  let x0: Real = 5.0 in
  let x1: Real = x0 / y in
  x1

def f_1(y: Real): Real =
  let x0: Real = 7.0 in
  let x1: Real = x0 / y in
  x1

def f_2(y: Real): Real =
  let x0: Real = 5.0 in
  let x1: Real = x0 / y in
  x1

def h(z: Real): Real =
  let x0: Real = f(z) in
  let x1: Real = f_1(z) in
  let x2: Real = x0 + x1 in
  let x3: Real = f_2(z) in
  let x4: Real = f_1(x3) in
  let x5: Real = x2 + x4 in
  x5
""",
    )


def test_the_derivative_of_figure_4():
    golden(
        derivative(figure_4()),
        """
def f.jvp(y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = 5.0 in
  let x1: Real = x0 / y in
  let x2: Real = x1 / y in
  let x3: Tan = dy * x2 in
  let x4: Tan = -x3 in
  let x5: (Real, Tan) = (x1, x4) in
  x5

def f.jvp_1(y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = 7.0 in
  let x1: Real = x0 / y in
  let x2: Real = x1 / y in
  let x3: Tan = dy * x2 in
  let x4: Tan = -x3 in
  let x5: (Real, Tan) = (x1, x4) in
  x5

def f.jvp_2(y: Real, dy: Tan): (Real, Tan) =
  let x0: Real = 5.0 in
  let x1: Real = x0 / y in
  let x2: Real = x1 / y in
  let x3: Tan = dy * x2 in
  let x4: Tan = -x3 in
  let x5: (Real, Tan) = (x1, x4) in
  x5

def h.jvp(z: Real, dz: Tan): (Real, Tan) =
  let x0: (Real, Tan) = f.jvp(z, dz) in
  let x1: Real = fst x0 in
  let x2: Tan = snd x0 in
  let x3: (Real, Tan) = f.jvp_1(z, dz) in
  let x4: Real = fst x3 in
  let x5: Tan = snd x3 in
  let x6: Real = x1 + x4 in
  let x7: Tan = x2 + x5 in
  let x8: (Real, Tan) = f.jvp_2(z, dz) in
  let x9: Real = fst x8 in
  let x10: Tan = snd x8 in
  let x11: (Real, Tan) = f.jvp_1(x9, x10) in
  let x12: Real = fst x11 in
  let x13: Tan = snd x11 in
  let x14: Real = x6 + x12 in
  let x15: Tan = x7 + x13 in
  let x16: (Real, Tan) = (x14, x15) in
  x16
""",
    )


def test_one_function_by_itself():
    h = figure_4().func
    golden_text = """
def h(z: Real): Real =
  let x0: Real = f(z) in
  let x1: Real = f_1(z) in
  let x2: Real = x0 + x1 in
  let x3: Real = f_2(z) in
  let x4: Real = f_1(x3) in
  let x5: Real = x2 + x4 in
  x5
"""
    assert show(h, callees=False) == show_func(h) == golden_text.strip("\n")


def test_a_function_that_prints_a_struct_by_itself():
    assert show_func(turn.func) == show(turn.func).partition("\n\n")[2]


def host() -> Any:
    @opaque(name="Math.log", pure=True)
    def log(x: Real) -> Real:
        raise NotImplementedError

    @log.jvp
    def rule(x: Dual) -> Dual:
        return Dual(log(x.re), x.du / x.re)

    @opaque
    def tell(x: Real, line: Line) -> None:
        raise NotImplementedError

    @fn
    def f(x: Real) -> Real:
        tell(x, Line(1.0, [2.0]))
        return log(x)

    return f


def test_opaque_functions():
    golden(
        host().func,
        """
type Line = {b0: Real, b: [1]Real}

def tell(x: Real, line: Line): () = opaque

def Math.log(x: Real): Real = pure opaque

def Math.log.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = Math.log(x) in
  let x1: Tan = dx / x in
  let x2: (Real, Tan) = (x0, x1) in
  x2

jvp Math.log = Math.log.jvp

def f(x: Real): Real =
  let x0: Real = 1.0 in
  let x1: [1]Real = [2.0] in
  let x2: Line = (x0, x1) in
  let x3: () = tell(x, x2) in
  let x4: Real = Math.log(x) in
  x4
""",
    )


def log_twice() -> Any:
    @opaque(name="Math.log", pure=True)
    def log(x: Real) -> Real:
        raise NotImplementedError

    @log.jvp
    def rule(x: Dual) -> Dual:
        return Dual(log(x.re), x.du / x.re)

    @fn
    def f(x: Real) -> Real:
        return log(log(x))

    return f


def test_a_rule_of_a_user():
    golden(
        derivative(log_twice()),
        """
def Math.log(x: Real): Real = pure opaque

def Math.log.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: Real = Math.log(x) in
  let x1: Tan = dx / x in
  let x2: (Real, Tan) = (x0, x1) in
  x2

jvp Math.log = Math.log.jvp

def f.jvp(x: Real, dx: Tan): (Real, Tan) =
  let x0: (Real, Tan) = Math.log.jvp(x, dx) in
  let x1: Real = fst x0 in
  let x2: Tan = snd x0 in
  let x3: (Real, Tan) = Math.log.jvp(x1, x2) in
  let x4: Real = fst x3 in
  let x5: Tan = snd x3 in
  let x6: (Real, Tan) = (x4, x5) in
  x6
""",
    )


def literals() -> Func:
    with building("literals") as b:
        k = b.param(Fin[2], "k")
        table = to_value([[1.0, -0.0], [float("inf"), 1e300]], Vec[2, Vec[2]])
        flags = to_value([True, False], VecType(2, Bool))
        row = b.index(table, k)
        zeros: list[Type] = [Tan, Bool, Fin[5], VecType(2, Tan), tuple_of(Real), tuple_of()]
        items = [b.index(row, k), b.index(flags, k), *[b.zero(t) for t in zeros], b.unit(), b.const(4, Fin[7])]
        return b.func(b.tuple(items))


def test_literals():
    golden(
        literals(),
        """
def literals(k: 2): (Real, Bool, Tan, Bool, 5, [2]Tan, (Real,), (,), (), 7) =
  let x0: [2][2]Real = [[1.0, -0.0], [inf, 1e+300]] in
  let x1: [2]Bool = [true, false] in
  let x2: [2]Real = x0[k] in
  let x3: Real = x2[k] in
  let x4: Bool = x1[k] in
  let x5: Tan = 0.0 in
  let x6: Bool = false in
  let x7: 5 = 0 in
  let x8: [2]Tan = zero in
  let x9: (Real,) = zero in
  let x10: (,) = zero in
  let x11: () = () in
  let x12: 7 = 4 in
  let x13: (Real, Bool, Tan, Bool, 5, [2]Tan, (Real,), (,), (), 7) = (x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) in
  x13
""",
    )


def indices() -> Any:
    @fn
    def f(i: Fin[4], j: Fin[3]) -> tuple[Bool, Fin[8], Real]:
        return (i < j) ^ (i == j) | (i <= j), (i + j) % 3 + (i * j) // 2 * 1 + 1, i + 0.5

    return f


def test_indices():
    golden(
        indices().func,
        """
def f(i: 4, j: 3): (Bool, 8, Real) =
  let x0: Bool = i < j in
  let x1: Bool = i == j in
  let x2: Bool = x0 xor x1 in
  let x3: Bool = i <= j in
  let x4: Bool = x2 or x3 in
  let x5: 6 = i + j in
  let x6: 4 = 3 in
  let x7: 3 = x5 % x6 in
  let x8: 7 = i * j in
  let x9: 3 = 2 in
  let x10: 4 = x8 // x9 in
  let x11: 2 = 1 in
  let x12: 4 = x10 * x11 in
  let x13: 6 = x7 + x12 in
  let x14: 7 = x13 + x11 in
  let x15: Real = real i in
  let x16: Real = 0.5 in
  let x17: Real = x15 + x16 in
  let x18: 2 = 0 in
  let x19: 8 = x14 + x18 in
  let x20: (Bool, 8, Real) = (x4, x19, x17) in
  x20
""",
    )


def items() -> Any:
    @fn([tuple_of(Real, Real), tuple_of(Real, Real, Real), {"z": Real, "g": Vec[2]}, tuple_of(Real)], Real)
    def f(p: Any, t: Any, d: Any, u: Any) -> Any:
        return p[0] - p[1] * t[2] + d["z"] + u[0] * -d["g"][1]

    return f


def test_items_of_tuples():
    golden(
        items().func,
        """
def f(p: (Real, Real), t: (Real, Real, Real), d: {z: Real, g: [2]Real}, u: (Real,)): Real =
  let x0: Real = fst p in
  let x1: Real = snd p in
  let x2: Real = t.0 in
  let x3: Real = t.1 in
  let x4: Real = t.2 in
  let x5: Real = d.z in
  let x6: [2]Real = d.g in
  let x7: Real = u.0 in
  let x8: Real = x1 * x4 in
  let x9: Real = x0 - x8 in
  let x10: Real = x9 + x5 in
  let x11: 2 = 1 in
  let x12: Real = x6[x11] in
  let x13: Real = -x12 in
  let x14: Real = x7 * x13 in
  let x15: Real = x10 + x14 in
  x15
""",
    )


def parts() -> Func:
    with building("parts") as b:
        k, x = b.param(Fin[3], "k"), b.param(Real, "x")
        line = to_value(Line(1.0, [2.0]), turn.types[0])
        inner = tuple_of(Real, VecType(3, Real))
        wide = b.param(Ref(tuple_of(Real, inner, line.type)), "wide")
        for at in (b.at(b.at(wide, 1), 0), b.at(b.at(b.at(wide, 1), 1), k), b.at(b.at(wide, 2), 0)):
            b.add_to(at, x)
        b.add_to(b.at(wide, 2), line)
        return b.func(b.unit())


def test_parts_of_accumulators():
    golden(
        parts(),
        """
type Line = {b0: Real, b: [1]Real}

def parts(k: 3, x: Real, wide: &(Real, (Real, [3]Real), Line)): () =
  let x0: Real = 1.0 in
  let x1: [1]Real = [2.0] in
  let x2: Line = (x0, x1) in
  let a0: &(Real, [3]Real) = &wide.1 in
  let a1: &Real = &fst a0 in
  let a2: &[3]Real = &snd a0 in
  let a3: &Real = &a2[k] in
  let a4: &Line = &wide.2 in
  let a5: &Real = &a4.b0 in
  let x3: () = a1 += x in
  let x4: () = a3 += x in
  let x5: () = a5 += x in
  let x6: () = a4 += x2 in
  let x7: () = () in
  x7
""",
    )


# accumulators: nested as in the paper, or flat


def crossing() -> Func:
    with building("crossing") as b:
        x = b.param(Real, "x")
        r, s = b.accum(x), b.accum(x)
        b.add_to(r, x)
        y = b.freeze(r)
        b.add_to(s, y)
        return b.func(b.freeze(s))


def test_accumulators_that_cross_are_flat():
    golden(
        crossing(),
        """
def crossing(x: Real): Real =
  let a0: &Real = accum x in
  let a1: &Real = accum x in
  let x0: () = a0 += x in
  let x1: Real = freeze a0 in
  let x2: () = a1 += x1 in
  let x3: Real = freeze a1 in
  x3
""",
    )


def inside() -> Func:
    with building("inside") as b:
        x = b.param(Real, "x")
        r = b.accum(x)
        b.add_to(r, b.const(2.0, Real))
        s = b.accum(x)
        y = b.emit(ops.sqrt, (x,))
        b.add_to(s, y)
        z = b.freeze(s)
        b.add_to(r, z)
        return b.func(b.emit(ops.mul, (b.freeze(r), y)))


def test_accumulators_nest_and_one_value_comes_out():
    golden(
        inside(),
        """
def inside(x: Real): Real =
  let x0: Real = 2.0 in
  let x1: (Real, Real) =
    accum a0 from x in
      let x2: () = a0 += x0 in
      let x3: (Real, Real) =
        accum a1 from x in
          let x4: Real = sqrt x in
          let x5: () = a1 += x4 in
          x4
      in
      let x6: Real = fst x3 in
      let x7: Real = snd x3 in
      let x8: () = a0 += x6 in
      x7
  in
  let x9: Real = fst x1 in
  let x10: Real = snd x1 in
  let x11: Real = x9 * x10 in
  x11
""",
    )


def two_values() -> Func:
    with building("two_values") as b:
        x = b.param(Real, "x")
        r = b.accum(x)
        y, z = b.emit(ops.sqrt, (x,)), b.emit(ops.neg, (x,))
        b.add_to(r, y)
        return b.func(b.tuple([b.freeze(r), y, z]))


def test_an_accumulator_with_two_values_beside_it_is_flat():
    golden(
        two_values(),
        """
def two_values(x: Real): (Real, Real, Real) =
  let a0: &Real = accum x in
  let x0: Real = sqrt x in
  let x1: Real = -x in
  let x2: () = a0 += x0 in
  let x3: Real = freeze a0 in
  let x4: (Real, Real, Real) = (x3, x0, x1) in
  x4
""",
    )


def one_vector() -> Func:
    with building("one_vector") as b:
        x = b.param(Real, "x")
        r = b.accum(x)

        def body(i: Value) -> tuple[list[Value], list[Value]]:
            b.add_to(r, x)
            return [], [ops.real(i)]

        _, (v,) = b.loop(3, body)
        s = b.accum(x)
        b.freeze(s)
        return b.func(b.tuple([b.freeze(r), v]))


def test_a_vector_comes_out_beside_a_sum():
    golden(
        one_vector(),
        """
def one_vector(x: Real): (Real, [3]Real) =
  let x0: (Real, [3]Real) =
    accum a0 from x in
      let x1: [3]Real = [for i0: 3,
        let x2: () = a0 += x in
        let x3: Real = real i0 in
        x3
      ] in
      let x4: (Real, ()) =
        accum a1 from x in
          ()
      in
      let x5: Real = fst x4 in
      x1
  in
  let x6: Real = fst x0 in
  let x7: [3]Real = snd x0 in
  let x8: (Real, [3]Real) = (x6, x7) in
  x8
""",
    )


def several() -> Func:
    with building("several") as b:
        x = b.param(Real, "x")
        (_, t), (_, w) = b.loop(3, lambda i, s, t: ([t, s + t], [s, i]), [x, x])
        b.loop(2, lambda i: ([], []))
        b.loop(2, lambda i: b.loop(2, lambda j: ([], [])))
        return b.func(b.tuple([t, w]))


def test_a_loop_with_several_results_some_of_them_not_used():
    golden(
        several(),
        """
def several(x: Real): (Real, [3]3) =
  let (_, x0, _, x1): (Real, Real, [3]Real, [3]3) = [for i0: 3, x2: Real from x, x3: Real from x,
    let x4: Real = x2 + x3 in
    (x3, x4, x2, i0)
  ] in
  let x5: [2]() = [for i1: 2,
    ()
  ] in
  let x6: [2]() = [for i2: 2,
    let x7: [2]() = [for i3: 2,
      ()
    ] in
    ()
  ] in
  let x8: (Real, [3]3) = (x0, x1) in
  x8
""",
    )


# names


def clash() -> Func:
    with building("<lambda>") as b:
        for name in ("x0", "x0", "in", None, "a0"):
            b.param(Ref(Real) if name == "a0" else Real, name)
        x, y, z, w, ref = b.root.params
        b.add_to(ref, x + y)
        return b.func((x + y) * z * w)


def test_names_are_unique():
    golden(
        clash(),
        """
def lambda(x0: Real, x0_1: Real, in_1: Real, x1: Real, a0: &Real): Real =
  let x2: Real = x0 + x0_1 in
  let x3: () = a0 += x2 in
  let x4: Real = x2 * in_1 in
  let x5: Real = x4 * x1 in
  x5
""",
    )


def same_names() -> Func:
    made: list[Func] = []
    for name in ("f", "f_1", "f", "f", "grad(f)"):
        with building(name) as b:
            x = b.param(Real, "x")
            for g in made:
                x = b.call(g, [x])
            made.append(b.func(x))
    return made[-1]


def test_names_of_functions_are_unique():
    text = show(same_names())
    heads = [line for line in text.split("\n") if line.startswith("def")]
    assert heads == [f"def {name}(x: Real): Real =" for name in ("f", "f_1", "f_2", "f_3", "grad_f")]
    assert text.endswith("let x0: Real = f(x) in\n  let x1: Real = f_1(x0) in\n"
                         "  let x2: Real = f_2(x1) in\n  let x3: Real = f_3(x2) in\n  x3")  # fmt: skip


@pytest.mark.slow
def test_a_long_chain_of_calls():
    f = None
    for _ in range(3000):
        with building("f") as b:
            x = b.param(Real, "x")
            f = b.func(x if f is None else b.call(f, [x]))
    assert f is not None
    assert show(f).count("def ") == 3000


@pytest.mark.slow
def test_the_depth_of_accumulators_is_bounded():
    with building("deep") as b:
        x = b.param(Real, "x")
        refs = [b.accum(x) for _ in range(2000)]
        y = x
        for ref in reversed(refs):
            b.add_to(ref, y)
            y = b.freeze(ref)
        f = b.func(y)
    assert max(len(line) - len(line.lstrip()) for line in show(f).split("\n")) <= 2 + 4 * 8


def test_the_same_text_every_time():
    assert show(derivative(figure_4())) == show(derivative(figure_4()))


def test_a_loop_of_dependent_length_is_read_as_it_is_printed():
    f = fn([Vec[5]], Real)(lambda x: rose.sum(x[i] * x[j] for i in rose.range(5) for j in rose.range(i)))
    text = show(rose.grad(f).func)
    assert "Span[4, 1, 5] from" in text
    again = rose.parse(text)
    assert show(again[[*again][-1]].func) == text
