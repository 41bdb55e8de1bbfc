"""Other processes that tests start."""

import os
import signal
from typing import Any

# Options of a process that can be interrupted, also where the tests run in the background, with SIGINT ignored.
INTERRUPTIBLE: dict[str, Any] = (
    {} if os.name == "nt" else {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
)
