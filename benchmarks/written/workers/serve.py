"""Calls in a process of their own: the answer in a line of JSON, then the time of so many calls, as asked."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one thread at a time, whatever a tool starts


def serve(prepare):
    """`prepare` gives the call, its arguments and what makes a row of numbers of its result, for a program."""
    try:
        call, args, flat = prepare(json.loads(Path(sys.argv[1]).read_text()))
        answer = [float(x) for x in flat(call(*args))]
    except Exception as e:
        return print(json.dumps({"error": f"{type(e).__name__}: {e}"[:300]}), flush=True)
    print(json.dumps({"answer": answer}), flush=True)
    for line in sys.stdin:
        start = time.process_time_ns()
        for _ in range(int(line)):
            call(*args)
        print(time.process_time_ns() - start, flush=True)
