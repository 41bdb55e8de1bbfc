"""The inspector: the sections, imports, exports, functions and sizes of any module, for `rose inspect`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .encoder import MAX_BODY, MAX_LOCALS, MAX_PAGES, MAX_PARAMS, MAX_RESULTS, name, section
from .reader import KINDS, TYPES, Reader, function_type, items, names_of, sections_of

_SECTIONS = {
    1: "type", 2: "import", 3: "function", 4: "table", 5: "memory", 6: "global", 7: "export", 8: "start", 9: "element",
    10: "code", 11: "data", 12: "data count", 13: "tag",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Function:
    """A function: its size in bytes, and the number of its locals, parameters included."""

    name: str
    type: str
    bytes: int
    locals: int


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The facts about a module. An import or export has a name, a kind, and a type."""

    bytes: int
    sections: Sequence[tuple[str, int]]
    imports: Sequence[tuple[str, str, str]]
    exports: Sequence[tuple[str, str, str]]
    functions: Sequence[Function]
    pages: tuple[int, int] | None  # of memory: at first, and at most
    data: int  # bytes of data segments
    source_map: str | None
    limits: Sequence[tuple[str, int, int]]  # each limit of engines: its name, the value of the module, the limit


def anatomy(wasm: bytes) -> Anatomy:
    """The facts about a module from its bytes; a ValueError if they are not a module, or damaged."""
    if wasm[:4] != b"\0asm":
        raise ValueError("it does not begin like a WebAssembly module")
    if wasm[4:8] != b"\1\0\0\0":
        raise ValueError("it is of another version of WebAssembly, or a component")
    try:
        return _Module(wasm).whole()
    except (IndexError, KeyError, UnicodeDecodeError) as e:
        raise ValueError("it is damaged, or uses features that modules of Rose never use") from e


class _Module:
    def __init__(self, wasm: bytes) -> None:
        self.wasm, self.found = wasm, list(sections_of(wasm))
        self.sections = dict(self.found)
        self.names = names_of(self.sections)
        self.types = [self.type(r) for r in items(self.sections, 1)]
        self.imported: list[int] = []  # the types of the functions
        self.imports = [self.of_import(r) for r in items(self.sections, 2)]
        self.own = [r.unsigned() for r in items(self.sections, 3)]

    def type(self, r: Reader) -> tuple[str, int, int]:
        """A type as text, and the numbers of its parameters and results."""
        if r.data[r.at] != 0x60:
            raise ValueError("it has types other than those of functions")
        start = Reader(r.data, r.at + 1)
        params = len(start.bytes(start.unsigned()))
        results = len(start.bytes(start.unsigned()))
        return function_type(r), params, results

    def of_import(self, r: Reader) -> tuple[str, str, str]:
        path = f"{r.name()}.{r.name()}"
        kind = KINDS[r.bytes(1)[0]]
        if kind == "func":
            self.imported.append(r.unsigned())
            return path, kind, self.types[self.imported[-1]][0]
        if kind == "global":
            return path, kind, self.of_global(r)
        if kind == "memory":
            return path, kind, _shown(*_limits(r))
        raise ValueError(f"it imports a {kind}")

    def of_global(self, r: Reader) -> str:
        number = TYPES[r.bytes(1)[0]]
        return f"mutable {number}" if r.bytes(1)[0] else number

    def of_export(self, r: Reader) -> tuple[str, str, str]:
        field, kind, index = r.name(), KINDS[r.bytes(1)[0]], r.unsigned()
        type = self.types[[*self.imported, *self.own][index]][0] if kind == "func" else ""
        memory = self.memory()
        return field, kind, _shown(*memory) if kind == "memory" and memory is not None else type

    def memory(self) -> tuple[int, int] | None:
        return next((_limits(r) for r in items(self.sections, 5)), None)

    def functions(self) -> Iterator[Function]:
        for k, r in enumerate(items(self.sections, 10)):
            size, start = r.unsigned(), r.at
            text, params, _ = self.types[self.own[k]]
            own = 0
            for _ in range(r.unsigned()):
                own += r.unsigned()
                r.bytes(1)
            r.at = start
            r.bytes(size)
            index = len(self.imported) + k
            yield Function(self.names.get(index, f"function {index}"), text, size, params + own)

    def data(self) -> int:
        total = 0
        for r in items(self.sections, 11):
            if r.unsigned() != 0:
                raise ValueError("it has data without a fixed address in memory")
            r.bytes(1)
            r.signed()
            r.bytes(1)
            total += len(r.bytes(r.unsigned()))
        return total

    def whole(self) -> Anatomy:
        named = [(_SECTIONS.get(id, str(id)) if isinstance(id, int) else id, _size(id, x)) for id, x in self.found]
        functions, url = list(self.functions()), self.sections.get("sourceMappingURL")
        pages = self.memory()
        limits = [
            ("bytes of a function", max([f.bytes for f in functions], default=0), MAX_BODY),
            ("locals of a function", max([f.locals for f in functions], default=0), MAX_LOCALS),
            ("parameters of a function", max([n for _, n, _ in self.types], default=0), MAX_PARAMS),
            ("results of a function", max([n for _, _, n in self.types], default=0), MAX_RESULTS),
            ("pages of memory", 0 if pages is None else pages[0], MAX_PAGES),
        ]
        exports = [self.of_export(r) for r in items(self.sections, 7)]
        source_map = None if url is None else Reader(url).name()
        return Anatomy(len(self.wasm), named, self.imports, exports, functions, pages, self.data(), source_map, limits)


def _size(id: int | str, content: bytes) -> int:
    """The size of a section, header included."""
    return len(section(id, content) if isinstance(id, int) else section(0, name(id) + content))


def _limits(r: Reader) -> tuple[int, int]:
    kind, least = r.bytes(1)[0], r.unsigned()
    if kind > 1:
        raise ValueError("it has a memory that is shared, or larger than 4 GiB")
    return least, r.unsigned() if kind else MAX_PAGES


def _shown(least: int, most: int) -> str:
    return f"{least:,} page{'s' * (least != 1)}" + (f", at most {most:,}" if most < MAX_PAGES else "")
