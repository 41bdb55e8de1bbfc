"""What a docstring says of each parameter and of the result, in the notation of Google, of NumPy, or of Sphinx."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_PARAMETERS = {"args", "arguments", "parameters", "other parameters", "attributes"}
_RESULTS = {"returns", "return"}
_OTHERS = {"raises", "examples", "example", "notes", "note", "see also", "references", "warnings", "yields"}
_FIELD = re.compile(r":(param|parameter|arg|returns?)(?: +(?:[\w\[\], .]+ )?(\w+))? *: *(.*)")
_ENTRY = re.compile(r"((?:\*{0,2}\w+, *)*\*{0,2}\w+) *(?:\(([^)]*)\))? *:(?: +|$)(.*)")
# of a type, and not of a unit such as Hz
_TYPE = re.compile(
    r"(?:\b(?:float|int|bool|complex|array|array_like|list|tuple|optional|or|of|shape|Vec|Fin|[A-Z]\w{2,}|[\w.]*ndarray)\b"
    r"|\[[^\]]*\]|[, .|])*"
)


class Docstring(NamedTuple):
    """A docstring in parts: the `text` without those that tell of parameters and of the result.

    Of several results, `results` has the names, if they are told one by one.
    """

    text: str
    params: dict[str, str]
    returns: str = ""
    results: tuple[str, ...] = ()


def parsed(doc: str) -> Docstring:
    """The parts of a docstring; what is written in no known notation is text."""
    text, params, returns, results = list[str](), dict[str, str](), "", tuple[str, ...]()
    for title, lines, whole in _sections(doc):
        field = _FIELD.fullmatch(" ".join(" ".join(lines).split())) if title == "field" else None
        if title in _PARAMETERS:
            params.update({name.lstrip("*"): said for names, said in _entries(lines) for name in names})
        elif title in _RESULTS:
            returns, results = _result(lines)
        elif field and field[1].startswith("return"):
            returns = field[3]
        elif field and field[2]:
            params[field[2]] = field[3]
        else:
            text += whole
    return Docstring(_joined(text), params, returns, results)


def without_result(doc: str) -> str:
    """A docstring without what it tells of the result."""
    parts = [(title, whole) for title, _, whole in _sections(doc) if title not in _RESULTS]
    return _joined([x for title, whole in parts if title != "field" or ":return" not in whole[0] for x in whole])


def _joined(lines: Sequence[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _sections(doc: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the title of each section, its lines, and these with those of its title.

    The title of a field of Sphinx is `field`. That of other text is empty, and each line of it a section.
    """
    lines, k = inspect.cleandoc(doc).splitlines(), 0
    while k < len(lines):
        title, head = _title(lines, k)
        end = k + max(head, 1)
        while title and end < len(lines):
            if _is_underlined(lines, end) if head == 2 else lines[end] and lines[end][0] != " ":
                break
            end += 1
        yield title, lines[k + head : end], lines[k:end]
        k = end


def _title(lines: Sequence[str], k: int) -> tuple[str, int]:
    """The title of the section that begins with a line, and how many lines it takes."""
    title = lines[k].strip().rstrip(":").lower()
    if title in _PARAMETERS | _RESULTS | _OTHERS:
        if _is_underlined(lines, k):
            return title, 2
        if re.match(r"\S.*:$", lines[k]):
            return title, 1
    return ("field", 0) if _FIELD.match(lines[k]) else ("", 0)


def _is_underlined(lines: Sequence[str], k: int) -> bool:
    return bool(lines[k].strip()) and bool(re.fullmatch("[-=]{3,}", "".join(lines[k + 1 : k + 2]).strip()))


def _entries(lines: Sequence[str]) -> list[tuple[list[str], str]]:
    """The names of each entry, and what is said of them."""
    found: list[tuple[list[str], list[str]]] = []
    for line in inspect.cleandoc("\n" + "\n".join(lines)).splitlines():
        entry = None if line.startswith(" ") else _ENTRY.match(line)
        if entry:
            # in the notation of NumPy, the type is behind the colon
            numpy = " :" in line and not entry[2]
            unit = entry[3] if numpy else entry[2] or ""
            said = [f"({unit})"] * bool(unit and not _TYPE.fullmatch(unit)) + ([] if numpy else [entry[3]])
            found.append((re.split(r", *", entry[1]), said))
        elif line.strip() and not line.startswith(" ") and "," not in line and re.fullmatch(r"\w+", line):
            found.append(([line], []))
        elif line.strip() and found:
            found[-1][1].append(line.strip())
    return [(names, " ".join(said).strip()) for names, said in found]


def _result(lines: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What is said of the result, and the names of several."""
    text = " ".join(inspect.cleandoc("\n" + "\n".join(lines)).split())
    entries = _entries(lines)
    names = [name for several, _ in entries for name in several]
    if len(names) > 1 and not any([_TYPE.fullmatch(name) for name in names]):
        return "; ".join([f"{', '.join(several)}: {said}".rstrip(": ") for several, said in entries]), tuple(names)
    if entries and len(entries) == 1 and (_TYPE.fullmatch(names[0]) or " :" in lines[0]):
        return entries[0][1], ()
    if before := re.match(r"([\w\[\], .]+): ", text):
        return text.removeprefix(before[0]) if _TYPE.fullmatch(before[1]) else text, ()
    return text, ()
