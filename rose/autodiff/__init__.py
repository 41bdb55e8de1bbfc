"""Automatic differentiation: passes that make derivatives of functions of the IR.

Forward mode is one pass. `jvp` runs a function again on pairs of a primal and a tangent. Tangents have a type of their
own, `Tan`, which only linear operations accept: so the type checker proves that a derivative is linear in them.

Reverse mode goes on from there, in the order of these files:

    jvp             f  ->  f.jvp, over primals and tangents
    linearity       which instructions of f.jvp are linear: those that a `Tan` goes through
    residuals       which primal values the linear instructions read: what goes on the tape
    unzip           f.jvp  ->  f.jvp.fwd, the instructions that are not linear; it returns the tape as well
    unzip_control   the same for branches, while loops, functions that are recomputed, and those of given transposes
    half_signature  the calling convention of the halves
    linear_half     the walk over the linear instructions, with the residuals at hand
    guards          chains of conditions, and the masks that test them
    select_masks    under which conditions a linear value is used, and which cotangents must be masked therefore
    crossed_reads   which arrays have several sums in a nest of loops
    transpose       f.jvp  ->  f.jvp.bwd, the linear instructions in reverse (`cotangents` has their sums)
    sweep           f.jvp  ->  both halves in the block that calls it, without a tape outside of loops
    linearize       f.jvp  ->  f.jvp.lin, the linear instructions in order

`vector_mode` makes vectors of tangents, for several directions at once, `erase_tangents` makes numbers of tangents,
`prove_linear` makes tangents of numbers, and `checkpoint` divides a scan into segments that are recomputed in reverse.
`tests/golden/ir` shows programs after each of the passes.

Terms:
    Tan             the type of a tangent; a value with a `Tan` in its type is linear
    half            a part of a derivative: forward (`fwd`), backward (`bwd`) or linear (`lin`)
    residual        a primal value of the forward half that the other half reads
    tape            the tuple of the residuals of a block, with the tapes of its calls and loops
    accumulator     a sum that can be added to, but not read until it is frozen (`Ref`); the cotangent of a vector is
                    summed in one, and that of a number in SSA form
    mask            a condition that makes a cotangent zero where it leaves a branch of `select` that is not taken
    guard           the conditions under which a value is used
    marked          of a cotangent: -0.0 where nothing that was taken read it; any other is plain

Why it is so:
    A tape by type: unzipping asks of each instruction whether a `Tan` is in it, and of nothing else. So the tape has a
    static type, it is laid out as any value is, and a loop has vectors on it.

    Halves over `Real`: cotangents are numbers, not tangents. So both halves are functions like any other, which can be
    inlined, called from outside, and differentiated again to any order.

    Masks, and not a strong zero (a product that is 0 if the cotangent is 0): that would be a few lines, and right for
    first derivatives. But where a cotangent is 0 and its tangent is not, the derivative of that product loses a term,
    and second derivatives go wrong.

    Branches and while loops are functions, not regions: each has a type, a derivative and a tape of its own, by name.
    A pass over instructions meets one structured instruction, `for`, and calls.

    Accumulators, and not returned vectors: a loop adds to one element in constant time, where a sum of vectors that
    are zero elsewhere would take the time of the whole vector in each iteration. So too an element that is a vector
    has no accumulator of its own, but a place in that of the whole. `tests/laws/test_cost.py` has the law.
"""
