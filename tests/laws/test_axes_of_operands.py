"""NumPy's functions of two arrays of different ranks: whose axis one is; and products, and what they conjugate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree

import rose
from rose import Complex, Vec, fn

RANKS = [((3, 3, 3), (3, 3)), ((3, 3), (3, 3, 3)), ((3,), (3, 3)), ((3, 3, 3), (3, 3, 3))]
CALLS = """
np.vecdot(x,y,axis={k}) | np.linalg.vecdot(x,y,axis={k}) | np.cross(x,y,axis={k}) | np.linalg.cross(x,y,axis={k}) |
np.trapezoid(x,y,axis={k}) | np.average(x,axis={k},weights=y) | np.append(x,y,axis={k}) | np.insert(x,1,y,axis={k}) |
np.tensordot(x,y,({k},{k})) | np.concatenate([x,y],axis={k}) | np.stack([x,y],axis={k}) | np.diff(x,prepend=y,axis={k})
| np.trapezoid(x,dx=np.take(y,[0,1],{k}),axis={k})
"""


@pytest.mark.parametrize("shapes", RANKS, ids=str)
@pytest.mark.parametrize("call", [call.strip() for call in CALLS.replace("\n", " ").split("|")])
def test_an_axis_is_that_which_numpy_means(call: str, shapes: tuple[Any, Any]):
    x, y = [np.random.default_rng(len(s)).normal(size=s) for s in shapes]
    for k in range(-3, 3):
        of: Any = lambda x, y, k=k: eval(call.format(k=k), {"np": np, "x": x, "y": y})
        try:
            of(x, y)
        except (ValueError, IndexError, TypeError):
            with pytest.raises(rose.RoseError):
                agree(of, lambda x, y: x, [x, y])
        else:
            agree(of, of, [x, y], rtol=1e-14)


@pytest.mark.parametrize(
    "name", ["vecdot", "vecmat", "matvec", "vdot", "dot", "inner", "outer", "matmul", "linalg.vecdot"]
)
def test_products_conjugate_what_numpys_do(name: str):
    draw = np.random.default_rng(0)
    z, w = [draw.normal(size=(2, 2)) + 1j * draw.normal(size=(2, 2)) for _ in "zw"]
    of = eval(f"np.{name}", {"np": np})
    wanted = np.asarray(of(z, w))
    t: Any = Complex
    for n in reversed(wanted.shape):
        t = Vec[n, t]
    found = fn([Vec[2, 2, Complex], Vec[2, 2, Complex]], t)(lambda z, w: of(z, w))(z, w)
    assert found == pytest.approx(wanted, rel=1e-14)
