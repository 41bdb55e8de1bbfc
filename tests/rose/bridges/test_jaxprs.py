"""The tracer: calls that stay calls, locations, equations that nothing needs."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from jax_programs import agrees, jax, jnp, lax, sample

import rose
from rose.bridges.jaxprs import inner, needed
from rose.ir.callgraph import reachable

Primitive: Any = import_module("jax.extend.core").Primitive

x = sample(5)


@jax.jit
def long(x: Any) -> Any:
    for _ in range(10):
        x = jnp.sin(x) * 2.0
    return x


def test_a_long_function_that_is_called_twice_stays_a_function():
    f = rose.from_jax(lambda x: long(x) + long(x * 2.0), x)
    assert [g.name for g in reachable(f.func) if g.name == "long"] == ["long"]
    agrees(lambda x: long(x) + long(x * 2.0), x)
    once = rose.from_jax(lambda x: long(x) + 1.0, x)
    assert not [g for g in reachable(once.func) if g.name == "long"]


def test_a_function_is_made_once_for_each_of_its_known_arguments():
    @jax.jit
    def power(x: Any, k: Any) -> Any:
        return long(x) ** k + long(x + 1.0)

    f = rose.from_jax(lambda x: power(x, 2) + power(x, 3) + power(x * 2, 2), x)
    assert len([g for g in reachable(f.func) if g.name == "power"]) == 2
    agrees(lambda x: power(x, 2) + power(x, 3) + power(x * 2, 2), x)


def test_a_scan_is_a_loop_at_any_length():
    make: Any = lambda n: rose.from_jax(lambda x: lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=n)[0], x)
    assert abs(len(rose.compile(make(10)).wasm) - len(rose.compile(make(90)).wasm)) < 30


def test_a_vmapped_function_is_a_loop_at_any_length():
    f: Any = jax.vmap(lambda r: jnp.sum(jnp.sin(r) * r))
    small, large = [rose.compile(rose.grad(rose.from_jax(lambda m: f(m).sum(), sample(n, 4)))) for n in (20, 90)]
    assert abs(len(small.wasm) - len(large.wasm)) < 20


def test_locations_are_the_lines_of_jaxs_program():
    def f(x: Any) -> Any:
        return jnp.arccosh(x)  # this line

    origin = {v.loc.position()[1] for v in rose.from_jax(f, 2.0).func.body.code if v.loc is not None}
    assert f.__code__.co_firstlineno + 1 in origin


def test_equations_that_no_result_needs_are_not_traced():
    jaxpr = jax.make_jaxpr(lambda x: (jnp.sin(x), jnp.cos(x))[0])(x).jaxpr
    assert [e.primitive.name for e in needed(jaxpr)] == ["sin"]
    rose.from_jax(lambda x: (x * 2.0, lax.nextafter(x, x))[0], x)  # which has no meaning, and no reader


def test_the_jaxprs_in_an_equation():
    (e,) = jax.make_jaxpr(lambda x: lax.cond(x > 0, lambda: x, lambda: 2 * x))(1.0).jaxpr.eqns[-1:]
    assert len(list(inner(e))) == 2


def test_a_primitive_of_another_library_is_what_its_implementation_says():
    twice = Primitive("twice")
    twice.def_impl(lambda x, by: jnp.sin(x) * by)
    twice.def_abstract_eval(lambda x, by: x)
    f = rose.from_jax(lambda x: twice.bind(x, by=3.0), 1.0)
    assert f(2.0) == pytest.approx(3 * np.sin(2.0)) and rose.grad(f)(2.0) == pytest.approx(3 * np.cos(2.0))


@pytest.mark.parametrize("impl", [lambda x: np.sin(float(x)), None])
def test_but_a_function_of_jax(impl: Any):
    opaque = Primitive("opaque")
    if impl is not None:
        opaque.def_impl(impl)
    opaque.def_abstract_eval(lambda x: x)
    with pytest.raises(rose.TypeMismatch, match="opaque: "):
        rose.from_jax(lambda x: opaque.bind(x), 1.0)(1.0)
