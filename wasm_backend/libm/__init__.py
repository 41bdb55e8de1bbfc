"""Mathematics inside the module: how musl's functions get into `rose/libm/libm.bin`, and from there into a module."""

from pathlib import Path

from .link import link

__all__ = ["link", "notice"]

_HERE = Path(__file__).parent


def notice() -> bytes:
    """The notices of the functions' authors, which go where a module with one of them goes."""
    installed = _HERE / "NOTICE"
    return (installed if installed.exists() else _HERE.parents[1] / "NOTICE").read_bytes()
