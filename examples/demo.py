"""What `make demo` runs: a program, its gradient, the fit of a line, and the package for a web page."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import rose
from rose import Real, Vec, fn

X = [[10], [8], [13], [9], [11], [14], [6], [4], [12], [7], [5]]
Y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
n, m = len(X), len(X[0])


@rose.struct
class Line:
    b0: Real
    b: Vec[m]

    def at(self, x: Vec[m]) -> Real:
        return self.b0 + rose.sum(x[j] * self.b[j] for j in rose.range(m))


@fn
def loss(line: Line, x: Vec[n, Vec[m]], y: Vec[n]) -> Real:
    """The sum of the squared errors of a line."""
    total = rose.accum(0.0)
    for i in rose.range(n):
        total += (y[i] - line.at(x[i])) ** 2
    return total.value


@fn
def gradient(line: Line) -> Line:
    """How the loss of a line changes with its numbers."""
    change: Line = rose.vjp(loss)(line, X, Y).grad(1.0)[0]
    return change


def fit(gradient: Callable[[Line], Line], eta: float = 1e-4) -> tuple[Line, int]:
    """The line of the smallest loss, by steps of `eta` until nothing changes; and how many steps it took."""
    line, steps = Line(0.0, [0.0]), 0
    while True:
        d, steps = gradient(line), steps + 1
        moved = Line(line.b0 - eta * d.b0, [line.b[0] - eta * d.b[0]])
        if moved == line:
            return line, steps
        line = moved


def plot(line: Line, width: int = 46, height: int = 11) -> str:
    """The points, and the line through them, in characters."""
    cells = [[" "] * width for _ in range(height)]

    def place(x: float, y: float) -> tuple[int, int]:
        return height - 1 - round((y - 3) / 9 * (height - 1)), round((x - 2) / 14 * (width - 1))

    for column in range(width):
        x = 2 + 14 * column / (width - 1)
        row, _ = place(x, line.b0 + line.b[0] * x)
        cells[row][column] = "·"
    for (x,), y in zip(X, Y, strict=True):
        row, column = place(x, y)
        cells[row][column] = "●"
    return "\n".join("  │" + "".join(row).rstrip() for row in cells) + "\n  └" + "─" * width


start = time.perf_counter()
module = rose.compile(gradient)
compiled = time.perf_counter()
line, steps = fit(module)
end = time.perf_counter()

print()
print(plot(line))
print()
print(f"  y = {line.b0:.6g} + {line.b[0]:.6g} x")
print()
print(f"  traced, differentiated and compiled in {1e3 * (compiled - start):.0f} ms")
print(f"  fitted with {steps:,} calls of the gradient in {end - start:.1f} s")
print(f"  the module has {len(module.wasm):,} bytes")
print()
with tempfile.TemporaryDirectory() as folder:
    files = module.save(Path(folder) / "dist")
    print("  module.save('dist') writes, for a web page:")
    for file in files:
        print(f"    dist/{file.name:16}{file.stat().st_size:7,} bytes")
print()
