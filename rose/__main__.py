"""`python -m rose` is `rose`."""

from .cli import main

main(prog_name="rose")
