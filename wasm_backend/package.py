"""The files that a web page imports: a module, the JavaScript that loads it, and its types.

`name.wasm` is the module. `name.js` holds its signatures as data, and one line for each way to load it; all that runs
is in `js/`, of which the files that the module needs are copied beside. `name.d.ts` says the same in TypeScript. A
module with mathematics inside brings the notices of its authors. Of one that not every engine takes, `name.simd.wasm`
is for the engines that do, and `name.wasm` for the others; `name.js` asks the engine.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rose.effects import Printer
from rose.errors import RoseError
from rose.ir import Func
from rose.types import Bool, Fin, Real, Single, Tan, Tuple, Type, Unit, Vec

from .abi import FAILED, Lowered, Signature
from .layout import describe
from .libm import notice

_JS = Path(__file__).parent / "js"
_RUNTIME = "rose.js"
_HOST, _PRINTER, _SIZER = "rose-host.js", "rose-print.js", "rose-sizes.js"  # they go only where they are needed


def write_package(
    lowered: Lowered, out: Path, name: str, docs: Mapping[str, str] = {}, *, force: bool = False
) -> list[Path]:
    """Write the package of a module into the directory `out`: all of its files, or none.

    `docs` has the docstrings, by function. Files that are there already are only replaced with `force`.
    """
    files = package_files(lowered, name, docs)
    try:
        _place(files, out, force)
    except OSError as e:
        raise RoseError(
            f"cannot write {e.filename or out}: {e.strerror or e}", None, "give a directory that can be written to"
        ) from e
    return [out / file for file in files]


def package_files(lowered: Lowered, name: str, docs: Mapping[str, str] = {}) -> dict[str, bytes]:
    """The files of a package, by name: the same bytes for the same module."""
    own = f"{name.lower()}.js" in (_RUNTIME, _HOST, _PRINTER, _SIZER)
    if own or not re.fullmatch(r"\w[\w.-]*", name):
        taken = "the runtime has that name" if own else "its files are called so"
        raise RoseError(
            f"{name!r} cannot be the name of a package: {taken}", None, "use letters, digits, and _ - . between them"
        )
    imports = _imports(lowered)
    if "then" in lowered.signatures:
        raise RoseError(
            "a function of a package cannot be called then: JavaScript would take the package for a promise",
            None,
            "give it another name",
        )
    more = _more(lowered)
    runtime = [_RUNTIME, *more.values()]
    data = signature_data(lowered.signatures.values(), imports) | _effects(lowered)
    texts = {
        f"{name}.js": _javascript(name, data, more),
        f"{name}.d.ts": _declarations(name, lowered.signatures.values(), imports, docs),
        "package.json": _manifest(name, [*runtime, *["NOTICE"] * bool(lowered.mathematics)]),
    }
    files = {file: text.encode() for file, text in texts.items()}
    notices = {"NOTICE": notice()} if lowered.mathematics else {}
    module = lowered.wasm
    if lowered.plain is not None:
        files = {f"{name}.simd.wasm": module, **_chosen(files, name, lowered.plain.probe)}
        module = lowered.plain.wasm
    return {f"{name}.wasm": module, **files, **{k: (_JS / k).read_bytes() for k in runtime}, **notices}


def _imports(lowered: Lowered) -> list[Func]:
    """The opaque functions, one of each name: the page can supply no more."""
    found: dict[str, Func] = {}
    for f in lowered.opaque():
        g = found.setdefault(f.name, f)
        if _import_data(f) != _import_data(g):
            raise RoseError(
                f"two opaque functions are called {f.name}, and their types differ",
                None,
                'give one of them another name, with @opaque(name="...")',
            )
    return list(found.values())


# JavaScript


def signature_data(signatures: Iterable[Signature], imports: Iterable[Func]) -> dict[str, Any]:
    """What `bind` and `load` of the runtime read: the `Signatures` of `js/rose.js`, as plain data."""
    return {"exports": [s.describe() for s in signatures], "imports": [_import_data(f) for f in imports]}


def _import_data(f: Func) -> dict[str, Any]:
    params = [{"type": describe(p.type), "empty": p.type.empty} for p in f.params]
    return {"name": f.name, "params": params, "result": describe(f.result)}


def _effects(lowered: Lowered) -> dict[str, Any]:
    """What is printed, and why the module may stop, where there are such."""
    prints = [_print_data(f) for f in lowered.prints()]
    said = [why.told() for why in lowered.failures]
    return ({"prints": prints} if prints else {}) | ({"failed": {"at": FAILED, "said": said}} if said else {})


def _print_data(f: Printer) -> dict[str, Any]:
    given = zip(f.types, f.specs, strict=True)
    params = [{"type": describe(t), "empty": t.empty, "spec": spec} for t, spec in given]
    return {"name": "print", "params": params, "result": {"kind": "unit"}, "pieces": f.pieces}


def _more(lowered: Lowered) -> dict[str, str]:
    """What only some modules need of the runtime, and the files that have it."""
    found = {"hosted": _HOST} if lowered.imports else {}
    found |= {"line": _PRINTER} if lowered.prints() else {}
    return found | ({"sized": _SIZER} if lowered.has_open_sizes() else {})


def _javascript(name: str, signatures: Mapping[str, Any], more: Mapping[str, str]) -> str:
    data = json.dumps(signatures, separators=(",", ":"))
    imports = "".join([f'import {{ {k} }} from "./{file}";\n' for k, file in more.items()])
    data = ",".join([data[:-1], *more]) + "}"
    return f"""\
