"""Billiards and the robot, beside JAX, Taichi and the original Rose: `python -m benchmarks.apps`."""
