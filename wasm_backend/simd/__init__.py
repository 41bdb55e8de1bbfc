"""Two iterations of a loop at once: which loops, the instructions on v128, sums in the order of the scalar loop."""
