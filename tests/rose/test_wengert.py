"""Trace tables: those of textbooks; and of loops, calls, branches and rules, whose derivatives are those of passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, RoseError, Vec, fn, linalg, trace_table


@fn
def f(x0: Real, x1: Real) -> Real:
    return rose.sin(x0 * x1)


def columns(mode: str, **options: Any) -> Any:
    """The value and the derivative of each row, by its name."""
    return {r.name: (r.value, r.derivative) for r in trace_table(f, 2.0, 2.0, mode=mode, **options).rows}


def test_the_forward_tables_of_a_sine_of_a_product():
    v3 = -0.7568024953079282
    assert columns("primal") == {"v0": (2.0, None), "v1": (2.0, None), "v2": (4.0, None), "v3": (v3, None)}
    tangents = {"v0": (2.0, 1.0), "v1": (2.0, 0.0), "v2": (4.0, 2.0), "v3": (v3, -1.3072872417272239)}
    assert columns("forward") == tangents
    assert columns("forward", along=(0.0, 3.0))["v3"][1] == pytest.approx(3.0 * -1.3072872417272239, rel=1e-15)


def test_a_direction_means_forward_mode_and_is_an_error_in_primal_mode():
    assert trace_table(f, 2.0, 2.0, along=(0.0, 3.0)) == trace_table(f, 2.0, 2.0, mode="forward", along=(0.0, 3.0))
    with pytest.raises(RoseError, match=r"values alone in primal mode, and no direction[\s\S]*hint: leave out along"):
        trace_table(f, 2.0, 2.0, mode="primal", along=(0.0, 3.0))


def test_the_reverse_table_of_a_sine_of_a_product():
    slope = -1.3072872417272239
    assert [(name, x) for name, (_, x) in columns("reverse").items()] == [
        ("v3", 1.0), ("v2", -0.6536436208636119), ("v1", slope), ("v0", slope)
    ]  # fmt: skip


def test_a_table_as_text_and_as_html():
    table = trace_table(f, 2.0, 2.0, mode="forward")
    assert str(table).splitlines()[::4] == ["f = v3", "v2  v0 * v1    4              2"]
    assert "<td>v2</td><td>v0 * v1</td><td>4</td><td>2</td>" in table._repr_html_()  # pyright: ignore[reportPrivateUsage]
    less = fn([Real], Real)(lambda x: rose.print("<{}>", x) or x * 2.0)
    assert "<td>v0 * 2</td>" in trace_table(less, 1.0)._repr_html_()  # pyright: ignore[reportPrivateUsage]


@rose.struct
class Ball:
    at: Vec[2]
    mass: Real


@fn
def cubed(x: Real) -> Real:
    return x * x * x


@cubed.jvp
def _(x: Any) -> Any:
    return rose.Dual(cubed(x.re), 3.0 * x.re * x.re * x.du)


def summed(v: Any) -> Any:
    total = rose.accum(0.0)
    for i in rose.range(3):
        total += rose.select(v[i] > 0.5, v[i] ** 2, rose.exp(v[i])) * i
    return total.value / rose.max(v[0], v[1])


def scaled(v: Any) -> Any:
    return rose.cond(
        v[0] > 0.0, lambda: rose.while_loop(lambda y: y < 9.0, lambda y: 1.5 * y * v[2], v[1]), lambda: 0.0
    )


BODIES: dict[str, Any] = {
    "a loop with a select": summed,
    "a branch and a while loop": scaled,
    "a scan": lambda v: rose.scan(lambda i, c: c * v[i] + i, v[0], 3),
    "calls of a rule": lambda v: cubed(v[0]) + rose.sum(cubed(v[i]) * v[i] for i in rose.range(3)),
    "equations": lambda v: linalg.solve([[v[0], 1.0], [2.0, v[1]]], [v[2], 1.0])[1],
    "the same number twice": lambda v: linalg.det([[v[0], v[0], 1.0], [v[1], 2.0, v[0]], [0.0, v[2], v[2]]]),
    "a tie": lambda v: rose.max(v[0], 0.3) * rose.abs(v[1] - v[1]) + rose.relu(v[2]),
    "what has no derivative": lambda v: rose.floor(v[2]) * v[0] + rose.stop_gradient(v[1]) * v[1],
    "arrays": lambda v: rose.sum(np.exp(v) @ np.outer(v, v)),
    "a struct": lambda v: (lambda b: b.mass * b.at[1])(Ball([v[0], v[1] * v[2]], v[2])),
    "a gradient": lambda v: rose.grad(fn([Real], Real)(lambda x: rose.sin(x) * x))(v[0]) * v[1],
    "a constant": lambda v: 3.0,
    "an argument": lambda v: v[1],
}


@pytest.mark.parametrize("name", BODIES)
def test_the_last_row_has_the_derivative_and_the_first_ones_the_gradient(name: str):
    g, v = fn([Vec[3]], Real)(BODIES[name]), [0.3, 0.9, 2.1]
    reverse = {r.name: r.derivative for r in trace_table(g, v, mode="reverse").rows}
    assert [reverse[f"v{k}"] for k in range(3)] == pytest.approx(rose.grad(g)(v), rel=1e-13)
    along = [0.5, -1.0, 2.0]
    forward = trace_table(g, v, mode="forward", along=along).rows
    named = {"v" + str(k): r.derivative for k, r in enumerate(forward)}
    title = trace_table(g, v).title.removeprefix(f"{g.name} = ")
    assert named.get(title, 0.0) == pytest.approx(rose.grad(g)(v) @ along, rel=1e-13)


def test_arguments_of_any_type_and_a_result_of_several_numbers():
    g = fn([Ball, Real], tuple[Real, Ball])(lambda b, x: (x * b.mass, b))
    table = trace_table(g, Ball([1.0, 2.0], 3.0), 4.0, mode="reverse", along=(2.0, Ball([0.0, 1.0], 0.0)))
    assert [(r.name, r.derivative) for r in table.rows] == [
        ("v4", 2.0), ("v3", 6.0), ("v2", 8.0), ("v1", 1.0), ("v0", 0.0)
    ]  # fmt: skip
    n = rose.dim("n")
    assert len(trace_table(fn([Vec[n]], Real)(lambda v: rose.sum(v)), [1.0, 2.0]).rows) == 3


def test_iterations_have_rows_up_to_a_limit():
    g = fn([Real], Real)(lambda x: rose.scan(lambda _, c: c * x, x, 50))
    assert len(trace_table(g, 1.0).rows) == 51
    with pytest.raises(rose.TooLarge, match="more than 20 numbers"):
        trace_table(g, 1.0, most=20)
