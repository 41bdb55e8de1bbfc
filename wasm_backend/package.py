"""The files that a web page imports: a module, the JavaScript that loads it, and its types.

`name.wasm` is the module. `name.js` holds its signatures as data, and one line for each way to load it;
all that runs is in `js/rose.js`, which is copied beside. `name.d.ts` says the same in TypeScript.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rose.errors import RoseError
from rose.ir import Func
from rose.types import Bool, Fin, Real, Tan, Tuple, Type, Unit, Vec

from .abi import Lowered, Signature
from .layout import describe

_RUNTIME = Path(__file__).parent / "js" / "rose.js"


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
    if not re.fullmatch(r"\w[\w.-]*", name) or name.lower() == "rose":
        taken = "the runtime has that name" if name.lower() == "rose" else "its files are called so"
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
    texts = {
        f"{name}.js": _javascript(name, lowered.signatures.values(), imports),
        f"{name}.d.ts": _declarations(name, lowered.signatures.values(), imports, docs),
        "package.json": _manifest(name),
    }
    files = {file: text.encode() for file, text in texts.items()}
    return {f"{name}.wasm": lowered.wasm, **files, "rose.js": _RUNTIME.read_bytes()}


def _imports(lowered: Lowered) -> list[Func]:
    """The opaque functions, one of each name: the page can supply no more."""
    found: dict[str, Func] = {}
    for f in lowered.imports:
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


def _javascript(name: str, signatures: Iterable[Signature], imports: Iterable[Func]) -> str:
    data = json.dumps(signature_data(signatures, imports), separators=(",", ":"))
    return f"""\
// Made by Rose. The types and the documentation are in {name}.d.ts.
import {{ bind, load }} from "./rose.js";

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


def _manifest(name: str) -> str:
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
        "files": [f"{name}.wasm", f"{name}.js", f"{name}.d.ts", "rose.js"],
    }
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


# TypeScript

_RESERVED = frozenset(
    """
    any arguments as async await bigint boolean break case catch class const constructor continue debugger declare default
    delete do else enum eval export extends false finally for function get if implements import in infer instanceof
    interface is keyof let module namespace never new null number object of package private protected public readonly
    require return set static string super switch symbol this throw true try type typeof undefined unique unknown var
    void while with yield
    """.split()
)


def typescript(t: Type, *, given: bool) -> str:
    """The TypeScript of a type: of what JavaScript has `given`, or of what it gets."""
    match t:
        case Vec() if not given and (t.elem is Real or t.elem is Tan):
            return "Float64Array"
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


def _declarations(name: str, signatures: Iterable[Signature], imports: list[Func], docs: Mapping[str, str]) -> str:
    functions = "".join(_member(s.name, [(p.name, p.type) for p in s.params], s.result.type, docs) for s in signatures)
    opaque = "".join(
        _member(f.name, [(str(p.attr), p.type) for p in f.params], f.result, docs, supplied=True) for f in imports
    )
    required = any("." not in f.name for f in imports)
    sources = "source: Source | undefined" if required else "source?: Source | Promise<Source>"
    ...
    return ""
