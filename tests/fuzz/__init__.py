"""A campaign of random programs: generators × oracles, for as long as there is time, with a ledger.

`small.py` writes small programs, hundreds of which are one module (`batch.py`, the laws of such a batch); large ones
are those of `tests/support/random_programs.py`, with `laws.py`. `library.py` calls library functions that have rules,
twice and three times, and differentiates again; `values.py` looks at many programs after each step of the compiler.
`engines.py` asks node, Chromium and Firefox for the bits. `ledger.py` is what was checked, in
`benchmarks/results/fuzz.json`, and `campaign.py` goes on from there; each program is the number of its seed.
`python -m tests.fuzz` is the command, and `make fuzz HOURS=n` calls it, after the tests that are marked `fuzz`.

The oracles share no code with the compiler: `second_semantics.py` runs the same text on numbers that carry their
derivatives, and where that differs by more than rounding, on numbers of 50 digits (`precise_numbers.py`), which take
the same decisions: what is nearer to them is right.
"""
