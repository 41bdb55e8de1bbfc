"""Costs: each limit of the back end once, with the measurement behind it. One without a measurement was chosen.

What WebAssembly and its engines refuse stands in `binary/encoder.py`; what a runtime must know, in `abi`.
"""

from __future__ import annotations

# Values on the stack, and in locals
STACK_DISTANCE = 30  # instructions from a number to where it is read: all that it is made of would be kept for so long
STACK_DEPTH = 20  # of an expression: it is written by recursion
PARAMETERS_IN_LOCALS = 200  # a function with more numbers among its parameters gets them in memory
PROMOTED_NUMBERS = 6  # of an element that are promoted: an engine has so many registers to spare
# Pointers of a loop: an engine has so many registers to spare. Measured, with sums of elements in locals: Rosenbrock's
# loop takes 1.2 to 1.4 times the time of C, and 1.5 to 1.7 times without them.
LOOP_POINTERS = 4
# Iterations of a loop for each of its pieces, in which no index goes round an end. Measured: a lattice of 17 by 17
# takes 0.92 of the time, and 0.94 with simd
PIECE_ITERATIONS = 5
# With simd, where a mask is what an engine takes for a division. Measured: a lattice of 32 by 32 takes 1.12 times as
# long in pieces of 11, a ring of 256 in pieces of 85 takes 0.70
PIECE_PAIRED_ITERATIONS = 20

# Memory
COPIED_BYTES = 64  # that are copied or cleared by single instructions
PATTERN_BYTES = 512  # of a literal that is looked at: the functions that write take up to 200
PATTERN_PIECES = 10_000  # of a module: engines take 100,000 segments of data

# Functions that are written where they are called. Measured when while loops and branches were: GradBench's saddle
# point takes 1.2 to 2.4 times the time of C, and 5.8 times with calls
PLACED_INSTRUCTIONS = 32  # of a branch, or of a part of one, that is written wherever it is called
PLACED_TOGETHER = 2000  # of a function with all that are written in it: engines are slow at long ones
PLACED_DEPTH = 12  # of such functions in one another: they are written by recursion

# Stops
STOP_INSTRUCTIONS = 2**24  # that come without a stop, some 20 ms
STOP_ITERATION = 2**12  # instructions of an iteration beside which a test costs nothing
STOP_UNKNOWN = 2**16  # what a number of iterations counts that only a call tells

# Two iterations at once
COUNTING_INSTRUCTIONS = 3  # that count an iteration, and begin the next
PAIRED_INSTRUCTIONS = 2000  # of an iteration that may be one of two: their locals are given back later
