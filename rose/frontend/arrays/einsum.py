"""`einsum`: sums of products by the names of their indices, as in `einsum("ij,jk->ik", x, y)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import RoseError, TypeMismatch, argument, here
from ...ir import Value, a_traced, shown
from ...ir.value import host_index
from .elementwise import array_function
from .products import Label, factors, product_of
from .shapes import is_several, shape_of, spelled

DOTS = "..."


class Sum(NamedTuple):
    """A string, read: the indices of each operand, and those of the result, if they are named."""

    operands: list[list[str]]
    result: list[str] | None


@array_function
def einsum(subscripts: Any, *operands: Any) -> Any:
    """The sum of products that the string says, as NumPy reads it: `einsum("ij,jk->ik", x, y)` is `x @ y`.

    An index that the result lacks is summed over. Without `->` the result has those that stand once, in the order of
    the alphabet. An index that stands twice in one operand means its diagonal, and `...` the axes without a name, which
    are broadcast.

    Numbers from 0 to 51 in lists say the same: `einsum(x, [0, 1], y, [1, 2], [0, 2])`, with `...` for the axes without.

    Several operands are contracted from the left to the right, two at a time: an index is summed over as soon as no
    later operand has it, and one that a single operand has before that. Each sum is in the order of its indices, the
    first that is named outermost.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _by_labels((subscripts, *operands))
    said = parsed(subscripts, len(operands))
    xs = factors("rose.einsum", *operands)
    rows = [_labels(x, names, subscripts) for x, names in zip(xs, said.operands, strict=True)]
    return _contracted(xs, rows, _result(said, rows, subscripts))


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # of the numbers of indices, which they keep in order


def _by_labels(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The string of operands that are each followed by a list of numbers, and perhaps by that of the result."""
    operands, rows = args[: len(args) // 2 * 2 : 2], args[1::2]
    if not rows or not all(map(is_several, (*rows, *args[len(rows) * 2 :]))):
        wrong = next((x for x in (*rows, *args[len(rows) * 2 :]) if not is_several(x)), args[0])
        said = a_traced(wrong) if isinstance(wrong, Value) else shown(wrong)
        what = f"rose.einsum takes a string first, or a list of numbers after each operand, not {said}"
        hint = 'write rose.einsum("ij,jk->ik", x, y), or rose.einsum(x, [0, 1], y, [1, 2], [0, 2])'
        raise TypeMismatch(what, here(), hint)
    text = ",".join(map(_letters, rows))
    return (f"{text}->{_letters(args[-1])}" if len(args) % 2 else text), operands


def _letters(row: Sequence[Any]) -> str:
    """The letters of a list of numbers."""
    out = ""
    for x in row:
        k = host_index(x)
        if x is not Ellipsis and (k is None or not 0 <= k < len(LETTERS)):
            hint = "write numbers from 0 to 51, and `...` once in an operand"
            raise TypeMismatch(f"rose.einsum cannot name an axis by {shown(x)}", here(), hint)
        out += DOTS if k is None else LETTERS[k]
    return out


def parsed(text: str, count: int) -> Sum:
    """The indices that a string names, for so many operands."""
    left, arrow, right = text.partition("->")
    pieces = left.split(",")
    if len(pieces) != count:
        what = f"rose.einsum is given {count} operand{'s' * (count != 1)}, and its string names {len(pieces)}"
        raise _wrong(text, what, "separate operands by commas: one for each")
    starts = [sum([len(p) + 1 for p in pieces[:k]]) for k in range(len(pieces))]
    rows = [_names(text, p, start) for p, start in zip(pieces, starts, strict=True)]
    if not arrow:
        return Sum(rows, None)
    result = _names(text, right, len(left) + 2)
    for at, k in enumerate(result):
        if k in result[:at]:
            raise _wrong(text, f"the result of rose.einsum has the index {k!r} twice", "name it once")
        if k != DOTS and not any([k in row for row in rows]):
            what = f"no operand has the index {k!r} of the result of rose.einsum"
            raise _wrong(text, what, "name indices of operands, or leave it out")
    return Sum(rows, result)


def _names(text: str, piece: str, start: int) -> list[str]:
    """The indices of one operand, and `...`, in order. `start` is the place of the piece in the string."""
    out = list[str]()
    at = 0
    while at < len(piece):
        c = piece[at]
        if piece.startswith(DOTS, at) and DOTS not in out:
            out.append(DOTS)
            at += len(DOTS)
            continue
        if not c.isspace() and not (c.isascii() and c.isalpha()):
            what = f"rose.einsum cannot read {text!r}: {c!r} at position {start + at} is no index"
            raise _wrong(text, what, 'name each index by a letter, as in "ij,jk->ik"; `...` once in an operand')
        if not c.isspace():
            out.append(c)
        at += 1
    return out


def _wrong(text: str, what: str, hint: str) -> RoseError:
    return TypeMismatch(what, here().narrow(argument(0, "subscripts", *range(1, 12))), hint)


def _labels(x: Value, names: Sequence[str], text: str) -> list[Label]:
    """A label for each axis; those of `...` are numbers, counted from the last."""
    rank, named = len(shape_of(x.type)), len([k for k in names if k != DOTS])
    if named > rank or (named < rank and DOTS not in names):
        said = "".join(names)
        what = (
            f"rose.einsum names {named} axes by {said!r}, and an operand of the shape {spelled(shape_of(x.type))} has"
        )
        raise _wrong(text, f"{what} {rank}", "name each axis by a letter, or the rest by `...`")
    return [label for k in names for label in (range(named - rank, 0) if k == DOTS else [k])]


def _result(said: Sum, rows: Sequence[Sequence[Label]], text: str) -> list[Label]:
    """The labels of the result."""
    dots = sorted({k for row in rows for k in row if isinstance(k, int)})
    if said.result is None:
        names = [k for row in said.operands for k in row if k != DOTS]
        return [*dots, *sorted([k for k in names if names.count(k) == 1])]
    if dots and DOTS not in said.result:
        hint = "write `...` in the result too, or name the axes, to sum over them"
        raise _wrong(text, "the result of rose.einsum lacks the axes of `...`", hint)
    return [label for k in said.result for label in (dots if k == DOTS else [k])]


def _contracted(xs: list[Value], rows: list[list[Label]], out: list[Label]) -> Value:
    """The operands contracted from the left to the right."""
    if len(xs) > 1:
        for k, x in enumerate(xs):
            others = {label for j, row in enumerate(rows) if j != k for label in row}
            kept = [label for label in dict.fromkeys(rows[k]) if label in others or label in out]
            if len(kept) < len(set(rows[k])):
                xs[k], rows[k] = product_of([x], [rows[k]], kept, "rose.einsum"), kept
    while len(xs) > 2:
        later = {*out, *[label for row in rows[2:] for label in row]}
        kept = [label for label in dict.fromkeys([*rows[0], *rows[1]]) if label in later]
        made = product_of(xs[:2], rows[:2], kept, "rose.einsum")
        xs, rows = [made, *xs[2:]], [kept, *rows[2:]]
    return product_of(xs, rows, out, "rose.einsum")
