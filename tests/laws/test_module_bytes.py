"""Every module of the examples, the comparison and GradBench has the bytes of `golden/module_bytes.txt`.

A change of the compiler that changes one of them shows here, and `pytest --bless` writes the file anew.
"""

import subprocess
import sys

import pytest
from paths import ROOT, TESTS

GOLDEN = TESTS / "golden" / "module_bytes.txt"


@pytest.mark.slow
def test_modules_have_the_bytes_that_they_had(bless: bool):
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.module_bytes"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if bless:
        GOLDEN.write_text(found)
    assert found.splitlines() == GOLDEN.read_text().splitlines()
