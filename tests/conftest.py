"""Options of the whole suite."""

import os
from typing import Any

import pytest
from browsers import CHROMIUM

os.environ["ROSE_CACHE"] = ""  # modules are compiled anew, but in tests of the cache


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="write the golden files anew, from what comes out now")


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """How playwright starts a browser: the one that is installed here."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--no-sandbox"]}
