"""Opaque functions: the value, gradient and Hessian of x ** y (Listings 2 and 3 of the paper).

An opaque function is one of the host: Python's here, JavaScript's `Math.pow` on a web page. Only its first
derivative is given, forwards; reverse mode and all higher orders follow from it.
"""

import math

import rose
from rose import Dual, Real, Vec, fn, opaque


@opaque(name="Math.log", pure=True)
def log(x: Real) -> Real:
    return math.log(x)


@log.jvp
def _(x):
    return Dual(log(x.re), x.du / x.re)


@opaque(name="Math.pow", pure=True)
def power(x: Real, y: Real) -> Real:
    return math.pow(x, y)


@power.jvp
def _(x, y):
    z = power(x.re, y.re)
    return Dual(z, (x.du * (y.re / x.re) + y.du * log(x.re)) * z)


@fn
def f(v: Vec[2]) -> Real:
    return power(v[0], v[1])


@fn
def g(v: Vec[2]) -> Vec[2]:
    return rose.vjp(f)(v).grad(1)


@fn
def h(v: Vec[2]) -> Vec[2, Vec[2]]:
    pullback = rose.vjp(g)(v).grad  # one forward pass, and a backward pass for each row
    return [pullback([1, 0]), pullback([0, 1])]


Local = {"z": Real, "g": Vec[2], "h": Vec[2, Vec[2]]}  # a dict of names to types is a struct


@fn
def everything(x: Real, y: Real) -> Local:
    v = [x, y]
    return {"z": f(v), "g": g(v), "h": h(v)}


at = rose.compile(everything)(2, 3)
print("value:   ", at["z"])
print("gradient:", at["g"])
print("Hessian: ", at["h"][0], at["h"][1])
