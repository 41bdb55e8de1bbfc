"""An eval's side of GradBench's protocol: `python -m benchmarks.gradbench.evals NAME`.

Each function is asked for each workload, at GradBench's sizes, and what comes back is compared with what the adjoint
by hand gives. `--only DESCRIPTION` chooses workloads, `--rounds N` asks each question so often.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from .. import byhand
from . import Workload, find
from .checks import wrong


def exchanged(message: dict[str, Any]) -> dict[str, Any]:
    """The answer to a message."""
    print(json.dumps(message), flush=True)
    line = sys.stdin.readline()
    if not line:
        sys.exit("the tool has ended")
    answer = json.loads(line)
    if answer["id"] != message["id"]:
        sys.exit(f"message {message['id']} has the answer {answer['id']}")
    return answer


def questions(name: str, options: argparse.Namespace) -> Iterator[tuple[Workload, str, Any]]:
    """What is asked: workload, function, input. Both functions of a workload, and then the next round."""
    eval = find(name)
    limits = {"min_runs": options.min_runs, "min_seconds": options.min_seconds}
    for w in eval.workloads():
        if not options.only or w.description in options.only:
            given = w.input | limits if isinstance(w.input, dict) else w.input
            for _ in range(options.rounds):
                yield from [(w, f, given) for f in w.functions or eval.functions]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradbench.evals", description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--min-runs", type=int, default=1)
    parser.add_argument("--min-seconds", type=float, default=1.0)
    parser.add_argument("--only", action="append", default=[], metavar="DESCRIPTION")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-9, help="relative")
    options = parser.parse_args()
    name: str = options.name
    ids = iter(range(sys.maxsize))
    exchanged({"id": next(ids), "kind": "start", "eval": name})
    if not exchanged({"id": next(ids), "kind": "define", "module": name})["success"]:
        return
    known: dict[tuple[str, str], Any] = {}
    for w, f, given in questions(name, options):
        key, n = (w.description, f), next(ids)
        asked = {"id": n, "kind": "evaluate", "module": name, "function": f, "input": given}
        answer = exchanged(asked | {"description": w.description})
        if not answer["success"]:
            continue
        if key not in known:
            known = {k: y for k, y in known.items() if k[0] == w.description}
            known[key] = byhand.answer(name, f, w.input)
        error = wrong(answer["output"], known[key], options.tolerance)
        said = {"valid": True} if error is None else {"valid": False, "error": error}
        exchanged({"id": next(ids), "kind": "analysis", "of": n, **said})


if __name__ == "__main__":
    main()
