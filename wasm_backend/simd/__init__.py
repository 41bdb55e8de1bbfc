"""Vectorised loops: two iterations at a time, in vectors of two numbers, or four, with the bits of the scalar loop.

How many a vector has, and how its instructions are called, is its `Shape` (`binary/shapes.py`).

`loops.py` has the door, `vectorise`, which a loop of `codegen` asks, and the control flow; `plan.py` tells what each
instruction of the loop becomes; `vectors.py` writes these, and `reductions.py` what is added to sums; `estimate.py` is
the cost model, by which a loop stays scalar that would win nothing. Read them in this order.

Terms. A *lane* is one of the iterations in a vector; where an index is not affine, each lane has its own address. A
*splat* is a number from outside of the loop in all lanes. A *reduction* is a sum over the iterations: it keeps their
order, so that no rounding changes. Numbers of two columns that lie side by side in memory are *joined*: loaded at once,
and transposed.
"""
