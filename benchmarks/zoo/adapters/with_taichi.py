"""Taichi, on the CPU in 64 bits: a kernel and `ti.ad.Tape`. It has no derivatives of derivatives."""

import taichi as ti

from ..cases import CASES
from ..harness import run
from ..spec import Missing
from ..trace import traced
from . import kernels

ti.init(arch=ti.cpu, default_fp=ti.f64, log_level=ti.ERROR, offline_cache=False)

KERNEL = """
import taichi as ti
from math import inf

x = ti.field(ti.f64, shape={n}, needs_grad=True)
out = ti.field(ti.f64, shape=(), needs_grad=True)

@ti.kernel
def kernel(n1: int, n2: int):
    for _ in range(1):  # the outermost loop is the parallel one
{reads}
{lines}
        out[None] += s
"""
WORDS = {"F": "ti.f64", "m": "ti", "vector": "ti.Vector([0.0, 0.0])"}
NAMES = {c.program: c.name for c in CASES}


def _none(_):
    raise Missing("Taichi differentiates once")


def orders(program, n):
    name = NAMES[program]
    if name in kernels.LOOPS:
        n1, n2, lines = kernels.LOOPS[name]
    else:
        lines = kernels.expression(traced(program), n, "ti.select({}, {}, {})", "ti.Vector([{}]).norm()")
        n1, n2 = 0, 0
    lines = lines.replace("{m}.abs(", "abs(").replace("{m}.pow(", "pow(")
    reads = "\n".join(f"        x{k} = x[{k}]" for k in range(n))
    text = KERNEL.format(n=n, reads=reads, lines=kernels.indented(lines.format(**WORDS), 8))
    made = kernels.imported(text)

    def both(point):
        for k, v in enumerate(point):
            made.x[k] = v
        made.out[None] = 0.0
        with ti.ad.Tape(loss=made.out):
            made.kernel(n1, n2)
        return made.out[None], [made.x.grad[k] for k in range(n)]

    return [lambda point: both(point)[0], lambda point: both(point)[1], _none, _none]


if __name__ == "__main__":
    run(orders, f"Taichi {'.'.join(map(str, ti.__version__))}")
