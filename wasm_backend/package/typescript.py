"""The TypeScript declarations of a package: the types of its functions, with Python's names and docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rose.errors import RoseError
from rose.host.docstring import Docstring, parsed
from rose.ir import Func
from rose.ir.sizes import Size
from rose.ir.types import Bool, Single, Tuple, Type, Unit, Vec, is_complex

from ..abi.layout import defaults, describe, in_javascript, kind
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
    Functions Into Numbers Of1 Of2 Of3 Of4 Of5 Of6 Of7 Of8 Opaque Source Checked Float32s Float64s Uint32s init
    initSync load ArrayLike BufferSource Float32Array Float64Array Parameters Promise Response ReturnType URL
    Uint32Array Uint8Array WebAssembly any bigint boolean never number object string symbol type undefined unknown
    """.split()
)


_LONGEST_TUPLE = 8  # the longest vector whose elements are written one by one
_LONGEST_TEXT = 240  # characters of such a type
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
        self.lengths = True  # whether short vectors have theirs

    def of(self, t: Type, *, argument: bool, labels: Sequence[Any] = ()) -> str:
        """The type of an argument that JavaScript passes, or of a result that it gets, with `labels` of its items."""
        if is_complex(t):
            labels = _OF_COMPLEX
        t = in_javascript(t)
        match t:
            case Vec():
                return self._vec(t, argument, labels)
            case Tuple() if t.form is None:
                of = labels if len(labels) == len(t.items) else [("", ())] * len(t.items)
                items = [self.of(x, argument=argument, labels=inner) for x, (_, inner) in zip(t.items, of, strict=True)]
                return f"{'readonly ' * argument}[{_labelled([name for name, _ in of], items)}]"
            case Tuple() if not t.items:
                return "object"
            case Tuple():
                assert t.form is not None
                named = not t.form.is_dict and t.form.name.isidentifier()
                return self._interface(t, argument) if named else f"{{ {'; '.join(self._fields(t, argument))} }}"
            case _:
                return "boolean" if t is Bool else "undefined" if t is Unit else "number"

    def _vec(self, t: Vec, argument: bool, labels: Sequence[Any]) -> str:
        """The type of a vector: a short one has its length."""
        short = self.lengths and not isinstance(t.size, Size) and 0 < t.size <= _LONGEST_TUPLE
        if not argument and t.elem.scalar and t.elem is not Bool:
            array = _ARRAYS[kind(t.elem).name]
            return f"{array} & Of{t.size}" if short else array
        elem, flat = self.of(t.elem, argument=argument), flat_kind(describe(t))
        typed = flat == "real" or (t.elem.scalar and t.elem is not Bool and t.elem is not Single)
        single = flat == "single" or t.elem is Single
        if short:
            items = [elem] * t.size
            listed = _labelled([name for name, _ in labels], items) if len(labels) == t.size else ", ".join(items)
            if len(listed) <= _LONGEST_TEXT:
                if not argument:
                    return f"[{listed}]"
                return f"readonly [{listed}]{' | Numbers' * typed}{' | Float32Array' * single}"
        if not argument:
            return f"({elem})[]" if "&" in elem else f"{elem}[]"
        return f"ArrayLike<{elem}>{' | Numbers' * (flat == 'real')}{' | Float32Array' * (flat == 'single')}"

    def _fields(self, t: Tuple, argument: bool) -> Iterator[str]:
        """Yield the fields of a struct; what the class gives to those who leave it out is optional in an argument."""
        given = defaults(t) if argument else {}
        for k, x in zip(t.names, t.items, strict=True):
            of, name = self.of(x, argument=argument), property_name(str(k))
            optional = str(k) in given
            yield f"{'readonly ' * argument}{name}{'?' * optional}: {of}{' | undefined' * optional}"

    @staticmethod
    def _told_of_fields(t: Tuple, doc: str, given: Mapping[str, str]) -> tuple[str, list[str]]:
        """The docstring of a struct without what it says of the fields, and a comment for each of them."""
        told = parsed(doc)
        if not {*told.params} <= {*map(str, t.names)}:
            told = Docstring(doc, {})
        each: list[str] = []
        for name in map(str, t.names):
            said, default = told.params.get(name, ""), given.get(name)
            each.append(comment(f"{said}\n\n@defaultValue {default}".strip() if default else said, "  "))
        return told.text, each

    def _interface(self, t: Tuple, argument: bool) -> str:
        assert t.form is not None
        argument = argument and not _alike(t)
        if (t, argument) in self.names:
            return self.names[t, argument]
        doc = inspect.getdoc(t.form.cls) or ""
        doc = "" if doc.startswith(f"{t.form.cls.__name__}(") else doc  # one that dataclasses made
        doc, told = self._told_of_fields(t, doc, defaults(t) if argument else {})
        before, self.lengths = self.lengths, not t.form.stays  # two sparse matrices are of one interface
        fields = "".join([f"{said}  {x};\n" for said, x in zip(told, self._fields(t, argument), strict=True)])
        self.lengths = before
        wanted = name = t.form.name + "Like" * argument
        if (wanted, doc, fields) in self.same:  # the same but for sizes, which TypeScript does not have
            return self.same[wanted, doc, fields]
        count = 2
        while name in self.taken or name in self.names.values():
            name, count = f"{wanted}{count}", count + 1
        self.names[t, argument] = self.same[wanted, doc, fields] = name
        self.interfaces.append(f"{comment(doc)}export interface {name} {{\n{fields}}}\n")
        return name


