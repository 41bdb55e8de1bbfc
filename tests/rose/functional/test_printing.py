"""Functionals as text."""

import re
from typing import Any

import pytest

import rose
from rose import Real, TypeMismatch, fn
from rose import functional as F
from rose.functional.printing import show

from .functions import LINE, Curve, Surface, cos, product, sin, square

LENGTH = """\
def length(y: Map[Real, Real]): Real =
  let g0 = <grid of 101 nodes, each a Real> in
  let f0: Map[Real, Real] = nabla(y, 0) in
  let f1: Map[Real, Real] = f0 ** 2 in
  let f2: Map[Real, Real] = 1 + f1 in
  let f3: Map[Real, Real] = sqrt(f2) in
  let f4: Real = integrate(f3, 0, g0) in
  f4"""


@F.functional
def length(y: Curve) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2), LINE)


@F.functional
def everything(f: Curve, k: Surface, a: Real) -> Curve:
    g = (k.on(None, LINE) @ f) * a + F.compose(f, sin, inverse=cos)
    h = F.split(F.zip_functions(g, -g))[1] + F.integrate(f, LINE) * F.partial(k, (a,), 1)
    return F.linearize(h)(f, F.nabla(h), share_inputs=True) + F.permute_args(k, (1, 0))(f, 2.0)


def test_a_functional_is_a_line_for_each_operator():
    assert show(length) == LENGTH


@pytest.mark.parametrize("of", [rose.grad, rose.value_and_grad, rose.jvp, rose.hvp, rose.vjp], ids=lambda t: t.__name__)
def test_a_line_uses_what_stands_above_it(of: Any):
    head, *lines, last = show(of(length)).splitlines()
    known = {part.split(":")[0] for part in head.partition("(")[2].partition("(")[2].split(", ")}
    for line in lines:
        name, _, text = line.strip().removeprefix("let ").partition(" = ")
        assert set(re.findall(r"\b[fg]\d+\b", text)) <= known
        known.add(name.partition(":")[0])
    assert last.strip().strip("()").split(", ")[0] in known


def test_every_operator_has_a_text():
    text = show(everything)
    names = "integrate broadcast_arg zip_functions split partial linearize nabla permute_args inverse=cos .on(None"
    assert [x for x in names.split() if x.strip(",") not in text] == []


def test_a_function_that_a_functional_gave_names_the_users_functions():
    text = show(rose.grad(length)(sin))
    assert text.startswith("def grad(length): Map[Real, Real] =") and "nabla(sin, 0)" in text


def test_two_functions_of_one_name_have_two_labels():
    one, other = [rose.fn([Real], Real)(g) for g in (lambda x: x, lambda x: x + 1.0)]
    assert "fn" not in (found := show(one + other)) or "_1" in found
    assert show(one + one).count(one.name) == 2 + show(one + one).splitlines()[0].count(one.name)


def test_a_deep_graph_has_a_line_for_each_function():
    h: Any = sin
    for _ in range(1000):
        h = rose.tanh(h) + h
    lines = show(h).splitlines()
    assert len(lines) == 2002 and max(map(len, lines)) < 60


def test_results_bear_the_names_of_functionals_and_others_those_of_operators():
    assert [f.name for f in (rose.grad(length)(sin), rose.hvp(length)(sin, cos))] == ["grad(length)", "hvp(length)"]
    assert rose.grad(_named, (0, 1))(sin, cos)[1].name == "grad(_named, 1)"
    composed = [sin + cos, 2.0 * sin, F.nabla(sin), sin(square), product(sin, cos, share_inputs=True), rose.exp(sin)]
    assert (sin.on(LINE).name, F.broadcast_arg(sin, product, 1).name) == ("sin", "sin")
    want = ["add(sin, cos)", "multiply(sin)", "nabla(sin)", "sin(square)", "product(sin, cos)", "exp(sin)"]
    assert [f.name for f in composed] == want


@F.functional
def _named(f: Curve, g: Curve) -> Real:
    return F.integrate(f * g, LINE)


def test_a_slope_is_saved_under_a_name_that_a_package_may_have(tmp_path: Any):
    files = [file.name for file in rose.compile(rose.grad(length)(sin)).save(tmp_path)]
    assert "grad_length.wasm" in files
    module = rose.compile(sin + cos, F.nabla(sin))
    assert module.add_sin_cos(0.3) == (sin + cos)(0.3) and module.nabla_sin(0.3) == F.nabla(sin)(0.3)


def test_only_functions_are_shown():
    with pytest.raises(TypeMismatch, match=r"F\.show takes a functional, or a function, not 3"):
        F.show(3)
    assert F.show(fn([Real], Real)(lambda x: x)).count("\n") == 1
