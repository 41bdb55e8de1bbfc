"""The TypeScript declarations of a package: the types of its functions, with Python's names and docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rose.ir import Func
from rose.ir.types import Bool, Tuple, Type, Unit, Vec, is_complex

from ..abi.layout import describe, in_javascript, kind
from ..abi.signature import Signature
from . import worker_types
from .accessors import filled, flat_kind
from .calls import PLAIN, Extras
from .maps import column, why_not

# names that a parameter cannot have in strict code; the last three are not keywords, but forbidden too
RESERVED = frozenset(
    """
    await break case catch class const continue debugger default delete do else enum export extends false finally for
    function if implements import in instanceof interface let new null package private protected public return static
    super switch this throw true try typeof var void while with yield arguments eval undefined
    """.split()
)
# names that the declarations use, and TypeScript's own types
_TAKEN = RESERVED | frozenset(
    """
    Functions Into Opaque Source Checked Float32s Float64s Uint32s init initSync load ArrayLike BufferSource
    Float32Array Float64Array Parameters Promise Response ReturnType URL Uint32Array Uint8Array WebAssembly any bigint
    boolean never number object string symbol type undefined unknown
    """.split()
)


_ARRAYS = {"real": "Float64s", "single": "Float32s", "index": "Uint32s"}
_FLAT = {"real": "Float64Array", "single": "Float32Array"}
_COLUMNS = {**_FLAT, "index": "Uint32Array", "bool": "Uint8Array"}


class Types:
    """Types in TypeScript, and the interfaces that they use.

    A struct is an interface of its name, declared once for results, and once for arguments, if those allow more: its
    name then ends in `Like`.
    """

    def __init__(self, extras: Extras = PLAIN) -> None:
        self.taken = _TAKEN | worker_types.names(extras)
        self.names: dict[tuple[Type, bool], str] = {}
        self.same: dict[tuple[str, str, str], str] = {}  # the names of interfaces, by their text
        self.interfaces: list[str] = []

    def of(self, t: Type, *, argument: bool) -> str:
        """The type of an argument that JavaScript passes, or of a result that it gets."""
        t = in_javascript(t)
        match t:
            case Vec() if not argument and t.elem.scalar and t.elem is not Bool:
                return _ARRAYS[kind(t.elem).name]
            case Vec():
                elem = self.of(t.elem, argument=argument)
                flat = f" | {_FLAT[name]}" if (name := flat_kind(describe(t))) else ""
                return f"ArrayLike<{elem}>{flat}" if argument else f"{elem}[]"
            case Tuple() if t.form is None:
                items = ", ".join([self.of(x, argument=argument) for x in t.items])
                return f"readonly [{items}]" if argument else f"[{items}]"
            case Tuple() if not t.items:
                return "object"
            case Tuple():
                assert t.form is not None
                named = not t.form.is_dict and t.form.name.isidentifier()
                return self._interface(t, argument) if named else f"{{ {'; '.join(self._fields(t, argument))} }}"
            case _:
                return "boolean" if t is Bool else "undefined" if t is Unit else "number"

    def _fields(self, t: Tuple, argument: bool) -> list[str]:
        read, each = "readonly " * argument, zip(t.names, t.items, strict=True)
        return [f"{read}{property_name(str(k))}: {self.of(x, argument=argument)}" for k, x in each]

    def _interface(self, t: Tuple, argument: bool) -> str:
        assert t.form is not None
        argument = argument and not _alike(t)
        if (t, argument) in self.names:
            return self.names[t, argument]
        doc = inspect.getdoc(t.form.cls) or ""
        doc = "" if doc.startswith(f"{t.form.cls.__name__}(") else doc  # one that dataclasses made
        fields = "".join([f"  {x};\n" for x in self._fields(t, argument)])
        wanted = name = t.form.name + "Like" * argument
        if (wanted, doc, fields) in self.same:  # the same but for sizes, which TypeScript does not have
            return self.same[wanted, doc, fields]
        count = 2
        while name in self.taken or name in self.names.values():
            name, count = f"{wanted}{count}", count + 1
        self.names[t, argument] = self.same[wanted, doc, fields] = name
        self.interfaces.append(f"{comment(doc)}export interface {name} {{\n{fields}}}\n")
        return name


def _alike(t: Type) -> bool:
    """True if an argument of a type has the same TypeScript as a result: it contains no vector and no plain tuple."""
    if isinstance(t, Tuple):
        return t.form is not None and not is_complex(t) and all(map(_alike, t.items))
    return not isinstance(t, Vec)


def property_name(key: str) -> str:
    """A property name, as it is written in a literal and in a type: quoted if need be."""
    plain = re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", key) and key not in RESERVED
    return key if plain else json.dumps(key, ensure_ascii=False)


def parameters(names: Iterable[str | None]) -> list[str]:
    """The names of parameters in JavaScript: those of Python, changed where JavaScript forbids or repeats them."""
    fitting: list[str] = []
    for k, name in enumerate(names):
        name = name if name is not None and name.isidentifier() else f"x{k}"
        while name in RESERVED or name in fitting:
            name += "_"
        fitting.append(name)
    return fitting


def comment(text: str, indent: str = "") -> str:
    """A text as a JSDoc comment."""
    lines = inspect.cleandoc(text).rstrip().replace("*/", "*\\/").splitlines()
    if len(lines) < 2:
        return "".join([f"{indent}/** {line} */\n" for line in lines])
    return f"{indent}/**\n" + "".join([f"{indent} * {line}".rstrip() + "\n" for line in lines]) + f"{indent} */\n"


def in_python(s: Signature) -> str:
    """The signature of a function in Python's notation, with the sizes of its vectors."""
    return f"{s.name}({', '.join([f'{p.name}: {p.type!r}' for p in s.params])}) -> {s.result.type!r}"


