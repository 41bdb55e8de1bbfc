"""CasADi's sparse derivatives, beside ours: `python sparse_casadi.py program.json` answers `benchmarks/sparse.py`.

It prints a line of JSON with the pattern, the entries, and what it took to make them. For each line that it then reads,
it prints the nanoseconds of a call, in each of its ways.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import casadi as ca
import numpy as np

SMALL = 5_000  # entries of a matrix whose C is also compiled: that takes a second for each thousand


def rosenbrock(p, x):
    return ca.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def bratu(p, x):
    n = p["data"]["n"]
    wide = ca.SX(n + 2, n + 2)
    wide[1:-1, 1:-1] = ca.reshape(x, n, n).T
    u = wide[1:-1, 1:-1]
    around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
    return ca.vec((around - 4 * u + 0.02 * ca.exp(u)).T)


def bundle(p, x):
    d, x = p["data"], ca.vertsplit(x)
    out = []
    for c, k, goal in zip(d["which"], d["where"], d["found"], strict=True):
        cam, pt = x[8 * c : 8 * c + 8], x[8 * d["cameras"] + 3 * k : 8 * d["cameras"] + 3 * k + 3]
        z = pt[2] + cam[0] * pt[1] - cam[1] * pt[0] + cam[5] + 5.0
        u = (pt[0] + cam[1] * pt[2] - cam[2] * pt[1] + cam[3]) / z
        v = (pt[1] + cam[2] * pt[0] - cam[0] * pt[2] + cam[4]) / z
        scale = cam[6] * (1.0 + cam[7] * (u * u + v * v))
        out += [u * scale - goal[0], v * scale - goal[1]]
    return ca.vertcat(*out)


def squares(p, x):
    return ca.sumsqr(bundle(p, x))


def made(p):
    """The function that gives the sparse matrix."""
    x = ca.SX.sym("x", len(p["point"]))
    y = globals()[p["source"]](p, x)
    return ca.Function("f", [x], [ca.hessian(y, x)[0] if p["hessian"] else ca.jacobian(y, x)])


def bare(f, x):
    """A call without conversions: numbers in, and entries out, where they are."""
    buffer, call = f.buffer()
    out = np.empty(f.nnz_out(0))
    buffer.set_arg(0, memoryview(x))
    buffer.set_res(0, memoryview(out))
    return buffer, call, out  # all are to be kept: the call uses their memory


def compiled(f, folder):
    """The same as C, by gcc, and the seconds that takes; nothing where there is no gcc."""
    start = time.perf_counter()
    here = os.getcwd()
    os.chdir(folder)  # it writes into no other
    try:
        f.generate("made.c")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", "made.so", "made.c"], check=True)
    except (OSError, subprocess.CalledProcessError):
        return None, 0.0
    finally:
        os.chdir(here)
    return ca.external("f", str(folder / "made.so")), time.perf_counter() - start


def nanoseconds(call):
    n, spent = 1, 0
    while True:
        start = time.thread_time_ns()
        for _ in range(n):
            call()
        spent = time.thread_time_ns() - start
        if spent > 1_000_000:
            break
        n *= 4
    samples = [spent / n]
    for _ in range(2):
        start = time.thread_time_ns()
        for _ in range(n):
            call()
        samples.append((time.thread_time_ns() - start) / n)
    return min(samples)


def main(file):
    p = json.loads(Path(file).read_text())
    x = np.array(p["point"])
    start = time.thread_time()
    f = made(p)
    kept = bare(f, x)
    _, call, out = kept
    call()
    took = time.thread_time() - start
    pattern = f.sparsity_out(0)
    rows, cols = pattern.get_triplet()
    colours = [pattern.star_coloring()] if p["hessian"] else [pattern.uni_coloring(), pattern.T.uni_coloring()]
    found = {"rows": rows, "cols": cols, "values": out.tolist(), "ms": took * 1e3}
    ways = {"called": lambda: f(x).sparse(), "bare": call}
    if f.nnz_out(0) <= SMALL:
        g, found["C, s"] = compiled(f, Path(file).parent)
        if g is not None:
            kept += bare(g, x)
            ways["C, bare"] = kept[4]
    print(json.dumps({**found, "colours": min([c.size2() for c in colours])}), flush=True)
    for _ in sys.stdin:
        print(json.dumps({way: nanoseconds(go) for way, go in ways.items()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