// Made by Rose. The types and the documentation are in {name}.d.ts.
import {{ bind, load }} from "./rose.js";
{imports}
const signatures = {data};
const wasm = () => new URL("./{name}.wasm", import.meta.url);
let ready;

export const init = (source, opaque) =>
  source === undefined && opaque === undefined
    ? (ready ??= load(wasm(), signatures).catch((error) => {{
        ready = undefined;
        throw error;
      }}))
    : load(source ?? wasm(), signatures, opaque);

export const initSync = (source, opaque) => bind(source, signatures, opaque);

export default init;
"""


def _manifest(name: str, more: Sequence[str]) -> str:
    own = {file: f"./{name}.{file}" for file in ("js", "d.ts", "wasm")}
    manifest = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "package",
        "version": "0.0.0",
        "type": "module",
        "sideEffects": False,
        "main": own["js"],
        "types": own["d.ts"],
        "exports": {
            ".": {"types": own["d.ts"], "default": own["js"]},
            own["wasm"]: own["wasm"],
            "./package.json": "./package.json",
        },
        "files": [f"{name}.wasm", f"{name}.js", f"{name}.d.ts", *more],
    }
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def _chosen(files: Mapping[str, bytes], name: str, probe: bytes) -> dict[str, bytes]:
    """The same package, with another module for the engines that take what a small one needs."""
    plain, other = f"./{name}.wasm", f"./{name}.simd.wasm"
    url = 'new URL("{}", import.meta.url)'.format
    asked = f"WebAssembly.validate(new Uint8Array({json.dumps([*probe], separators=(',', ':'))}))"
    own = (
        files[f"{name}.js"]
        .decode()
        .replace(
            f"const wasm = () => {url(plain)};",
            f"const simd = {asked};\nconst wasm = () => (simd ? {url(other)} : {url(plain)});",
        )
    )
    manifest = json.loads(files["package.json"])
    manifest["exports"][other] = other
    manifest["files"].insert(1, other[2:])
    said = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    return {**files, f"{name}.js": own.encode(), "package.json": said.encode()}


# TypeScript

# in strict code no parameter can have these names; the last three are no words, but as good as
_RESERVED = frozenset(
    """
    await break case catch class const continue debugger default delete do else enum export extends false finally for
    function if implements import in instanceof interface let new null package private protected public return static
    super switch this throw true try typeof var void while with yield arguments eval undefined
    """.split()
)


def typescript(t: Type, *, given: bool) -> str:
    """The TypeScript of a type: of what JavaScript has `given`, or of what it gets."""
    match t:
        case Vec() if not given and (t.elem is Real or t.elem is Tan):
            return "Float64Array"
        case Vec() if not given and t.elem is Single:
            return "Float32Array"
        case Vec() if not given and isinstance(t.elem, Fin):
            return "Uint32Array"
        case Vec():
            elem = typescript(t.elem, given=given)
            return f"ArrayLike<{elem}>" if given else f"{elem}[]"
        case Tuple() if t.form is not None and t.items:
            fields = zip(t.form.fields, t.items, strict=True)
            read = "readonly " if given else ""
            return "{ " + "; ".join(f"{read}{_property(k)}: {typescript(x, given=given)}" for k, x in fields) + " }"
        case Tuple() if t.form is not None:
            return "object"
        case Tuple():
            items = ", ".join(typescript(x, given=given) for x in t.items)
            return f"readonly [{items}]" if given else f"[{items}]"
        case _:
            return "boolean" if t is Bool else "undefined" if t is Unit else "number"


def _property(key: str) -> str:
    plain = re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", key) and key not in _RESERVED
    return key if plain else json.dumps(key, ensure_ascii=False)


def _parameters(params: Sequence[tuple[str | None, Type]], *, given: bool) -> str:
    """A list of parameters: with their names in Python, as far as JavaScript can have those."""
    names: list[str] = []
    for k, (name, _) in enumerate(params):
        fitting = name if name is not None and name.isidentifier() else f"x{k}"
        while fitting in _RESERVED or fitting in names:
            fitting += "_"
        names.append(fitting)
    return ", ".join(f"{name}: {typescript(t, given=given)}" for name, (_, t) in zip(names, params, strict=True))


def _comment(text: str) -> str:
    lines = inspect.cleandoc(text).rstrip().replace("*/", "*\\/").splitlines()
    if len(lines) < 2:
        return "".join(f"  /** {line} */\n" for line in lines)
    return "  /**\n" + "".join(f"   * {line}".rstrip() + "\n" for line in lines) + "   */\n"


def _member(f: Signature | Func, docs: Mapping[str, str]) -> str:
    """A function, as a member of an interface: one of the module, or one that the page supplies."""
    opaque = isinstance(f, Func)
    params = [(p.attr, p.type) for p in f.params] if isinstance(f, Func) else [(p.name, p.type) for p in f.params]
    result = f.result if isinstance(f, Func) else f.result.type
    returns = "void" if result is Unit else typescript(result, given=opaque)
    optional = "?" if opaque and "." in f.name else ""
    arrow = f"({_parameters(params, given=not opaque)}) => {returns}"
    return _comment(docs.get(f.name, "")) + f"  readonly {_property(f.name)}{optional}: {arrow};\n"


_OPAQUE = """
/** The functions that the module needs; under a dotted name, what JavaScript has there unless one is given. */
export interface Opaque {{
{members}}}
"""


def _declarations(name: str, signatures: Iterable[Signature], imports: list[Func], docs: Mapping[str, str]) -> str:
    needed = any("." not in f.name for f in imports)
    source = "source: Source | Promise<Source> | undefined" if needed else "source?: Source | Promise<Source>"
    opaque = (", opaque: Opaque" if needed else ", opaque?: Opaque") if imports else ""
    interface = _OPAQUE.format(members="".join(_member(f, docs) for f in imports)) if imports else ""
    return f"""\