def _arrow(types: Types, params: Sequence[tuple[str | None, Type]], result: Type, *, argument: bool) -> str:
    names = parameters([name for name, _ in params])
    listed = [f"{name}: {types.of(t, argument=argument)}" for name, (_, t) in zip(names, params, strict=True)]
    return f"({', '.join(listed)}) => {'void' if result is Unit else types.of(result, argument=not argument)}"


def _member(types: Types, s: Signature, doc: str, extras: Extras) -> str:
    """A function of the module, as a member of an interface."""
    said = in_python(s)
    told = f"{inspect.cleandoc(doc).rstrip()}\n\nIn Python: `{said}`".strip() if len(said) <= 200 else doc
    arrow = _arrow(types, [(p.name, p.type) for p in s.params], s.result.type, argument=True)
    if array := filled(describe(s.result.type)):
        arrow = f"Into<{arrow}, {_FLAT[array]}>"
    mapped = f" & {{ readonly map: {_map(s, extras)} }}" if extras.maps and not why_not(s.describe()) else ""
    return comment(told, "  ") + f"  readonly {property_name(s.name)}: Checked<{arrow}>{mapped};\n"


def _map(s: Signature, extras: Extras) -> str:
    """The type of a function's map."""
    names = parameters([p.name for p in s.params])
    listed = [f"{k}: {_column(describe(p.type))}" for k, p in zip(names, s.params, strict=True)]
    of = column(describe(s.result.type))
    assert of is not None
    array = _COLUMNS[of.kind]
    if extras.workers:
        return worker_types.map_type(", ".join(listed), array)
    return f"({', '.join([*listed, f'options?: {{ readonly out?: {array} }}'])}) => {array}"


def _column(t: Mapping[str, Any]) -> str:
    """The type of a column: of scalars, or flat; of structs also an object of columns."""
    match t["kind"]:
        case "real" | "single" | "index":
            return "number | ArrayLike<number>"
        case "bool":
            return "boolean | ArrayLike<boolean>"
        case "unit":
            return "undefined"
        case "struct" | "tuple":
            return "object"
        case _:
            return "ArrayLike<number>"


