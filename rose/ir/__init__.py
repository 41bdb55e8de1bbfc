"""The intermediate representation (IR): types, values, blocks, functions, the table of operations, the verifier.

Its files, in the order in which to read them:

    types         the types; equal types are the same object       forms      structs and dictionaries, for `Tuple`
    value         an instruction with its one result; what a user's code holds while it is traced
    func          blocks of instructions, functions, their kinds and origins
    hooks         what rooms here and above this one ask of those farther up: the one way up
    builder       `Builder.emit`, the door for new instructions: it simplifies, and shares common subexpressions
    views         the parts of loops and calls, by name
    users         who reads each value, and the edits that keep that true: how a pass edits in place
    columns       what the table says of an operation      rows   the kinds of rows
    ops           THE table: one row for each scalar operation      single_ops   the same rows in single precision
    lane_ops      the same rows over several elements of a batch at once
    affine        the one form of an index: what it is of other indices
    lengths       the norm of a vector            smooth       compositions that are smooth where a part has a kink
    stacks        the operations on the tapes of while loops           puts   vectors with another element
    reshapes      axes of other sizes, in the same memory
    callgraph     branches and while loops; walks over the functions that are reachable, and memos
    accumulators  aliasing, and sums that are never -0.0
    sizes         sizes that are known when a module runs: polynomials      numbers   literals
    check         the verifier: what a function must be to be well formed
    digest        by what functions are the same to all passes
    progress      how far the compiler is      text/   the IR as text      libm/   musl's mathematics

Terms:
    row             an operation of the table: all that passes know about it stands in its columns
    structural      an operation that each pass handles itself: `param`, `get`, `index`, `for`, `call` and the like
    block           instructions in order; only a `for` holds one in another
    kind            what a function is: with instructions (`Body`), of the host (`Opaque`), a `Branch`, a `While` loop,
                    or `Linear`, because its maker says so
    leaf            a type or a number that has no parts
    span            the indices of a loop of dependent length, as its first state (`Span`, `span_of`)
    accumulator     a sum that can be added to, but not read until it is frozen (`Ref`, `accum`, `add_to`, `freeze`)
    Tan             the type of a tangent: only linear operations accept one
    Pair, Four      a number of each of two elements of a batch, or four, at once; `Mask` a truth value of each
    tape            what the forward half of a derivative hands to the backward half
    half            a part of a derivative: forward (`fwd`), backward (`bwd`) or linear (`lin`)
    deferred        in code generation: an instruction that is written where its result is read
    alias           in code generation: a value that lies where another one does
    edge            the border between us and the user: an error that passes it points at the user's code

Contract: a finished function is well formed (`check`), and what was derived from it stays as it is. Values are compared
by identity. Functions and blocks may be nested and long without bound, so no pass recurs over operands or callees.
"""

from .builder import (
    ACCUM,
    ADD_TO,
    AT,
    CALL,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    PARAM,
    PURE_CALL,
    TUPLE,
    ZERO,
    Builder,
    Op,
    building,
    copying,
    current_builder,
    deriving,
    is_call,
    is_known,
    is_literal,
    is_tracing,
    resumed,
)  # fmt: skip
from .func import (
    Block,
    Body,
    Branch,
    Func,
    Kind,
    Later,
    Linear,
    Loop,
    Opaque,
    Origin,
    While,
)  # fmt: skip
from .numbers import as_number, shown
from .value import OPS, Value, a_traced, not_one_each
from .views import callee, element_of, is_index, loop_of, loops_around, span_of

__all__ = [
    "ACCUM",
    "ADD_TO",
    "AT",
    "CALL",
    "CONST",
    "FOR",
    "FREEZE",
    "GET",
    "INDEX",
    "OPS",
    "PACK",
    "PARAM",
    "PURE_CALL",
    "TUPLE",
    "ZERO",
    "Block",
    "Body",
    "Branch",
    "Builder",
    "Func",
    "Kind",
    "Later",
    "Linear",
    "Loop",
    "Op",
    "Opaque",
    "Origin",
    "Value",
    "While",
    "a_traced",
    "as_number",
    "building",
    "callee",
    "copying",
    "current_builder",
    "deriving",
    "element_of",
    "is_call",
    "is_index",
    "is_known",
    "is_literal",
    "is_tracing",
    "loop_of",
    "loops_around",
    "not_one_each",
    "resumed",
    "shown",
    "span_of",
]  # fmt: skip
