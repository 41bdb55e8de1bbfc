"""The root of an equation by bisection, in plain Python: a `while` of unknown length, and its derivative.

With `syntax=True` the function's own `while`, `if` and `and` are loops and branches of the compiled function.
"""

import rose
from rose import Real, fn


@fn(syntax=True)
def wave_speed(depth: Real) -> Real:
    """The speed of a wave 10 m long, over water so deep: where tanh meets the line."""
    if depth <= 0.0:
        return 0.0
    low, high = 0.0, 4.0
    steps = 0
    while high - low > 1e-12 and steps < 100:
        middle = (low + high) / 2
        if middle * middle < 1.56 * rose.tanh(0.628 * depth):
            low = middle
        else:
            high = middle
        steps += 1
    speed = (low + high) / 2
    # one step of Newton's, which has the derivative: that of bisection is 0
    return speed - (speed * speed - 1.56 * rose.tanh(0.628 * depth)) / (2 * rose.stop_gradient(speed))


if __name__ == "__main__":
    module = rose.compile({"speed": wave_speed, "slope": rose.grad(wave_speed)})
    for depth in (-1.0, 0.5, 1.0, 2.0, 10.0):
        print(f"{depth:5.1f} m: {module.speed(depth):.6f}, and {module.slope(depth):.6f} more with each metre")