def _supplied(types: Types, f: Func, doc: str) -> str:
    """A function that the page supplies, as a member of an interface."""
    arrow = _arrow(types, [(p.attr, p.type) for p in f.params], f.result, argument=False)
    return comment(doc, "  ") + f"  readonly {property_name(f.name)}{'?' * ('.' in f.name)}: {arrow};\n"


_OPAQUE = """\
/** The functions that the module calls. One with a dotted name may be left out if JavaScript has it. */
export interface Opaque {{
{members}}}
"""

# TypeScript 5.7 and newer ask which kind of buffer a typed array is a view of, and older ones have no name for it
_TYPED = """\
/** A typed array, as a copy: its `buffer` is an ArrayBuffer. */
type {0}s = ReturnType<typeof {0}Array.from>;
"""

_INTO = """\
/** A function that returns its result in a new array, or in the `out` that it is given. */
export type Into<F extends (...args: any) => any, A> = (<T extends A>(
  ...args: [...args: Parameters<F>, options: { readonly out: T }]
) => T) &
  F;
"""

_INDEX = """\
// Made by Rose.

/** The functions of the module. */
export interface Functions {{
{members}}}

/** A function that checks its arguments; its member `unchecked` does not check each number. */
export type Checked<F> = F & {{ readonly unchecked: F }};

{more}/** Sources of the module. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** Loads the functions, from ./{file}.wasm or another source. Each source is loaded once. */
export function init({source}{opaque}): Promise<Functions>;

{sync}
/** Loads the module itself, once: it can be posted to a Worker, which passes it to `initSync`. */
export function load(source?: Source | Promise<Source>): Promise<WebAssembly.Module>;
{remote}
export default init;
"""

_SYNC = """\
/** Returns the functions at once, of a module or its bytes{where}. */
export function initSync({source}{opaque}): Functions;
"""


def declarations(
    name: str,
    signatures: Iterable[Signature],
    imports: Sequence[Func],
    docs: Mapping[str, str],
    *,
    inline: bool,
    extras: Extras = PLAIN,
) -> dict[str, str]:
    """The files `index.d.ts` and `inline.d.ts`; with `inline`, `index.d.ts` only."""
    types = Types(extras)
    members = "".join([_member(types, s, docs.get(s.name, ""), extras) for s in signatures])
    supplied = "".join([_supplied(types, f, docs.get(f.name, "")) for f in imports])
    more = [_OPAQUE.format(members=supplied)] * bool(imports) + types.interfaces
    said = members + "".join(more)
    more += [_INTO] * bool(re.search(r"\bInto<", said))
    more += [_TYPED.format(kind) for kind in ("Float64", "Float32", "Uint32") if re.search(rf"\b{kind}s\b", said)]
    if held := worker_types.types(extras):
        more.append(held.rstrip("\n") + "\n")
    needed = any("." not in f.name for f in imports)
    opaque = (", opaque: Opaque" if needed else ", opaque?: Opaque") if imports else ""
    source = "source: Source | Promise<Source> | undefined" if needed else "source?: Source | Promise<Source>"
    at_hand, held = ("source: BufferSource | WebAssembly.Module", "") if not inline else _held(needed)
    index = _INDEX.format(
        members=members + worker_types.members(extras),
        more="".join([f"{text}\n" for text in more]),
        file=name,
        source=source,
        remote=worker_types.entry(extras),
        opaque=opaque,
        sync=_SYNC.format(source=at_hand, opaque=opaque, where=held),
    )
    if inline:
        return {"index.d.ts": index}
    at_hand, held = _held(needed)
    used = ", ".join(["Functions", "Opaque"] if imports else ["Functions"])
    beside = f"""\
// Made by Rose.

import type {{ {used} }} from "./index.js";

export * from "./index.js";
export {{ default }} from "./index.js";

{_SYNC.format(source=at_hand, opaque=opaque, where=held)}"""
    return {"index.d.ts": index, "inline.d.ts": beside}


def _held(needed: bool) -> tuple[str, str]:
    """The first parameter of `initSync` where the file contains the module, and the end of its documentation."""
    source = "BufferSource | WebAssembly.Module"
    return f"source: {source} | undefined" if needed else f"source?: {source}", ", or of the module inside this file"