_OF_COMPLEX = ("re", ()), ("im", ())


def _labelled(names: Sequence[str], items: Sequence[str]) -> str:
    """The items of a tuple, with their names if they have some."""
    if not all(names):
        return ", ".join(items)
    return ", ".join([f"{name}: {item}" for name, item in zip(parameters(names), items, strict=True)])


def _alike(t: Type) -> bool:
    """True if an argument of a type has the same TypeScript as a result: it contains no vector, no plain tuple, and
    nothing that can be left out."""
    if isinstance(t, Tuple):
        return t.form is not None and not is_complex(t) and not defaults(t) and all(map(_alike, t.items))
    return not isinstance(t, Vec)


def property_name(key: str) -> str:
    """A property name, as it is written in a literal and in a type: quoted if need be."""
    plain = re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", key) and key not in RESERVED
    return key if plain else json.dumps(key, ensure_ascii=False)


def checked_global(name: str) -> str:
    """The name of a global variable; raises RoseError if it cannot be one."""
    if not re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) or name in RESERVED:
        what = f"{name!r} cannot be the name of a global variable"
        raise RoseError(what, None, "use letters, digits and _, as in model")
    return name


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


def _arrow(
    types: Types, params: Sequence[tuple[str | None, Type]], result: Type, *, argument: bool, labels: Sequence[Any] = ()
) -> str:
    names = parameters([name for name, _ in params])
    listed = [f"{name}: {types.of(t, argument=argument)}" for name, (_, t) in zip(names, params, strict=True)]
    of = "void" if result is Unit else types.of(result, argument=not argument, labels=labels)
    return f"({', '.join(listed)}) => {of}"


def _member(types: Types, s: Signature, doc: str, extras: Extras) -> str:
    """A function of the module, as a member of an interface."""
    told = parsed(doc)
    labels = s.labels or [(name, ()) for name in told.results]
    arrow = _arrow(types, [(p.name, p.type) for p in s.params], s.result.type, argument=True, labels=labels)
    if array := filled(describe(s.result.type)):
        arrow = f"Into<{arrow}, {_FLAT[array]}>"
    mapped = f" & {{ readonly map: {_map(s, extras)} }}" if extras.maps and not why_not(s.describe()) else ""
    return comment(_documented(s, doc), "  ") + f"  readonly {property_name(s.name)}: Checked<{arrow}>{mapped};\n"


def _documented(s: Signature, doc: str) -> str:
    """What the docstring of a function says, with what it says of each parameter, and of the result, as tags."""
    told, said = parsed(doc), in_python(s)
    names = [p.name for p in s.params]
    if told.params and not {*told.params} & {*names}:  # of something else
        told = told._replace(text=inspect.cleandoc(doc).rstrip(), params={}, returns="")
    tags = [f"@param {k} - {told.params[p]}" for k, p in zip(parameters(names), names, strict=True) if p in told.params]
    tags += [f"@returns {told.returns}"] * bool(told.returns)
    shown = f"In Python: `{said}`" if len(said) <= 200 else ""
    return "\n\n".join([x for x in (told.text, shown, "\n".join(tags)) if x])


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

_NUMBERS = """\
/** A typed array. */
type Numbers = ArrayBufferView & ArrayLike<number>;
"""


def _of(n: int) -> str:
    """The type of what has so many elements, by index."""
    each = "; ".join([f"{k}: number" for k in range(n)])
    return f"/** {n} elements, by index. */\ntype Of{n} = {{ readonly length: {n}; {each} }};\n"


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

_IIFE = """\
// Made by Rose: the variable that ./iife.js makes.

export * from "./{file}.js";

export as namespace {name};
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
    iife: str | None = None,
) -> dict[str, str]:
    """The files `index.d.ts` and `inline.d.ts`; with `inline`, `index.d.ts` only. With `iife`, also `iife.d.ts`."""
    types = Types(extras)
    members = "".join([_member(types, s, docs.get(s.name, ""), extras) for s in signatures])
    supplied = "".join([_supplied(types, f, docs.get(f.name, "")) for f in imports])
    more = [_OPAQUE.format(members=supplied)] * bool(imports) + types.interfaces
    said = members + "".join(more)
    more += [_INTO] * bool(re.search(r"\bInto<", said))
    more += [_NUMBERS] * bool(re.search(r"\bNumbers\b", said))
    more += [_of(n) for n in range(1, _LONGEST_TUPLE + 1) if re.search(rf"& Of{n}\b", said)]
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
    script = {"iife.d.ts": _IIFE.format(name=iife, file="index" if inline else "inline")} if iife is not None else {}
    if inline:
        return {"index.d.ts": index, **script}
    at_hand, held = _held(needed)
    used = ", ".join(["Functions", "Opaque"] if imports else ["Functions"])
    beside = f"""\
// Made by Rose.

import type {{ {used} }} from "./index.js";

export * from "./index.js";
export {{ default }} from "./index.js";

{_SYNC.format(source=at_hand, opaque=opaque, where=held)}"""
    return {"index.d.ts": index, "inline.d.ts": beside, **script}


def _held(needed: bool) -> tuple[str, str]:
    """The first parameter of `initSync` where the file contains the module, and the end of its documentation."""
    source = "BufferSource | WebAssembly.Module"
    return f"source: {source} | undefined" if needed else f"source?: {source}", ", or of the module inside this file"
