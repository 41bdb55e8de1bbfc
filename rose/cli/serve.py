"""`rose serve`: a local web server for a package."""

from __future__ import annotations

import functools
import os
import re
import sys
from html import escape
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, unquote

import click

from .answers import compressed, page_of, preloads

_CSP = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TEXT = {"js": "javascript", "mjs": "javascript", "css": "css", "html": "html", "py": "plain", "ts": "plain",
         "md": "plain", "txt": "plain"}  # fmt: skip
_TYPES = {
    ".wasm": "application/wasm", ".json": "application/json", ".map": "application/json", ".svg": "image/svg+xml",
    **{f".{end}": f"text/{kind}; charset=utf-8" for end, kind in _TEXT.items()},
}  # fmt: skip
_HERE = {"localhost", "127.0.0.1", "[::1]"}  # the names of this machine in an address


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in.")
@click.option("--csp", is_flag=True, help="Send a strict Content-Security-Policy, as a careful site does.")
@click.option("-q", "--quiet", is_flag=True, help="Do not say what is asked for.")
def serve_(folder: Path, port: int, host: str, csp: bool, quiet: bool) -> None:
    """Serve a directory to browsers, while you develop: nothing is cached. Ctrl-C ends it.

    Files are gzipped, a page is told which scripts and modules it will need, and Markdown is shown as a page.

    What begins with a dot is not served, nor what a link outside of the directory leads to.
    """
    name = f"[{host}]" if ":" in host else host.lower()
    known = None if name in ("0.0.0.0", "[::]", "") else frozenset({*_HERE, name})
    handler = type("Handler", (_Handler,), {"csp": csp, "quiet": quiet, "top": folder.resolve(), "known": known})
    try:
        server = _Server((host, port), functools.partial(handler, directory=str(folder)))
    except (OSError, UnicodeError) as e:
        raise click.UsageError(f"cannot serve at {host}:{port}: {getattr(e, 'strerror', None) or e}") from e
    with server:
        click.echo(f"http://{name}:{server.server_address[1]}/")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a page that is left does not wait for its files
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    csp: ClassVar[bool]
    quiet: ClassVar[bool]
    top: ClassVar[Path]  # the directory, without links
    known: ClassVar[frozenset[str] | None]  # the names that a page may call this server by; None for any
    server_version, sys_version = "rose", ""

    def send_head(self) -> Any:
        """Answer a request, unless it is refused."""
        if not self._is_known():
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "This server has another name")
            return None
        if not self._is_served():
            self.send_error(HTTPStatus.NOT_FOUND, "File not found")
            return None
        at = Path(self.translate_path(self.path))
        names = ["index.html", "index.htm"] if self.path.partition("?")[0].partition("#")[0].endswith("/") else [""]
        found = [at / name for name in names if os.path.isfile(at / name)]  # also of a name that is too long
        return self._file(found[0]) if found else super().send_head()

    def _file(self, at: Path) -> BytesIO | None:
        """Answer with a file: gzipped if the browser takes that, and Markdown as a page where it shows one."""
        try:
            body, kind = at.read_bytes(), self.guess_type(at)
        except OSError:
            self.send_error(HTTPStatus.NOT_FOUND, "File not found")
            return None
        links = preloads(at.resolve(), self.top) if kind.startswith("text/html") else ""
        if at.suffix.lower() == ".md" and "text/html" in self.headers.get("Accept", ""):
            text = body.decode("utf-8", errors="replace")
            body, kind = page_of(text, at.name, styled=not self.csp).encode(), _TYPES[".html"]
        accepts = re.search(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", self.headers.get("Accept-Encoding", ""))
        packed = compressed(at.name, body) if accepts else None
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body if packed is None else packed)))
        self.send_header("Vary", "Accept, Accept-Encoding")
        if packed is not None:
            self.send_header("Content-Encoding", "gzip")
        if links:
            self.send_header("Link", links)
        self.end_headers()
        return BytesIO(body if packed is None else packed)

    def _is_known(self) -> bool:
        """True if the page asked for this server by a name of its own.

        A site elsewhere could give itself our address, so that its pages read what is served here.
        """
        name = re.sub(r":\d*$", "", self.headers.get("Host", "")).lower()
        return self.known is None or name in self.known

    def _is_served(self) -> bool:
        """True for what lies in the directory, and begins with no dot."""
        asked = unquote(self.path.partition("?")[0].partition("#")[0])
        if "\0" in asked or any([part.startswith(".") for part in re.split(r"[/\\]", asked)]):
            return False
        at = Path(self.translate_path(self.path))
        return all([self._is_inside(path) for path in (at, at / "index.html", at / "index.htm")])

    def _is_inside(self, path: Path) -> bool:
        """True for a path that leads to a place in the directory, when links are followed."""
        try:
            return path.resolve().is_relative_to(self.top)
        except (OSError, ValueError, RuntimeError):  # a name that is too long, a link to itself
            return False

    def list_directory(self, path: Any) -> BytesIO:
        """A page with the names in a directory without an index; what is not served is not named."""
        there = sorted([at for at in Path(path).iterdir() if at.name[0] != "." and self._is_inside(at)])
        links = [
            f'<li><a href="{quote(name)}">{escape(name)}</a>' for name in [at.name + "/" * at.is_dir() for at in there]
        ]
        text = f"<!doctype html><meta charset=utf-8><title>{escape(Path(path).name)}</title><ul>{''.join(links)}</ul>"
        page = text.encode(errors="replace")
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", _TYPES[".html"])
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        return BytesIO(page)

    def guess_type(self, path: Any) -> str:
        return _TYPES.get(Path(str(path)).suffix.lower()) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if self.csp:
            self.send_header("Content-Security-Policy", _CSP)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        if not self.quiet:
            click.echo(f"{self.log_date_time_string()}  {format % args}", err=True)
