"""The `package.json`: the name and the version of a package, and which file each kind of host imports.

Browsers fetch the module, and servers import `inline.js`, which contains it: what renders pages on a server (Next,
`vite build --ssr`) moves the scripts to other places, and leaves the module behind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from rose.errors import RoseError

# the conditions of hosts where a file beside the script may be missing, and a larger script costs nothing
_SERVERS = ("node", "edge-light", "deno", "bun")
# bundlers, and whether they leave the file of the module behind
BUNDLERS = {
    **dict.fromkeys(["vite", "webpack", "parcel"], False),
    **dict.fromkeys(["esbuild", "rollup", "vite-ssr", "next"], True),
}
_KEYWORDS = ("derivatives", "rose", "webassembly")
_SCOPE = r"@[a-z0-9][a-z0-9._-]*"
_STEM = r"\w[\w.-]*"
_PRERELEASE = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"  # of a pre-release: no number in it begins with 0
_VERSION = rf"(0|[1-9]\d*)(\.(0|[1-9]\d*)){{2}}(-{_PRERELEASE}(\.{_PRERELEASE})*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
_LONGEST_NAME = 214  # characters of a name, says npm


def stem(name: str) -> str:
    """The name of the files of a package: of `@me/line`, `line`. Raises RoseError if it cannot be the name of one."""
    scope, slash, last = name.rpartition("/")
    why, hint = "", "use letters, digits, and _ - . between them"
    if slash and not re.fullmatch(_SCOPE, scope, re.ASCII):
        why, hint = "what is before the / is no scope", "write it as @me/line, with the scope in lower case"
    elif last.lower() == "package":
        why = "its package.json would be overwritten"
    elif not re.fullmatch(_STEM, last):
        why = "it is also the name of its files"
    elif len(name) > _LONGEST_NAME:
        why, hint = f"it has {len(name)} characters, and npm allows {_LONGEST_NAME}", "shorten it"
    if why:
        raise RoseError(f"{name!r} cannot be the name of a package: {why}", None, hint)
    return last


def npm_name(name: str) -> str:
    """The npm name of a package: lower case, without characters that npm refuses."""
    scope, slash, last = name.rpartition("/")
    return scope + slash + (re.sub(r"[^a-z0-9._-]+", "-", last.lower()).strip("-._") or "package")


def checked_version(version: str) -> str:
    """A version, if it is one of Semantic Versioning; else raises RoseError."""
    if not re.fullmatch(_VERSION, version, re.ASCII):
        what = f"{version!r} cannot be the version of a package: npm takes those of Semantic Versioning"
        raise RoseError(what, None, "write three numbers, such as 1.2.0, or 1.2.0-beta.1")
    return version


def version_of(files: Mapping[str, bytes]) -> str:
    """The version of a package that has none: 0.0.0, and a hash of its files, but for source maps.

    TypeScript takes two packages of one name and one version for the same. A source map depends on the version of
    Python, which knows columns or not.
    """
    digest = sha256()
    for name, data in sorted(files.items()):
        if not name.endswith(".map"):
            digest.update(f"{name} {len(data)}\n".encode() + data)
    return "0.0.0-" + digest.hexdigest().lstrip("0123456789")[:12]  # a number could begin with 0


def manifest(
    name: str, version: str, docs: Mapping[str, str], licence: str | None, files: Sequence[str], *, inline: bool
) -> dict[str, Any]:
    """The `package.json` of a package with these files."""
    main: dict[str, str] = {"types": "./index.d.ts", "default": "./index.js"}
    beside = dict(main)
    if not inline:
        servers = dict.fromkeys(_SERVERS, "./inline.js")
        main = {"types": "./index.d.ts", "workerd": "./workerd.js", **servers, "default": "./index.js"}
        beside = {"types": "./inline.d.ts", "workerd": "./workerd.js", "default": "./inline.js"}
    last = name.rpartition("/")[2]
    modules = [file for file in files if file.endswith(".wasm")]
    beside_it = {
        path: {"types": f"./{file}.d.ts", "default": f"./{file}.js"}
        for path, file in (("./iife.js", "iife"), ("./drag", "rose-drag"), ("./animate", "animate"))
        if f"{file}.js" in files
    }
    paths = [f"./{file}" for file in (*modules, f"{last}.json", "package.json")]
    description = " ".join(next(iter(docs.values()), "").partition("\n\n")[0].split())
    return {
        "name": npm_name(name),
        "version": version,
        **({"description": description} if description else {}),
        "keywords": list(_KEYWORDS),
        **({"license": licence} if licence else {}),
        "type": "module",
        "sideEffects": False,
        "main": "./index.js",
        "types": "./index.d.ts",
        **dict.fromkeys(["unpkg", "jsdelivr"] * ("iife.js" in files), "./iife.js"),
        "exports": {".": main, "./inline": beside, **beside_it, **{path: path for path in paths}},
        "files": list(files),
        "engines": {"node": ">=18"},
    }
