"""The types of a package in TypeScript: what each function takes and gives, with Python's names and docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from rose.ir import Func
from rose.ir.types import Bool, Fin, Real, Single, Tan, Tuple, Type, Unit, Vec

from ..abi.signature import Signature

# in strict code no parameter can have these names; the last three are no words, but as good as
RESERVED = frozenset(
    """
    await break case catch class const continue debugger default delete do else enum export extends false finally for
    function if implements import in instanceof interface let new null package private protected public return static
    super switch this throw true try typeof var void while with yield arguments eval undefined
    """.split()
)
# what the declarations use themselves, and TypeScript's own types
_TAKEN = RESERVED | frozenset(
    """
    Functions Opaque Source Checked init initSync load ArrayLike BufferSource Float32Array Float64Array Promise Response
    URL Uint32Array WebAssembly any bigint boolean never number object string symbol type undefined unknown
    """.split()
)


class Types:
    """Types in TypeScript. A struct is an interface of its name, declared once: as what comes back, and as what is
    taken, which has `Like` after its name where that is more."""

    def __init__(self) -> None:
        self.names: dict[tuple[Type, bool], str] = {}
        self.same: dict[tuple[str, str, str], str] = {}  # by the text of an interface
        self.interfaces: list[str] = []

    def of(self, t: Type, *, given: bool) -> str:
        """The type of what JavaScript has `given`, or of what it gets."""
        match t:
            case Vec() if not given and (t.elem is Real or t.elem is Tan):
                return "Float64Array"
            case Vec() if not given and t.elem is Single:
                return "Float32Array"
            case Vec() if not given and isinstance(t.elem, Fin):
                return "Uint32Array"
            case Vec():
                elem = self.of(t.elem, given=given)
                return f"ArrayLike<{elem}>" if given else f"{elem}[]"
            case Tuple() if t.form is None:
                items = ", ".join([self.of(x, given=given) for x in t.items])
                return f"readonly [{items}]" if given else f"[{items}]"
            case Tuple() if not t.items:
                return "object"
            case Tuple():
                assert t.form is not None
                named = not t.form.is_dict and t.form.name.isidentifier()
                return self._interface(t, given) if named else f"{{ {'; '.join(self._fields(t, given))} }}"
            case _:
                return "boolean" if t is Bool else "undefined" if t is Unit else "number"

    def _fields(self, t: Tuple, given: bool) -> list[str]:
        assert t.form is not None
        read = "readonly " * given
        each = zip(t.form.fields, t.items, strict=True)
        return [f"{read}{property_name(k)}: {self.of(x, given=given)}" for k, x in each]

    def _interface(self, t: Tuple, given: bool) -> str:
        assert t.form is not None
        given = given and not _alike(t)
        if (t, given) in self.names:
            return self.names[t, given]
        doc = inspect.getdoc(t.form.cls) or ""
        doc = "" if doc.startswith(f"{t.form.cls.__name__}(") else doc  # which Python made
        fields = "".join([f"  {x};\n" for x in self._fields(t, given)])
        wanted = name = t.form.name + "Like" * given
        if (wanted, doc, fields) in self.same:  # of other sizes, which TypeScript does not tell apart
            return self.same[wanted, doc, fields]
        count = 2
        while name in _TAKEN or name in self.names.values():
            name, count = f"{wanted}{count}", count + 1
        self.names[t, given] = self.same[wanted, doc, fields] = name
        self.interfaces.append(f"{comment(doc)}export interface {name} {{\n{fields}}}\n")
        return name


def _alike(t: Type) -> bool:
    """True if what is taken for a type is what comes back of it: no array of another kind."""
    if isinstance(t, Tuple):
        return t.form is not None and all(map(_alike, t.items))
    return not isinstance(t, Vec)


def property_name(key: str) -> str:
    """A key, as it stands in a literal and in a type."""
    plain = re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", key) and key not in RESERVED
    return key if plain else json.dumps(key, ensure_ascii=False)


def parameters(names: Iterable[str | None]) -> list[str]:
    """The names of parameters: those in Python, as far as JavaScript can have them."""
    fitting: list[str] = []
    for k, name in enumerate(names):
        name = name if name is not None and name.isidentifier() else f"x{k}"
        while name in RESERVED or name in fitting:
            name += "_"
        fitting.append(name)
    return fitting


def comment(text: str, indent: str = "") -> str:
    """A text as JSDoc."""
    lines = inspect.cleandoc(text).rstrip().replace("*/", "*\\/").splitlines()
    if len(lines) < 2:
        return "".join([f"{indent}/** {line} */\n" for line in lines])
    return f"{indent}/**\n" + "".join([f"{indent} * {line}".rstrip() + "\n" for line in lines]) + f"{indent} */\n"


def in_python(s: Signature) -> str:
    """A function as Python says it: with the sizes of its vectors."""
    return f"{s.name}({', '.join([f'{p.name}: {p.type!r}' for p in s.params])}) -> {s.result.type!r}"


def _arrow(types: Types, params: Sequence[tuple[str | None, Type]], result: Type, *, given: bool) -> str:
    names = parameters([name for name, _ in params])
    listed = [f"{name}: {types.of(t, given=given)}" for name, (_, t) in zip(names, params, strict=True)]
    return f"({', '.join(listed)}) => {'void' if result is Unit else types.of(result, given=not given)}"


def _member(types: Types, s: Signature, doc: str) -> str:
    """A function of the module, as a member of an interface."""
    said = in_python(s)
    told = f"{inspect.cleandoc(doc).rstrip()}\n\nIn Python: `{said}`".strip() if len(said) <= 200 else doc
    arrow = _arrow(types, [(p.name, p.type) for p in s.params], s.result.type, given=True)
    return comment(told, "  ") + f"  readonly {property_name(s.name)}: Checked<{arrow}>;\n"


def _supplied(types: Types, f: Func, doc: str) -> str:
    """A function that the page supplies, as a member of an interface."""
    arrow = _arrow(types, [(p.attr, p.type) for p in f.params], f.result, given=False)
    return comment(doc, "  ") + f"  readonly {property_name(f.name)}{'?' * ('.' in f.name)}: {arrow};\n"


_OPAQUE = """\
/** The functions that the module needs; under a dotted name, what JavaScript has there unless one is given. */
export interface Opaque {{
{members}}}
"""

_INDEX = """\
// Made by Rose.

