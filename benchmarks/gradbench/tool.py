"""Our side of GradBench's protocol: `python -m benchmarks.gradbench.tool`.

A message is a line of JSON on standard input, and is answered by a line on standard output, until the input ends.
With `--clock cpu` the time is that of the processor, in all threads: for machines that others use, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TextIO

from . import programs

Answer = dict[str, Any]
Find = Callable[[str], programs.Functions | None]
Clock = Callable[[], int]
CLOCKS: dict[str, Clock] = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}


def timed(job: programs.Job, least_runs: int, least_seconds: float, clock: Clock) -> tuple[Any, list[int]]:
    """The last result, and the nanoseconds of each run: as many as are asked for, and for as long."""
    times: list[int] = []
    result, spent = None, 0
    while len(times) < max(least_runs, 1) or spent < least_seconds * 1e9:
        start = clock()
        result = job.run()
        times.append(clock() - start)
        spent += times[-1]
    return result, times


def evaluated(functions: programs.Functions | None, message: Mapping[str, Any], clock: Clock) -> Answer:
    """The answer to `evaluate`. A number that is not finite has no place in JSON, and is an error."""
    name, given = message["function"], message["input"]
    if functions is None or name not in functions:
        return {"success": False, "error": f"there is no function {name!r} in {message['module']!r}"}
    limits: Mapping[str, Any] = given if isinstance(given, dict) else {}
    try:
        start = clock()
        job = functions[name](given)
        prepared = clock() - start
        result, times = timed(job, limits.get("min_runs", 1), limits.get("min_seconds", 0), clock)
        output = job.shown(result)
        json.dumps(output, allow_nan=False)
    except Exception as e:  # of the program or of its input: told, and the next message is waited for
        traceback.print_exc()
        return {"success": False, "error": f"{type(e).__name__}: {e}"}
    timings = [("prepare", prepared), *[("evaluate", t) for t in times]]
    return {"success": True, "output": output, "timings": [{"name": k, "nanoseconds": t} for k, t in timings]}


def answer(message: Mapping[str, Any], name: str, find: Find, clock: Clock = time.perf_counter_ns) -> Answer:
    match message.get("kind"):
        case "start":
            said: Answer = {"tool": name}
        case "define":
            said = {"success": find(message["module"]) is not None}
        case "evaluate":
            said = evaluated(find(message["module"]), message, clock)
        case _:
            said = {}
    return {"id": message["id"], **said}


def serve(name: str, find: Find, messages: Iterable[str], answers: TextIO, clock: Clock = time.perf_counter_ns) -> None:
    for line in messages:
        if line.strip():
            print(json.dumps(answer(json.loads(line), name, find, clock)), file=answers, flush=True)


def main(name: str = "rose-for-python", find: Find = programs.functions, args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    clock = CLOCKS[parser.parse_args(args).clock]
    answers, sys.stdout = sys.stdout, sys.stderr  # what a program prints is no answer
    serve(name, find, sys.stdin, answers, clock)


if __name__ == "__main__":
    main()
