"""Errors that point at the user's expression, and the source locations behind them.

    exceptions   `RoseError` and its kinds: a message, a location with a caret, and a hint that begins with a verb
    locations    `here`, the user's expression that is being evaluated, and how a `Loc` is narrowed to a part of it
    advice       what to write in the place of a name that is not one of ours
    numpy_names, foreign_names
                 its tables: of what NumPy has too, and of what other libraries have

`edge` decorates a public function: an error that leaves it points at its caller, and our own frames are hidden. A
location is a code object and an instruction in it: it costs little until an error is shown. What a user can get wrong
is a `RoseError`; what we can get wrong is an `assert`.
"""

from .exceptions import (
    AssertionFailed,
    EscapedValue,
    NoField,
    NotDifferentiable,
    NotImportable,
    NotLinear,
    OutOfRange,
    RoseError,
    TimedOut,
    TooLarge,
    TypeMismatch,
    UnknownName,
    WrongSyntax,
    edge,
    hide_our_frames,
    naming_absent,
    nothing_swallowed,
    unpickled,
)
from .locations import (
    Finder,
    Loc,
    Span,
    added,
    annotation,
    argument,
    asked,
    called,
    field,
    here,
    is_augmented,
    is_direct,
    is_imported,
    is_looped,
    is_ours,
    is_stored,
    is_unpacked,
    operand_of,
    parameter,
    repeated,
    returned,
    subscript,
    unpacks_each,
    users_frame,
)

__all__ = [
    "AssertionFailed",
    "EscapedValue",
    "Finder",
    "Loc",
    "NoField",
    "NotDifferentiable",
    "NotImportable",
    "NotLinear",
    "OutOfRange",
    "RoseError",
    "Span",
    "TimedOut",
    "TooLarge",
    "TypeMismatch",
    "UnknownName",
    "WrongSyntax",
    "added",
    "annotation",
    "argument",
    "asked",
    "called",
    "edge",
    "field",
    "here",
    "hide_our_frames",
    "is_augmented",
    "is_direct",
    "is_imported",
    "is_looped",
    "is_ours",
    "is_stored",
    "is_unpacked",
    "naming_absent",
    "nothing_swallowed",
    "operand_of",
    "parameter",
    "repeated",
    "returned",
    "subscript",
    "unpacks_each",
    "unpickled",
    "users_frame",
]  # fmt: skip