/** The functions of the module. */
export interface Functions {{
{members}}}

/** A function that checks what it is given; beside it, the same without a look at each number. */
export type Checked<F> = F & {{ readonly unchecked: F }};

{more}/** Where the module can come from. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** The functions, of ./{file}.wasm or another source. Those of one place are loaded once. */
export function init({source}{opaque}): Promise<Functions>;

{sync}
/** The module itself, loaded once: it can be posted to a Worker, which calls `initSync` with it. */
export function load(source?: Source | Promise<Source>): Promise<WebAssembly.Module>;

export default init;
"""

_SYNC = """\
/** The functions, without waiting, of a module or its bytes{where}. */
export function initSync({source}{opaque}): Functions;
"""


def declarations(
    name: str, signatures: Iterable[Signature], imports: Sequence[Func], docs: Mapping[str, str], *, inline: bool
) -> dict[str, str]:
    """`index.d.ts` and `inline.d.ts`; if all is `inline`, one does."""
    types = Types()
    members = "".join([_member(types, s, docs.get(s.name, "")) for s in signatures])
    supplied = "".join([_supplied(types, f, docs.get(f.name, "")) for f in imports])
    more = [_OPAQUE.format(members=supplied)] * bool(imports) + types.interfaces
    needed = any("." not in f.name for f in imports)
    opaque = (", opaque: Opaque" if needed else ", opaque?: Opaque") if imports else ""
    source = "source: Source | Promise<Source> | undefined" if needed else "source?: Source | Promise<Source>"
    at_hand, held = ("source: BufferSource | WebAssembly.Module", "") if not inline else _held(needed)
    index = _INDEX.format(
        members=members,
        more="".join([f"{text}\n" for text in more]),
        file=name,
        source=source,
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
    """How the functions come of what lies in the file itself."""
    source = "BufferSource | WebAssembly.Module"
    return f"source: {source} | undefined" if needed else f"source?: {source}", ", or of the one that lies in the file"
