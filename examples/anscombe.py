"""Linear regression by gradient descent, from end to end (Listing 1 of the paper).

Three ideas: a Python function that takes sizes and makes an `@fn` is how a function is generic; data of Python
becomes part of a function by being used in it; and what is compiled is the gradient, which Python calls.
"""

import rose
from rose import Real, Vec, fn

X = [[10], [8], [13], [9], [11], [14], [6], [4], [12], [7], [5]]
Y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]  # the first of Anscombe's four data sets


def least_squares(n, m):
    """The loss, for n points of m coordinates each."""

    @fn
    def loss(x: Vec[n, Vec[m]], y: Vec[n], b0: Real, b: Vec[m]) -> Real:
        def squared_error(i):  # no `@fn`: a macro, which is expanded where it is used
            estimate = b0 + rose.sum(x[i][j] * b[j] for j in rose.range(m))
            return (y[i] - estimate) ** 2

        return rose.sum(squared_error(i) for i in rose.range(n))

    return loss


def linear_regression(x, y, eta):
    """The line of the smallest loss, by steps of `eta` until nothing changes; and how many steps it took."""
    n, m = len(x), len(x[0])
    loss = least_squares(n, m)

    @rose.struct
    class Line:
        b0: Real
        b: Vec[m]

    @fn
    def loss_of(line: Line) -> Real:
        return loss(x, y, line.b0, line.b)

    gradient = rose.compile(rose.grad(loss_of))
    line, steps = Line(0.0, [0.0] * m), 0
    while True:
        d, steps = gradient(line), steps + 1
        moved = Line(line.b0 - eta * d.b0, [b - eta * db for b, db in zip(line.b, d.b, strict=True)])
        if moved == line:
            return line, steps
        line = moved


line, steps = linear_regression(X, Y, eta=1e-4)
print(f"b0 = {line.b0:.6g}, b = {line.b[0]:.6g} after {steps:,} gradients")
