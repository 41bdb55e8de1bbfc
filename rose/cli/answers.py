"""What a server of files sends: documents in Markdown as pages, what a page needs next, and what is compressed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gzip import compress
from html import escape
from pathlib import Path
from urllib.parse import quote

_STYLE = (
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}"
    "code,pre{font:.9em/1.4 ui-monospace,monospace}pre{overflow:auto;padding:.8rem;background:#8881}"
    "table{border-collapse:collapse}td,th{padding:.2rem .6rem;border:1px solid #8886;text-align:left}"
    ":root{color-scheme:light dark}"
)
_TEXT = re.compile(r"\.(js|mjs|css|html?|py|d\.ts|ts|md|txt|json|map|svg|wasm)$")
_SMALLEST = 500  # bytes that are worth it to compress
_MOST = 40  # files that a page is told to load
_SCRIPTS = re.compile(
    r'<script\b(?=[^>]*\btype="?module\b)(?:[^>]*\bsrc="([^"]+)")?[^>]*>(.*?)</script>', re.DOTALL | re.IGNORECASE
)
_IMPORTED = re.compile(r'(?:\bfrom|\bimport)\s*"(\.{1,2}/[^"]+)"')
_MODULE = re.compile(r'new URL\("(\.{1,2}/[^"]+\.wasm)", import\.meta\.url\)')


def compressed(name: str, body: bytes) -> bytes | None:
    """The content of a file, gzipped, if that is worth it."""
    return compress(body, 6, mtime=0) if len(body) >= _SMALLEST and _TEXT.search(name.lower()) else None


def page_of(markdown: str, title: str, *, styled: bool = True) -> str:
    """A document in Markdown as a page. HTML in it is shown as it is written."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    style = f"<style>{_STYLE}</style>" if styled else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>{style}<main>{body}</main>"
    )


def preloads(page: Path, top: Path) -> str:
    """The value of a `Link` header: the scripts that a page imports, and the module that one of them fetches."""
    links: list[str] = []
    for file in _needed(page, top):
        kind = "preload; as=fetch; crossorigin" if file.suffix == ".wasm" else "modulepreload"
        links.append(f"</{quote(file.relative_to(top).as_posix())}>; rel={kind}")
    return ", ".join(links)


def _needed(page: Path, top: Path) -> Iterator[Path]:
    """Yield the files that a page needs, in the order in which it would find out."""
    found, todo = dict[Path, None](), [page]
    for file in todo:
        text = file.read_text(encoding="utf-8", errors="replace") if file.suffix != ".wasm" else ""
        for name in _names(text, is_page=file is page):
            at = (top / name[1:] if name.startswith("/") else file.parent / name).resolve()
            hidden = not at.is_relative_to(top) or any([part[0] == "." for part in at.relative_to(top).parts])
            if not hidden and at.is_file() and at not in found and len(found) < _MOST:
                found[at] = None
                todo.append(at)
    yield from found


def _names(text: str, *, is_page: bool) -> Iterator[str]:
    """Yield the scripts that a page or a script imports, and its module, unless it chooses one of two."""
    if is_page:
        for src, script in _SCRIPTS.findall(text):
            yield from [src] * bool(src) if src else _IMPORTED.findall(script)
        return
    yield from _IMPORTED.findall(text)
    modules = _MODULE.findall(text)
    yield from modules if len(modules) == 1 else ()
