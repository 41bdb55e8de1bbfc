"""ADOL-C and CppAD behind GradBench's protocol: `python -m benchmarks.gradbench.peers.taped adolc`.

Both overload the operators of C++, and record what is done. The evals are templates in `cpp/`, of which the derivative
is asked, each compiled by g++ with the headers of a tool. As in GradBench, ADOL-C records before it is timed, and CppAD
in each run.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import evals, programs, tool
from ..compiling import kept

CPP = Path(__file__).parent / "cpp"
PEERS = Path(__file__).parents[2] / ".peers" / "cpp" / "usr"
INCLUDE = {"adolc": PEERS / "include", "cppad": PEERS / "lib/R/site-library/TMB/include"}
LIBRARIES = PEERS / "lib" / "x86_64-linux-gnu"
PACKAGES = {
    "adolc": ("libadolc-dev", "libadolc2", "libcolpack0v5", "libcolpack-dev"),
    "cppad": ("r-cran-tmb", "libeigen3-dev"),
}


def installed(name: str) -> str | None:
    """Fetches the packages of Debian, unless they are there, and unpacks them; what went wrong, if it did."""
    if (INCLUDE[name] / name).exists():
        return None
    if shutil.which("apt-get") is None or shutil.which("g++") is None:
        return "apt-get or g++ is not there"
    folder = PEERS.parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(["apt-get", "download", *PACKAGES[name]], cwd=scratch, capture_output=True, text=True)
        for package in Path(scratch).glob("*.deb"):
            done = subprocess.run(["dpkg", "-x", package, folder], capture_output=True, text=True)
    return None if (INCLUDE[name] / name).exists() else done.stderr.strip()[-200:]


@functools.cache
def compiled(name: str, of: str) -> ctypes.CDLL:
    command = ["g++", "-O3", "-march=native", "-DNDEBUG", "-shared", "-fPIC", "-w", f"-I{INCLUDE[of]}", f"-I{CPP}"]
    command += [f"-I{PEERS}/include/eigen3"]
    command += [f'-DTOOL="{of}.hpp"', f'-DEVAL="{name}.hpp"', str(CPP / "taped.cpp")]
    libraries = [f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-ladolc", "-lColPack"] if of == "adolc" else []
    return ctypes.CDLL(str(kept(command, libraries, sorted(CPP.glob("*.*pp")), f"{name}.so")))


def prepared(name: str, of: str, function: str, given: Any) -> programs.Job:
    """The derivative, which is the second function of an eval."""
    f: evals.Function = evals.find(name).functions[function]
    packed, library = f.pack(given), compiled(name, of)
    arrays = [np.ascontiguousarray(a) for a in (packed.ints, packed.numbers)]
    ints, numbers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
    out = np.zeros(packed.out)
    library.prepare(ints, numbers)
    run = functools.partial(library.derivative, ints, numbers, ctypes.c_void_p(out.ctypes.data), None)
    return programs.Job(run, lambda _, kept=arrays: f.shown(given, out))


def functions(of: str, name: str) -> programs.Functions | None:
    if name not in programs.NAMES or not (CPP / f"{name}.hpp").exists():
        return None
    derivative = list(evals.find(name).functions)[1]
    return {derivative: functools.partial(prepared, name, of, derivative)}


def main() -> None:
    of, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # ADOL-C writes what is too long for memory to where it is
        tool.main(of, functools.partial(functions, of), rest)


if __name__ == "__main__":
    main()
