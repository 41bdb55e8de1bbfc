"""Accessors: the JavaScript that checks a value and writes it into memory, and that reads one from there.

It is written for each type, in straight lines, from the types as data (`layout.describe`): functions with the same
types share it. In it `F`, `S`, `U` and `B` are the memory as numbers of 64 and 32 bits, indices and truth values, `q`
is true in a call that does not check each number, and `k` is the path of a value, for errors. What it calls is in
`js/rose-values.js` and `js/rose-kinds.js`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Described = Mapping[str, Any]
Number = int | str  # or an expression of JavaScript

VIEWS = {"real": ("F", 8), "single": ("S", 4), "index": ("U", 4), "bool": ("B", 1)}
SEVERAL = {"single": "singles", "index": "indices", "bool": "bools"}  # what writes a vector of such a kind
ARRAYS = {"F": "Float64Array", "S": "Float32Array", "U": "Uint32Array", "B": "Uint8Array"}
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


@dataclass(frozen=True, slots=True)
class Address:
    """An address in memory: an expression of JavaScript, if it is not empty, and a number of bytes."""

    base: str
    offset: int

    def plus(self, more: Number) -> Address:
        if isinstance(more, int):
            return Address(self.base, self.offset + more)
        return Address(f"{self.base}+{more}" if self.base else more, self.offset)

    def index(self, bytes: int) -> str:
        """The index in an array of elements of so many bytes."""
        k = self.offset // bytes
        if not self.base:
            return str(k)
        base = f"({self.base}>>>{bytes.bit_length() - 1})" if bytes > 1 else self.base
        return f"{base}+{k}" if k else base

    def text(self) -> str:
        return "+".join([*[self.base] * bool(self.base), *[str(self.offset)] * bool(self.offset or not self.base)])


class Path(NamedTuple):
    """The path of a value: a variable, if it is not empty, and text behind it."""

    base: str
    more: str

    def plus(self, more: str) -> Path:
        return Path(self.base, self.more + more)

    def text(self) -> str:
        return "+".join([*[self.base] * bool(self.base), *[literal(self.more)] * bool(self.more or not self.base)])

    def pair(self) -> str:
        """As two arguments, so that nothing is joined before it is needed."""
        return f"{self.base},{literal(self.more)}" if self.base and self.more else self.text()


def times(n: Number, m: Number) -> Number:
    return n * m if isinstance(n, int) and isinstance(m, int) else f"{n}*{m}"


def literal(x: Any) -> str:
    """A literal of JavaScript, which can stand in HTML too."""
    return json.dumps(x, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def member(of: str, name: str | int) -> str:
    """A property of an object, by its name."""
    plain = isinstance(name, str) and _NAME.fullmatch(name)
    return f"{of}.{name}" if plain else f"{of}[{literal(name)}]"


def key(name: str) -> str:
    """A property name in a literal; in brackets, `__proto__` is a name as others are."""
    return f'["{name}"]' if name == "__proto__" else name if _NAME.fullmatch(name) else literal(name)


def parts(t: Described) -> Sequence[tuple[str | int, Any, Described]]:
    """The fields of a struct, or the items of a tuple: name, offset and type of each."""
    return t["fields"] if "fields" in t else [(k, *item) for k, item in enumerate(t["items"])]


def leaf_kinds(t: Described) -> set[str]:
    """The kinds of the scalars in a type."""
    if t["kind"] == "vec":
        return leaf_kinds(t["elem"])
    if t["kind"] in ("struct", "tuple"):
        return set[str]().union(*[leaf_kinds(x) for _, _, x in parts(t)]) or {"unit"}
    return {t["kind"]}


def flat_kind(t: Described) -> str | None:
    """The kind of the numbers of a vector of vectors or structs which are nothing but such numbers, in a row."""
    kinds = leaf_kinds(t)
    if t["kind"] != "vec" or t["elem"]["kind"] in VIEWS or len(kinds) != 1:
        return None
    (found,) = kinds
    return found if found in ("real", "single") and isinstance(t["stride"], int) and t["stride"] else None


def filled(t: Described) -> str | None:
    """The kind of the numbers of a vector that is nothing but them: as a result it can be written into an array."""
    kinds = leaf_kinds(t)
    return next(iter(kinds)) if t["kind"] == "vec" and kinds in ({"real"}, {"single"}) else None


def _inner(t: Described) -> Iterator[Described]:
    yield t
    for x in [t["elem"]] if t["kind"] == "vec" else [x for _, _, x in parts(t)] if "name" in t or "items" in t else []:
        yield from _inner(x)


class Accessors:
    """The accessors of a module, and what they need."""

    def __init__(self, written: Sequence[Described], read: Sequence[Described]) -> None:
        self.text: list[str] = []  # the shared ones
        self.uses: dict[str, None] = {}  # functions of the runtime, in order
        self.views: set[str] = set()
        self.dynamic: dict[str, str] = {}  # variables of dynamic sizes, by the export that has each
        self._written, self._read = [Counter(literal(x) for t in ts for x in _inner(t)) for ts in (written, read)]
        self._shared: dict[tuple[str, str], str] = {}
        self._count = 0

    def use(self, name: str) -> str:
        self.uses[name] = None
        return name

    def view(self, kind: str) -> tuple[str, int]:
        name, bytes = VIEWS[kind]
        self.views.add(name)
        return name, bytes

    def number(self, x: int | Mapping[str, str]) -> Number:
        """A size or an address: a number, or the variable that has it."""
        return x if isinstance(x, int) else self.dynamic.setdefault(x["#"], f"d{len(self.dynamic)}")

    def at(self, x: int | Mapping[str, str] | None) -> Address:
        return Address("", 0).plus(self.number(0 if x is None else x))

    def _fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    # writing

    def checked(self, t: Described, x: str, path: Path) -> str:
        """A scalar, which is refused if it is wrong."""
        match t["kind"]:
            case "real":
                return f"{self.use('number')}({x},q,{path.pair()})"
            case "single":
                return f"{self.use('single')}({x},q,{path.pair()})"
            case "index":
                return f"{self.use('index')}({x},{self.number(t['size'])},{path.pair()})"
            case _:
                return f"{self.use('bool')}({x},{path.pair()})"

    def put(self, t: Described, x: str, at: Address, path: Path) -> str:
        """The statements that write the value of an expression."""
        kind = t["kind"]
        if kind == "unit":
            return ""
        if kind in VIEWS:
            view, bytes = self.view(kind)
            return f"{view}[{at.index(bytes)}]={self.checked(t, x, path)};"
        if kind == "vec" and t["elem"]["kind"] in VIEWS:
            return self._put_scalars(t, x, at, path)
        if kind == "vec" or self._written[literal(t)] > 1:
            return f"{self._shared_accessor('w', t)}({x},{at.text()},{path.text()});"
        return self._put_parts(t, x, at, path)

    def _put_scalars(self, t: Described, x: str, at: Address, path: Path) -> str:
        elem, n = t["elem"], self.number(t["size"])
        view, bytes = self.view(elem["kind"])
        start = f"{view},{x},{at.index(bytes)},{n}"
        if elem["kind"] == "real":
            return f"{self.use('numbers')}({start},q,{path.text()});"
        size = self.number(elem["size"]) if "size" in elem else "q"
        return f"{self.use(SEVERAL[elem['kind']])}({start},{size},{path.text()});"

    def _put_parts(self, t: Described, x: str, at: Address, path: Path) -> str:
        named = "fields" in t
        check = f"object({x}," if named else f"array({x},{len(t['items'])},"
        self.use(check.partition("(")[0])
        v = self._fresh("v")
        puts = [
            self.put(
                part, self._given(t, v, k), at.plus(self.number(offset)), path.plus(f".{k}" if named else f"[{k}]")
            )
            for k, offset, part in parts(t)
        ]
        held = f"const {v}=" if any(puts) else ""
        return f"{held}{check}{path.pair()});{''.join(puts)}"

    @staticmethod
    def _given(t: Described, of: str, name: str | int) -> str:
        """An item of what was given, or what it is in Python where it is left out."""
        x, given = member(of, name), t.get("defaults", {}).get(name)
        return x if given is None else f"{x}===undefined?{given}:{x}"

    def _writer(self, t: Described) -> str:
        path, at = Path("k", ""), Address("a", 0)
        if t["kind"] != "vec":
            return f"(x,a,k)=>{{{self._put_parts(t, 'x', at, path)}}}"
        n, flat = self.number(t["size"]), ""
        if kind := flat_kind(t):
            view, bytes = self.view(kind)
            per = t["stride"] // bytes
            flat = f"if({self.use('flat')}({view},x,{at.index(bytes)},{times(n, per)},k))return;"
        start = f"{self.use('array')}(x,{n},k);"
        step = f",a+={self.number(t['stride'])}" if t["stride"] else ""
        loop = f"for(;i<{n};i++{step}){{{self.put(t['elem'], 'x[i]', at, Path('', ''))}}}"
        caught = f"catch(e){{throw {self.use('within')}(e,k,i)}}"
        return f"(x,a,k)=>{{{flat}{start}let i=0;try{{{loop}}}{caught}}}"

    # reading

    def get(self, t: Described, at: Address) -> str:
        """The expression that reads a value."""
        kind = t["kind"]
        if kind == "unit":
            return "undefined"
        if kind in VIEWS:
            view, bytes = self.view(kind)
            return f"{'!!' * (kind == 'bool')}{view}[{at.index(bytes)}]"
        if kind == "vec":
            return self._get_vec(t, at)
        if self._read[literal(t)] > 1 and t.get("fields", t.get("items")):
            return f"{self._shared_accessor('r', t)}({at.text()})"
        return self._get_parts(t, at)

    def _get_vec(self, t: Described, at: Address) -> str:
        sizes, elem = [self.number(t["size"])], t["elem"]
        while elem["kind"] == "vec":
            sizes.append(self.number(elem["size"]))
            elem = elem["elem"]
        if elem["kind"] in ("bool", "struct", "tuple", "unit"):
            return f"{self._shared_accessor('r', t)}({at.text()})"
        view, bytes = self.view(elem["kind"])
        if len(sizes) == 1:
            return f"{view}.slice({at.index(bytes)},{at.plus(times(sizes[0], bytes)).index(bytes)})"
        return f"{self.use('rows')}({view},{at.text()},[{','.join(map(str, sizes))}])"

    def _get_parts(self, t: Described, at: Address) -> str:
        read = [(k, self.get(x, at.plus(self.number(offset)))) for k, offset, x in parts(t)]
        if "fields" not in t:
            return f"[{','.join([x for _, x in read])}]"
        return f"{{{','.join([f'{key(str(k))}:{x}' for k, x in read])}}}"

    def _reader(self, t: Described) -> str:
        at = Address("a", 0)
        if t["kind"] != "vec":
            return f"(a)=>({self._get_parts(t, at)})"
        step = f",a+={self.number(t['stride'])}" if t["stride"] else ""
        n, elem = self.number(t["size"]), self.get(t["elem"], at)
        return f"(a)=>{{const o=Array({n});for(let i=0;i<{n};i++{step})o[i]={elem};return o}}"

    def _shared_accessor(self, letter: str, t: Described) -> str:
        name = self._shared.get((letter, literal(t)))
        if name is None:
            text = self._writer(t) if letter == "w" else self._reader(t)
            name = self._shared[letter, literal(t)] = f"{letter}{len(self._shared)}"
            self.text.append(f"const {name}={text};\n")
        return name
