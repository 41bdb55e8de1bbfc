"""The meaning of what a user writes of a traced value: the front end's answer to `ir.hooks`."""

from ..ir.hooks import Meanings
from . import columns, operators, vocabulary
from .annotations import Dual
from .arrays import attributes, elementwise, indexing, objects, products, shapes, ufuncs

MEANINGS = Meanings(
    {
        **operators.TABLE,
        "@": operators.reflecting("@", products.matmul),
        "each": elementwise.each,
        "array": shapes.as_array,
        "objects": objects.objects,
        "ufunc": ufuncs.applied,
        "function": vocabulary.applied,
        "part": indexing.part,
        "round": ufuncs.rounded,
        **{name: ufuncs.whole_part(name) for name in ("floor", "ceil", "trunc")},
        "iter": indexing.elements,
        "column": columns.named_column,
    },
    vocabulary.after_the_dot(),
    ufuncs.of_objects() | attributes.parts(),
    columns.named_column,
    Dual,
)
