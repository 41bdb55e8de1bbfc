"""Derivatives as functions of users: `grad` and its family, dense Jacobians, and sparse ones in `sparse/`."""
