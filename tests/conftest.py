"""Options of the whole suite."""

import gc
import os
from collections import Counter
from collections.abc import Collection, Generator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from browsers import CHROMIUM
from demo_site import begin

from rose.ir.check import check_alone
from wasm_backend import lower

SAMPLE = 2  # cases of each test that are tried with --quick
SLOW_FOLDERS = ("bundlers", "web")
SLOW_FILE = "\npytestmark = pytest.mark.slow\n"
os.environ["ROSE_CACHE"] = ""  # modules are compiled anew, but in tests of the cache
lower.Program.verify = staticmethod(check_alone)  # each function of a module is well formed


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write the golden files anew, from what comes out now")
    parser.addoption("--quick", action="store_true", help=f"no slow tests, and {SAMPLE} cases of each that has more")
    parser.addoption(
        "--fuzz", action="store_true", help="only what is left to `make fuzz`: more inputs of the same laws"
    )
    parser.addoption("--naive", action="store_true", help="compare each module that is compiled with its naive code")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--quick`, folders and files of which each test is slow are not read."""
    if not config.getoption("--quick"):
        return None
    if collection_path.is_dir():
        return True if collection_path.name in SLOW_FOLDERS else None
    is_slow = collection_path.suffix == ".py" and SLOW_FILE in collection_path.read_text(encoding="utf-8")
    return True if is_slow else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--quick`, some cases of each test that is not slow are kept: the first, the last, and between.

    Of a test that is marked `whole`, all are: it has few, and each is the only one that its row has.
    What is marked `fuzz` is run with `--fuzz`, and by nothing else.
    """
    for item in items:
        if item.path.parent.name in SLOW_FOLDERS:
            item.add_marker("slow")
    chosen = [item for item in items if bool(item.get_closest_marker("fuzz")) == config.getoption("--fuzz")]
    left_to(config, items, chosen)
    if config.getoption("--quick"):
        fast = [item for item in items if not item.get_closest_marker("slow")]
        tests = [list(cases) for _, cases in groupby(fast, lambda item: item.nodeid.partition("[")[0])]
        whole = {item for item in fast if item.get_closest_marker("whole")}
        left_to(
            config, items, whole | {case for cases in tests for k, case in enumerate(cases) if k in sampled(len(cases))}
        )


def left_to(config: pytest.Config, items: list[pytest.Item], kept: Collection[pytest.Item]) -> None:
    """Keep these of the items."""
    kept = {*kept}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Each worker has tests that stand side by side, which share fixtures and what is cached, and takes over others
    when it is done; a worker that is given some of all files makes most of that again."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end, so the garbage collector never goes through it: that took a quarter of the
    time of all tests. What they make has few cycles, and is looked at less often than by default."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def naive(request: pytest.FixtureRequest) -> Generator[None]:
    """With `--naive`, each module has the bits of its naive code: see `naive_code.py`."""
    if not request.config.getoption("--naive"):
        yield
        return
    told = Counter[str]()
    naive_code = import_module("naive_code")  # it has an engine, for which pytest's handlers of signals come first
    with naive_code.beside(told):
        yield
    print(f"\nbeside naive code: {dict(told)}")


@pytest.fixture(scope="session", autouse=True)
def site_begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """With several workers, the demo site is made from the first test on: those that look at it come late."""
    asked = any([item.path.parent.name == "web" for item in request.session.items])
    begun = begin(tmp_path_factory.getbasetemp().parent) if asked and "PYTEST_XDIST_WORKER" in os.environ else None
    yield
    if begun is not None:
        begun.wait()


def sampled(count: int) -> set[int]:
    """Which of some cases are tried: as many as there may be, from the first to the last."""
    return {k * (count - 1) // (SAMPLE - 1) for k in range(SAMPLE)}


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """How playwright starts a browser: the one that is installed here."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--no-sandbox"]}
