"""What `inspect`, `help` and completion read of functions: signatures, docstrings, public names."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import pydoc
import re
from collections.abc import Callable
from typing import Any

import pytest
from paths import ROOT

import rose
import rose.functional as F
from rose import Real, Vec, fn
from rose.differentiation.gradients import pullback
from rose.frontend.documentation import _WHAT, own_docstring, result_labels, signature_of

n = rose.dim("n")


@fn
def energy(x: Vec[3], k: Real) -> Real:
    """Energy of a spring.

    Its second paragraph.
    """
    return k * x @ x


@fn
def mean(x: Vec[n], /) -> Real:
    """Mean of the elements."""
    return rose.mean(x)


@fn
def field(x: Vec[3]) -> Vec[3]:
    """A field."""
    return x * x


@fn
def wave(x: Real) -> Real:
    return rose.sin(x)


def shown(f: Any) -> str:
    return str(inspect.signature(f)).replace("collections.abc.", "").replace("rose.differentiation.", "")


def first(f: Any) -> str:
    return (inspect.getdoc(f) or "").partition("\n")[0]


SEEN: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: energy, "(x: Vec[3], k: Real) -> Real", "Energy of a spring."),
    (lambda: rose.grad(energy), "(x: Vec[3], k: Real) -> Vec[3]", "Gradient of `energy`, in x."),
    (lambda: rose.grad(f=energy, argnums=-1), "(x: Vec[3], k: Real) -> Real", "Gradient of `energy`, in k."),
    (lambda: rose.grad(energy, (0, 1)), "(x: Vec[3], k: Real) -> (Vec[3], Real)", "Gradient of `energy`, in x and k."),
    (lambda: rose.value_and_grad(energy), "(x: Vec[3], k: Real) -> (Real, Vec[3])",
     "Value and gradient of `energy`, in x."),
    (lambda: rose.hessian(energy), "(x: Vec[3], k: Real) -> Vec[3, Vec[3]]", "Hessian of `energy`, in x."),
    (lambda: rose.jacobian(field), "(x: Vec[3]) -> Vec[3, Vec[3]]", "Jacobian of `field`, in x."),
    (lambda: rose.jacfwd(field), "(x: Vec[3]) -> Vec[3, Vec[3]]", "Jacobian of `field` in forward mode, in x."),
    (lambda: rose.jacrev(field), "(x: Vec[3]) -> Vec[3, Vec[3]]", "Jacobian of `field` in reverse mode, in x."),
    (lambda: rose.hvp(energy), "(x: Vec[3], k: Real, v: Vec[3]) -> Vec[3]",
     "Hessian of `energy` times the vector v, in x."),
    (lambda: rose.vmap(wave), "(x: Vec[n]) -> Vec[n]", "`wave` of each element of arrays."),
    (lambda: rose.jvp(wave), "(x: Dual) -> Dual", "Derivative of `wave` in forward mode, from Duals to a Dual."),
    (lambda: rose.vjp(energy), "(x: Vec[3], k: Real) -> gradients.Vjp",
     "Derivative of `energy` in reverse mode, at a point."),
    (lambda: rose.linearize(wave), "(x: Real) -> tuple[Real, Callable[..., Real]]",
     "Value of `wave`, and its derivative at a point, a linear function."),
    (lambda: rose.taylor(wave, 3), "(x: Real) -> polynomials.Polynomial",
     "Taylor polynomial of `wave` around a point."),
    (lambda: rose.grad(rose.grad(wave)), "(x: Real) -> Real", "Gradient of `grad(wave)`, in x."),
    (lambda: rose.grad(mean), "(x: Vec[n], /) -> Vec[n]", "Gradient of `mean`, in x."),
    (lambda: rose.grad(mean).at(n=3), "(x: Vec[3], /) -> Vec[3]", "Gradient of `mean`, in x."),
    (lambda: rose.vjp(mean), "(x: Vec[n], /) -> gradients.Vjp", "Derivative of `mean` in reverse mode, at a point."),
    (lambda: rose.implicit.root(wave), "(x: Real) -> Real", "`root` of `wave`: The function from a start and data to "
     "the root `x` near it: `g(x, *data) == 0`."),
    (lambda: rose.vmap(lambda a, b: a * b), "(a, b)", "`<lambda>` of each element of arrays."),
    (lambda: rose.compile(energy), "(x: Vec[3], k: Real) -> Real", "Energy of a spring."),
    (lambda: rose.compile(rose.grad(energy)), "(x: Vec[3], k: Real) -> Vec[3]", "Gradient of `energy`, in x."),
    (lambda: rose.scipy(energy).jac, "(x: Vec[3], k: Real) -> Vec[3]", "Gradient of `energy`, in x."),
    (lambda: rose.parse("def f(x: Real, v: [2]Real): Real = x")["f"], "(x: Real, v: Vec[2]) -> Real", ""),
    (lambda: fn([Real, Vec[2]], Real)(lambda x, v: x * v[0]), "(x: Real, v: Vec[2]) -> Real", ""),
    (lambda: rose.grad(fn([Real], Real)(lambda t: t)), "(t: Real) -> Real", "Gradient of `<lambda>`, in t."),
    (lambda: wave + wave, "(x: Real) -> Real", ""),
    (lambda: rose.grad(length), "(u: Map[Real, Real])", "Gradient of `length`, in u."),
]  # fmt: skip


@F.functional
def length(u: F.Map[Real, Real]) -> Real:
    """Length of a curve."""
    return F.integrate(u * u, F.Grid.gauss_legendre(0, 1, 8))


@pytest.mark.parametrize("case", range(len(SEEN)))
def test_a_function_shows_its_parameters_and_what_it_is(case: int):
    make, signature, line = SEEN[case]
    f = make()
    assert (shown(f), first(f)) == (signature, line)
    assert "*args" not in (text := pydoc.plain(pydoc.render_doc(f)))
    if isinstance(f, rose.Fn) and f.name != "<lambda>":  # pydoc has the repr of others
        assert signature in text
    assert line in text


def test_the_docstring_of_a_derivative_goes_on_with_that_of_its_function():
    assert inspect.getdoc(rose.grad(energy)) == f"Gradient of `energy`, in x.\n\n{inspect.getdoc(energy)}"
    assert inspect.getdoc(rose.grad(rose.grad(wave))) == "Gradient of `grad(wave)`, in x.\n\nGradient of `wave`, in x."


@pytest.mark.parametrize("f", [energy, rose.grad(energy), rose.grad(mean), rose.vjp(energy), rose.vmap(wave)])
def test_pickles_and_copies_show_the_same(f: Any):
    for g in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert (shown(g), inspect.getdoc(g)) == (shown(f), inspect.getdoc(f))


def test_a_pickle_of_a_compiled_derivative_shows_the_same():
    f = rose.compile(rose.grad(wave))
    g = pickle.loads(pickle.dumps(f))
    assert (shown(g), inspect.getdoc(g)) == ("(x: Real) -> Real", "Gradient of `wave`, in x.")


def test_what_wraps_a_derivative_shows_the_same():
    @functools.wraps(rose.grad(energy))
    def slope(*args: Any) -> Any:
        return rose.grad(energy)(*args)

    assert (shown(slope), first(slope)) == ("(x: Vec[3], k: Real) -> Vec[3]", "Gradient of `energy`, in x.")


def test_to_look_at_a_function_traces_nothing():
    @fn
    def broken(x: Real) -> Real:
        raise AssertionError

    assert shown(rose.grad(broken)) == "(x: Real) -> Real"
    assert first(rose.grad(broken)) == "Gradient of `broken`, in x."


def test_the_classes_keep_their_own_signature_and_docstring():
    assert [*inspect.signature(rose.Fn).parameters][:2] == ["body", "types"]
    assert [*inspect.signature(rose.Compiled).parameters][:2] == ["lowered", "main"]
    assert first(rose.Fn) == "A function over traced values: call it, differentiate it, compile it."
    assert first(type(rose.vmap(wave))).startswith("`vmap` of an `@fn`.")


def test_names_that_python_has_no_parameters_for_are_counted():
    assert str(signature_of(["lambda", "y"], ["A", "B"], None, 1)) == "(x0: 'A', /, x1: 'B')"
    assert str(signature_of(["y", "y"], ["A", "B"], "C")) == "(x0: 'A', x1: 'B') -> 'C'"


def test_a_partial_has_no_docstring_of_its_own():
    assert own_docstring(functools.partial(abs)) is None
    assert first(fn([Real], Real)(functools.partial(lambda a, x: x, 2.0))) == ""


def test_each_derivative_of_the_public_names_is_described():
    takes_f = {
        k
        for k in rose.__all__
        if inspect.isfunction(f := getattr(rose, k)) and f.__module__.startswith("rose.differentiation")
        if next(iter(inspect.signature(f).parameters)) == "f"
    }
    assert takes_f - _WHAT.keys() == {"sparsity"}
    assert _WHAT.keys() - takes_f == {"vmap", "pullback"}


@fn
def both(x: Real) -> tuple[Real, Real]:
    """Two numbers.

    Returns:
        twice: Two of it.
        thrice: Three of it, in metres.
    """
    return 2 * x, 3 * x


def test_labels_of_the_items_of_a_result():
    def of(*names: str) -> tuple[Any, ...]:
        return tuple([(name, ()) for name in names])

    assert result_labels(both) == of("twice", "thrice")
    assert result_labels(energy) == result_labels(rose.grad(energy)) == ()
    assert result_labels(rose.value_and_grad(mean)) == of("value", "gradient")
    assert result_labels(rose.value_and_grad(energy, (0, 1)))[1] == ("gradient", of("x", "k"))
    assert result_labels(rose.grad(energy, (0, 1))) == of("x", "k")
    assert result_labels(rose.gradhessian(energy)) == of("gradient", "hessian")
    assert result_labels(rose.value_and_gradhessianv(energy)) == of("value", "gradient", "hessian")
    assert result_labels(rose.grad(both, has_aux=True)) == ()
    assert result_labels(pullback(energy)) == (("value", ()), ("gradient", of("x", "k")))


def test_what_is_said_of_a_result_is_not_said_of_its_derivative():
    assert "Returns:" in (both.__doc__ or "")
    assert rose.jacobian(both).__doc__ == "Jacobian of `both`, in x.\n\nTwo numbers."


# completion


def names(x: Any) -> set[str]:
    return {k for k in dir(x) if not k.startswith("_")}


OF_FUNCTIONS = {"at", "jvp", "map", "name", "names", "on", "result", "types"}


@pytest.mark.parametrize(
    "f", [energy, rose.grad(energy), mean, rose.vmap(wave), rose.opaque(energy.body), rose.op(wave), wave + wave]
)
def test_completion_of_a_function_shows_its_public_names(f: Any):
    assert names(f) == OF_FUNCTIONS
    assert all([inspect.getattr_static(f, k) is not None for k in OF_FUNCTIONS])


def test_completion_of_other_objects_shows_their_public_names():
    assert names(rose.vjp(energy)) == names(rose.linearize(energy)) == set()
    assert names(rose.Dual(1.0, 2.0)) == {"re", "du"}
    assert names(rose.scipy(wave)) == {"fun", "jac", "fun_and_jac", "hess", "hessp", "flatten", "unflatten"}
    assert names(rose.grad(length)) == {"name", "names", "result", "types"}
    assert names(rose.compile(wave)["wave"]) >= {"call", "map", "signature"}
    assert "lowered" not in names(rose.compile(wave, energy)["energy"])


def test_the_documents_name_what_completion_of_a_function_shows():
    text = "".join([p.read_text(encoding="utf-8") for p in sorted((ROOT / "web/docs").glob("*.md"))])
    assert {k for k in OF_FUNCTIONS if not re.search(rf"\bf\.{k}\b", text)} == set()


@pytest.mark.parametrize("module", ["", "functional", "implicit", "interpretations", "lib", "linalg", "nn", "random"])
def test_completion_of_a_module_shows_its_public_names_alone(module: str):
    looked_at = getattr(rose, module) if module else rose
    more = set() if module else {k for k in names(rose) if inspect.ismodule(getattr(rose, k))}
    assert names(looked_at) == {*looked_at.__all__} | more
    assert "functional" in names(rose)
