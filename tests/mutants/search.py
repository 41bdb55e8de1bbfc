"""Runs parts of the suite, one after the other, until a test fails, and prints its name: in a process of its own."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

LIMIT = 600  # seconds of a processor; a fault that makes a test run for ever is found, too
# a second run in a process must not take back the signal of traps, which the engine has installed: no faulthandler
OPTIONS = "-x -q -n 0 -p no:cacheprovider -p no:playwright -p no:faulthandler --ignore=tests/mutants".split()


class First:
    """The first failure."""

    name: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.name is None:
            self.name = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self.name is None:
            self.name = f"{report.nodeid} (import)"


def main(own: str, *parts: str) -> None:
    """Run the tests of the file itself, all of them if it has some, and then the fast part of the others."""
    import rose

    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    assert Path(rose.__file__).is_relative_to(Path.cwd()), rose.__file__
    for part in (own, *parts) if own else parts:
        first = First()
        code = pytest.main([*OPTIONS, *([] if part == own else ["--quick"]), part], plugins=[first])
        if first.name is not None or code not in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            print(f"\nfound by {first.name or f'exit {code}'}")
            return


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except BaseException as e:
        print(f"found by {type(e).__name__}: {e}"[:200])
        raise
    finally:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        print(f"seconds {sum(u.ru_utime + u.ru_stime for u in used):.1f}")
