"""Parameters of distributions: by place, by name, and what is wrong with them."""

from __future__ import annotations

import pytest

import rose
from rose import Real, fn, stats
from rose.stats.family import Continuous


def test_parameters_go_by_place_and_by_name():
    for given, named in (
        ((2.0, 1.0, 3.0), {}),
        ((2.0, 1.0), {"scale": 3.0}),
        ((), {"scale": 3.0, "a": 2.0, "loc": 1.0}),
    ):
        f = fn([Real], Real)(lambda x, given=given, named=named: stats.gamma.pdf(x, *given, **named))
        g = fn([Real], Real)(lambda x: stats.gamma.pdf((x - 1.0) / 3.0, 2.0) / 3.0)
        assert f(4.0) == pytest.approx(g(4.0), rel=1e-15)


@pytest.mark.parametrize(
    ("args", "named", "got"),
    [((), {}, "none"), ((1.0, 2.0, 3.0, 4.0), {}, "4.0"), ((1.0,), {"a": 1.0}, "a="), ((1.0,), {"mu": 1.0}, "mu=")],
)
def test_other_parameters_are_refused(args: tuple[float, ...], named: dict[str, float], got: str):
    with pytest.raises(rose.TypeMismatch, match="gamma takes a, loc=, scale= after what it is asked for, and got") as e:
        fn([Real], Real)(lambda x: stats.gamma.pdf(x, *args, **named))(1.0)
    assert got in str(e.value) and "give each of them once" in str(e.value)


def test_what_has_no_formula_is_refused_by_name():
    key = rose.random.key(0)
    for what, args in {"ppf": (0.5, 1.0), "sample": (key, 1.0), "var": (1.0,)}.items():
        f = fn([Real], Real)(lambda _, what=what, args=args: getattr(stats.vonmises, what)(*args))
        with pytest.raises(rose.RoseError, match=f"rose.stats.vonmises has no {what}"):
            f(1.0)


def test_a_family_of_one_s_own_needs_a_logpdf_alone():
    triangle = Continuous("triangle", low=0.0, high=1.0, logpdf=lambda z: rose.log(2.0 * z))
    assert fn([Real], Real)(triangle.pdf)(0.25) == pytest.approx(0.5)
    assert repr(triangle) == "<the distributions triangle(loc, scale)>"
    assert fn([Real], Real)(triangle.pdf)(-0.25) == 0.0
