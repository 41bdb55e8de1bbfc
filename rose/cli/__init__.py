"""The command line: `rose compile`, `rose ir`, `rose test` and the rest, as one click group in `commands.py`."""
