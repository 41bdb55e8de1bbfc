"""The reader of modules: sections and their items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rose.ir.libm import decode

TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128"}
KINDS = {0: "func", 1: "table", 2: "memory", 3: "global", 4: "tag"}


class Reader(decode.Reader):
    """The bytes of a module, read from front to back; a ValueError at the end of the bytes."""

    def bytes(self, n: int) -> bytes:
        found = super().bytes(n)
        if self.at > len(self.data):
            raise ValueError("it ends too early")
        return found

    def types(self) -> str:
        return " ".join([TYPES[t] for t in self.bytes(self.unsigned())])


def sections_of(wasm: bytes) -> Iterator[tuple[int | str, bytes]]:
    """The sections in order: id and content, or name and content of a custom section."""
    r = Reader(wasm, 8)
    while r.at < len(wasm):
        id = r.bytes(1)[0]
        content = r.bytes(r.unsigned())
        if id:
            yield id, content
        else:
            custom = Reader(content)
            yield custom.name(), content[custom.at :]


def items(sections: Mapping[int | str, bytes], id: int) -> Iterator[Reader]:
    """A reader at each item of a section in turn: the caller reads the item before it asks for the next."""
    if id in sections:
        r = Reader(sections[id])
        for _ in range(r.unsigned()):
            yield r


def function_type(r: Reader) -> str:
    """The type of a function, as text."""
    r.bytes(1)
    return f"({r.types()}) -> ({r.types()})"


def names_of(sections: Mapping[int | str, bytes]) -> dict[int, str]:
    """The names of functions, by index."""
    out: dict[int, str] = {}
    r = Reader(sections.get("name", b""))
    while r.at < len(r.data):
        id, content = r.bytes(1)[0], Reader(r.bytes(r.unsigned()))
        if id == 1:
            out = {content.unsigned(): content.name() for _ in range(content.unsigned())}
    return out
