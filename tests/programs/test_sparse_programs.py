"""The programs of `benchmarks/sparse.py`, in small: no pattern has an entry too many, and CasADi's are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import sparse
from benchmarks.compare.peers import python
from benchmarks.sparse_programs import Program, bratu, bundle, rosenbrock

pytestmark = pytest.mark.slow

SMALL = [rosenbrock(6), bratu(4), bundle(2, 5, 9), bundle(2, 5, 9, hessian=True)]
INSTALLED = (python().parents[1] / "casadi==3.8.2.installed").exists()


@pytest.mark.parametrize("p", SMALL, ids=lambda p: p.name)
def test_each_entry_of_the_pattern_is_one_of_the_matrix(p: Program):
    made, ways, _ = sparse.ours(p)
    dense = np.reshape(ways["dense"](), made.shape)
    assert ((dense != 0) == (abs(made.toarray()) > 0)).all() and (made.data != 0).all()
    assert sparse.colours(p) < made.shape[1] and (ways["bare"]() == made.data).all()


@pytest.mark.skipif(not INSTALLED, reason="CasADi is not in benchmarks/.peers")
@pytest.mark.parametrize("p", SMALL, ids=lambda p: p.name)
def test_it_is_that_of_casadi(p: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")  # its C takes too long
    other = sparse.Other(p, tmp_path)
    try:
        sparse.check(p, sparse.ours(p)[0], other.answer)
        assert sparse.colours(p) <= other.answer["colours"]
    finally:
        other.close()
