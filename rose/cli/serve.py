"""`rose serve`: a local web server for a package."""

from __future__ import annotations

import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import click

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


@click.command("serve")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in.")
@click.option("--csp", is_flag=True, help="Send a strict Content-Security-Policy, as a careful site does.")
@click.option("-q", "--quiet", is_flag=True, help="Do not say what is asked for.")
def serve_(folder: Path, port: int, host: str, csp: bool, quiet: bool) -> None:
    """Serve a directory to browsers, while you develop: nothing is cached. Ctrl-C ends it."""
    handler = type("Handler", (_Handler,), {"csp": csp, "quiet": quiet})
    try:
        server = _Server((host, port), functools.partial(handler, directory=str(folder)))
    except (OSError, UnicodeError) as e:
        raise click.UsageError(f"cannot serve at {host}:{port}: {getattr(e, 'strerror', None) or e}") from e
    with server:
        name = f"[{host}]" if ":" in host else host
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
    server_version, sys_version = "rose", ""

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
