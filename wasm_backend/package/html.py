"""The HTML page of a package: contains everything, with a form for each function, and works when opened from a file."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any

from rose.errors import RoseError
from rose.ir import Func
from rose.ir.types import Bool, Fin, Real, Single, Type

from ..abi.signature import Lowered, Signature
from .javascript import base64, core_of, signature_data, source, without_comments
from .metadata import encoded
from .samples import arguments

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{script_hash}' 'wasm-unsafe-eval'; \
style-src '{style_hash}'">
<title>{name}</title>
<style>{style}</style>
</head>
<body>
<h1>{name}</h1>
<p>{size:,} bytes of WebAssembly, compiled by Rose, all of it inside this page.</p>
{forms}
<script type="module">{script}</script>
</body>
</html>
"""

_FORM = """\
<form data-function="{name}">
<h2>{name}</h2>
<p>{doc}</p>
{inputs}
<button>Evaluate</button>
<output></output>
</form>"""


def html_page(lowered: Lowered, imports: Sequence[Func], name: str, docs: Mapping[str, str]) -> str:
    """The page: one file without any request to a server, under a Content-Security-Policy of its own hashes."""
    if missing := [f.name for f in imports if "." not in f.name]:
        what = f"the HTML page cannot supply the function {missing[0]}, which the module calls"
        raise RoseError(what, None, "leave out html, and pass the function to init in a page of your own")
    module = lowered.wasm if lowered.plain is None else lowered.plain.wasm
    script, style = _script(signature_data(lowered, imports), module), source("page.css")
    forms = [_form(s, docs.get(s.name, "")) for s in lowered.signatures.values()]
    return _PAGE.format(
        name=escape(name), size=len(module), forms="\n".join(forms), script=script, style=style,
        script_hash=_hash(script), style_hash=_hash(style),
    )  # fmt: skip


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(encoded(text)).digest()).decode()}"


def _script(data: Mapping[str, Any], module: bytes) -> str:
    """The script of the page: its functions, and what fills its forms."""
    page = without_comments(source("page.js")).replace("export const ", "const ")
    bound = f'bind(bytes("{base64(module)}"), functions)'
    return f"\n{core_of(data, ['bind', 'bytes'])}{page}fill({bound});\n"


def _form(s: Signature, doc: str) -> str:
    inputs = [_input(name, t, x) for name, t, x in arguments(s)]
    return _FORM.format(name=escape(s.name), doc=escape(doc), inputs="\n".join(inputs))


def _input(name: str, t: Type, x: Any) -> str:
    attribute = f'name="{escape(name)}"'
    if t is Bool:
        field = f'<input type="checkbox" {attribute} checked>'
    elif isinstance(t, Fin):
        field = f'<input type="number" {attribute} min="0" max="{t.size - 1}" value="{x}">'
    elif t is Real or t is Single:
        field = f'<input type="number" {attribute} step="any" value="{x}">'
    else:
        text = json.dumps(x, ensure_ascii=False)
        rows = min(8, 1 + len(text) // 40)
        field = f'<textarea {attribute} rows="{rows}" spellcheck="false">{escape(text)}</textarea>'
    return f"<label><span>{escape(name)} <small>{escape(repr(t))}</small></span>{field}</label>"
