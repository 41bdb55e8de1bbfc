"""What a page loads for a program, and how fast it is there, beside libraries of pages: `python -m benchmarks.pages`.

`programs.py` has the programs as users write them, and `ours.mjs` what a page calls; `others` has the same in the
libraries, of which npm installs the pinned versions into `benchmarks/.peers`. A page is one program, bundled and
minified by the esbuild of `tests/bundlers`: its scripts and modules, each gzipped. `run.mjs` times one program in one
process of node, and prints what it gives, which is compared with ours.
"""