// Made by Rose.

/** The functions of the module. */
export interface Functions {{
{"".join(_member(s, docs) for s in signatures)}}}
{interface}
/** Where the module can come from. */
export type Source = string | URL | Response | BufferSource | WebAssembly.Module;

/** The functions, of ./{name}.wasm or another source. Without arguments, they are loaded once. */
export function init({source}{opaque}): Promise<Functions>;

/** The functions, without waiting, of a module or its bytes. */
export function initSync(source: BufferSource | WebAssembly.Module{opaque}): Functions;

export default init;
"""


# the directory


def _place(files: Mapping[str, bytes], out: Path, force: bool) -> None:
    """Put the files into a directory, at the end and all at once; where that fails, it is left as it was."""
    top = out
    while not os.path.lexists(top) and top != top.parent:
        top = top.parent
    if not top.is_dir():
        raise RoseError(f"{top} is not a directory", None, "give the directory for the package")
    present = [file for file in files if os.path.lexists(out / file)]
    if folders := [file for file in present if (out / file).is_dir()]:
        raise RoseError(f"{out / folders[0]} is a directory", None, "give another directory for the package")
    if present and not force:
        raise RoseError(
            f"{out} already has {', '.join(present)}", None, "give another directory, or replace them with force"
        )
    with TemporaryDirectory(prefix=".rose-", dir=top) as scratch:
        made = Path(scratch, "new", out.relative_to(top))
        made.mkdir(parents=True)
        for file, data in files.items():
            (made / file).write_bytes(data)
        if out == top:
            _replace(files, made, out, present, Path(scratch))
        else:
            first = out.relative_to(top).parts[0]
            os.rename(Path(scratch, "new", first), top / first)


def _replace(files: Iterable[str], made: Path, out: Path, present: Sequence[str], scratch: Path) -> None:
    """Move files from one directory into another that has some of them; where that fails, move them back."""
    for file in present:
        shutil.copy2(out / file, scratch)
    try:
        for file in files:
            os.replace(made / file, out / file)
    except BaseException:
        for file in files:
            if file in present:
                os.replace(scratch / file, out / file)
            elif not (made / file).exists():
                (out / file).unlink()
        raise
