"""Warp, on the CPU in 64 bits: a kernel and `Tape`. It has no derivatives of derivatives."""

import warp as wp

from ..cases import CASES
from ..harness import run
from ..spec import Missing
from ..trace import traced
from . import kernels

wp.config.quiet = True
wp.init()

KERNEL = """
import warp as wp
from math import inf

@wp.kernel
def kernel(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64), n1: int, n2: int):
{reads}
{lines}
    out[0] = s
"""
WORDS = {"F": "wp.float64", "m": "wp", "vector": "wp.vec2d()"}
NAMES = {c.program: c.name for c in CASES}


def _none(_):
    raise Missing("Warp differentiates once")


def orders(program, n):
    name = NAMES[program]
    if name in kernels.LOOPS:
        n1, n2, lines = kernels.LOOPS[name]
    else:
        where, norm = "wp.where({}, {}, {})", "wp.length(wp.vector({}, length={n}, dtype=wp.float64))"
        n1, n2, lines = 0, 0, kernels.expression(traced(program), n, where, norm)
    reads = "\n".join(f"    x{k} = x[{k}]" for k in range(n))
    text = KERNEL.format(reads=reads, lines=kernels.indented(lines.format(**WORDS), 4))
    kernel = kernels.imported(text).kernel

    def both(point):
        x = wp.array(list(point), dtype=wp.float64, requires_grad=True, device="cpu")
        out = wp.zeros(1, dtype=wp.float64, requires_grad=True, device="cpu")
        with wp.Tape() as tape:
            wp.launch(kernel, dim=1, inputs=[x, out, n1, n2], device="cpu")
        value = out.numpy()[0]
        tape.backward(grads={out: wp.ones_like(out)})
        return value, x.grad.numpy()

    return [lambda point: both(point)[0], lambda point: both(point)[1], _none, _none]


if __name__ == "__main__":
    run(orders, f"Warp {wp.config.version}")
