"""Sparse Jacobians and Hessians: which entries can be non-zero, a colouring of the columns, and the entries alone."""
