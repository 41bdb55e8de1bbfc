"""Vectorised loops: two iterations at a time, in vectors of two numbers, with the bits of the scalar loop.

`loops.py` has the door, `vectorise`, which a loop of `codegen` asks, and the control flow; `plan.py` tells what each
instruction of the loop becomes; `vectors.py` writes these, and `reductions.py` what is added to sums; `estimate.py` is
the cost model, by which a loop stays scalar that would win nothing. Read them in this order.

Terms. A *lane* is one of the two iterations in a vector; where an index is not affine, each lane has its own address. A
*splat* is a number from outside of the loop in both lanes. A *reduction* is a sum over the iterations: it keeps their
order, so that no rounding changes. Numbers of two columns that lie side by side in memory are *joined*: loaded at once,
and transposed.
"""
