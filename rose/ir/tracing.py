"""Which function is being traced, in this thread; and whether a value's still is."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .builder import Builder
    from .value import Value


class _Tracing(threading.local):
    builder: Builder | None = None


tracing = _Tracing()


def has_ended(v: Value) -> bool:
    """True for a value that was kept after its trace: its function is not being traced."""
    root, b = v.block.root, tracing.builder
    while b is not None and b.root is not root:
        b = b.outer
    return b is None
