"""An eval against a tool: `python -m benchmarks.gradbench.drive --eval 'COMMAND' --tool 'COMMAND'`.

Both are processes that speak GradBench's protocol, ours or others'. What one writes the other reads, line by line; `-o`
keeps all lines in GradBench's log format. Times count only where the eval found the answer valid. Ends with 0 after a
success, else with 1, and says which outcome it was: timeout, undefined, failure, invalid or error.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shlex
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ..compare.report import clean, shown, table

OUTCOMES = ("timeout", "undefined", "failure", "invalid", "error", "success")  # the first that was met is the outcome


@dataclass
class Row:
    """What was asked, and how long it took."""

    description: str
    function: str
    runs: list[int] = field(default_factory=list[int])  # nanoseconds
    prepare: int | None = None
    error: str | None = "no answer"  # until the eval finds it valid

    @property
    def median(self) -> float | None:
        """In microseconds, of a right answer."""
        return statistics.median(self.runs) / 1e3 if self.runs and self.error is None else None


class Session:
    """An eval and a tool, one exchange after the other."""

    def __init__(
        self, eval: Sequence[str], tool: Sequence[str], limit: float, log: TextIO | None = None, **options: Any
    ) -> None:
        """The options are those of both processes."""
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
        self.eval = subprocess.Popen(eval, **pipes, **options)
        self.tool = subprocess.Popen(tool, **pipes, **options)
        self.limit, self.log, self.begin = limit, log, time.perf_counter_ns()
        self.rows: list[Row] = []
        self.met: set[str] = set()
        self.said = ""

    @property
    def outcome(self) -> str:
        return next(x for x in OUTCOMES if x in self.met or x == "success")

    def meet(self, outcome: str, what: str = "") -> None:
        self.met.add(outcome)
        self.said = self.said or what

    def step(self) -> bool:
        """One message and its response; False when there are no more."""
        message = self.eval.stdout.readline()  # pyright: ignore
        if not message:
            if self.eval.wait():
                self.meet("error", "the eval failed")
            return False
        self.write("message", message)
        response = self.answered(message)
        if response is None:
            return False
        self.write("response", response)
        try:
            self.follow(json.loads(message), json.loads(response))
        except (KeyError, TypeError, ValueError) as e:
            self.meet("error", f"{type(e).__name__}: {e}")
            return False
        if "error" in self.met:
            return False
        print(response, end="", file=self.eval.stdin, flush=True)
        return True

    def answered(self, message: str) -> str | None:
        """The tool's response, if it comes in time."""
        late = threading.Event()
        timer = threading.Timer(self.limit, lambda: (late.set(), self.tool.kill()))
        timer.start()
        try:
            print(message, end="", file=self.tool.stdin, flush=True)
            response = self.tool.stdout.readline()  # pyright: ignore
        except BrokenPipeError:
            response = ""
        timer.cancel()
        timer.join()
        if response.endswith("\n") and not late.is_set():
            return response
        slow = f"no answer in {self.limit:g} s"
        outcome, said = ("timeout", slow) if late.is_set() else ("error", "the tool has ended")
        self.meet(outcome, said)
        asked = json.loads(message)
        if asked["kind"] == "evaluate":
            self.rows.append(Row(asked.get("description", ""), asked["function"], error=said))
        return None

    def follow(self, message: dict[str, Any], response: dict[str, Any]) -> None:
        """What is learnt from an exchange."""
        if response["id"] != message["id"]:
            raise ValueError(f"message {message['id']} has the response {response['id']}")
        kind = message["kind"]
        if kind == "define" and not response["success"]:
            self.meet("undefined", response.get("error", ""))
        elif kind == "evaluate":
            self.rows.append(self.row(message, response))
        elif kind == "analysis":
            row = self.rows[-1]
            row.error = None if message["valid"] else message.get("error", "wrong")
            if row.error is not None:
                self.meet("invalid", row.error)

    def row(self, message: dict[str, Any], response: dict[str, Any]) -> Row:
        row = Row(message.get("description", ""), message["function"])
        if not response["success"]:
            row.error = response.get("error", "failed")
            self.meet("failure", row.error or "")
        elif "error" in response or "output" not in response:
            raise ValueError("a success has an output, and no error")
        else:
            row.error = "not checked"
            of = [(t["name"], t["nanoseconds"]) for t in response.get("timings") or []]
            row.runs = [int(ns) for name, ns in of if name == "evaluate"]
            row.prepare = next((int(ns) for name, ns in of if name == "prepare"), None)
        return row

    def write(self, kind: str, line: str) -> None:
        if self.log is not None:
            spent = time.perf_counter_ns() - self.begin
            self.log.write(f'{{ "elapsed": {{"nanoseconds": {spent}}}, "{kind}": {line.strip()} }}\n')

    def close(self) -> None:
        for process in (self.eval, self.tool):
            with contextlib.suppress(BrokenPipeError):  # what is still unsaid is so for good
                process.stdin.close()  # pyright: ignore
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()  # pyright: ignore

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def listed(rows: Sequence[Row]) -> str:
    said = [clean(r.error or "") for r in rows]
    times = [[shown(r.median), shown(r.prepare and r.prepare / 1e3)] for r in rows]
    lines = [
        [r.description, r.function, str(len(r.runs)), *ms, wrong]
        for r, ms, wrong in zip(rows, times, said, strict=True)
    ]
    return table(["workload", "function", "runs", "median, µs", "prepared in, µs", "what was wrong"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradbench.drive", description=__doc__)
    parser.add_argument("--eval", required=True, help="the command line of an eval")
    parser.add_argument("--tool", required=True, help="the command line of a tool")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for each response")
    parser.add_argument("-o", dest="log", type=Path, help="a file for all lines")
    options = parser.parse_args()
    log = options.log.open("w") if options.log else None
    with Session(shlex.split(options.eval), shlex.split(options.tool), options.timeout, log) as session:
        while session.step():
            pass
    if log is not None:
        log.close()
    print(listed(session.rows), end="")
    print(session.outcome + (f": {session.said}" if session.said else ""))
    sys.exit(session.outcome != "success")


if __name__ == "__main__":
    main()
