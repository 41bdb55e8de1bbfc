"""`python -m rose` is `rose`."""

from .cli.commands import main

main(prog_name="rose")
