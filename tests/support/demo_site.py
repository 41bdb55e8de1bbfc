"""The demo site, as `make web` makes it: once for all tests, in a process beside them, so that none waits for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import sleep

from paths import ROOT


def begin(shared: Path) -> subprocess.Popen[str] | None:
    """Start to make it in a folder that all workers see; None if one has started."""
    try:
        (shared / "site.log").touch(exist_ok=False)
    except FileExistsError:
        return None
    command, env = [sys.executable, __file__, str(shared)], {**os.environ, "PYTHONPATH": "."}
    with (shared / "site.log").open("w") as log:
        return subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log, text=True)


def made(shared: Path) -> Path:
    """The folder of the site, when it is there."""
    begun = begin(shared)
    while not (shared / "site").exists():
        assert not (shared / "site.failed").exists(), (shared / "site.log").read_text()
        sleep(0.1)
    if begun is not None:
        begun.wait()
    return shared / "site"


def main(shared: Path) -> None:
    done = subprocess.run([sys.executable, "web/build.py", "-o", str(shared / "making")])
    if done.returncode:
        (shared / "site.failed").touch()
    else:
        (shared / "making").rename(shared / "site")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
