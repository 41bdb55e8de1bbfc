"""Dense kernels, beside the same by hand in C and beside OpenBLAS."""
