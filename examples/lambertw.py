"""A function that the table does not have: Lambert's W, the solution w of w * exp(w) = x.

It is found by iteration. Its derivative is given by hand, so no derivative goes through the iterations;
reverse mode, and every higher order, follow from the rule.
"""

import rose
from rose import Dual, Real, fn


@fn
def lambertw(x: Real) -> Real:
    """The principal branch, for x from -1/e on; nan below."""
    p = rose.sqrt(2 * (rose.exp(1.0) * x + 1))  # Corless et al. 1996, eq. 4.22: the series at -1/e
    l = rose.log1p(x)  # elsewhere, Winitzki's approximation (2003)
    w = rose.select(x < -0.25, -1 + p - p**2 / 3 + 11 * p**3 / 72, l * (1 - rose.log1p(l) / (2 + l)))
    for _ in range(3):  # Halley's steps, each of which triples the digits: over Python's range, so unrolled
        e = rose.exp(w)
        f = w * e - x
        w = rose.select(f == 0, w, w - f / (e * (w + 1) - (w + 2) * f / (2 * w + 2)))
    return w


@lambertw.jvp
def rule(x: Dual) -> Dual:
    w = lambertw(x.re)
    return Dual(w, x.du / (x.re + rose.exp(w)))


module = rose.compile({"w": lambertw, "slope": rose.grad(lambertw), "bend": rose.grad(rose.grad(lambertw))})

if __name__ == "__main__":
    for x in (-0.25, 0.0, 1.0, 100.0):
        print(f"W({x}) = {module.w(x):.15g}, W' = {module.slope(x):.15g}, W'' = {module.bend(x):.15g}")
    print(f"all in {len(module.wasm):,} bytes")
