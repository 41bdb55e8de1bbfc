"""Mathematics inside the module: how musl's functions get into `rose/libm/libm.bin`, and from there into a module."""

from .link import link

__all__ = ["link"]
