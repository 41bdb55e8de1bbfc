"""Four ways to see what a compiled function does: print, assert, run it without compiling, and ask where a nan is from.

What is printed and asserted is compiled in: derivatives keep it, and a web page prints and throws the same.
"""

import rose
from rose import Real, Vec, fn


@fn
def spread(v: Vec[4]) -> Real:
    """The standard deviation of four numbers."""
    mean = rose.sum(v) / 4
    rose.print("mean = {:.2f} of {}", mean, v)
    variance = rose.sum((v[i] - mean) ** 2 for i in rose.range(4)) / 4
    rose.assert_(variance < 100.0, "the numbers are near one another")
    return rose.sqrt(variance)


slope = rose.grad(spread)

print("print:")
slope([1, 2, 3, 6])

print("assert:")
try:
    slope([1, 2, 3, 60])
except rose.AssertionFailed as e:
    failed = e
    print(f"  {e.message}")

print("eager:")


@fn
def falling(x: Real) -> Real:
    for i in rose.range(3):
        print("  turn", int(i), "of", float(x))  # Python's own print
        if x > 1.0:  # outside of eager, where it is traced, an error that says to write rose.cond
            print("  it is large")
        x = x / (i + 2)
    return x


with rose.eager():
    last = falling(3)

print("explain_nan:")
found = rose.explain_nan(spread, [2, 2, 2, 2])
print(found)
