"""`python -m tests.fuzz`: go on with the campaign, from the first seeds that the ledger has not."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from .campaign import KINDS, Campaign
from .ledger import FILE, Ledger


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--hours", type=float, default=0.1, help="how long (0.1)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes at once (1)")
    parser.add_argument("--programs", type=int, help="as many programs of each kind, and not more")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"which programs ({','.join(KINDS)})")
    parser.add_argument("--ledger", type=Path, default=FILE, help="the file of the ledger")
    given = parser.parse_args()
    os.nice(10)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    ledger = Ledger(given.ledger)
    campaign = Campaign(ledger, given.kinds.split(","), given.jobs)
    try:
        failures = campaign.run(given.hours * 3600.0, given.programs)
    except KeyboardInterrupt:
        failures = campaign.failures
    for kind in campaign.used:
        at = ledger.section(kind)
        rate = f"{1000 * at['seconds'] / at['programs']:.1f} ms each" if at["programs"] else "none"
        print(f"{kind}: {at['programs']:,} programs at {ledger.data['commit']}, {rate}")
    print(f"{failures} broke a law in this run; {given.ledger} has all")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
