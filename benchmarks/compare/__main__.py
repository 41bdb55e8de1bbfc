"""`python -m benchmarks.compare`: everything. `inside`, `costs` or `calls` chooses parts, names choose programs.

`tables` measures nothing, and writes the tables and the plots from the figures of the last run.
"""

import sys

from .measure import PARTS, main

words = sys.argv[1:]
parts = [x for x in words if x in PARTS] or ([] if "tables" in words else PARTS)
main([x for x in words if x not in (*PARTS, "tables")], parts)
