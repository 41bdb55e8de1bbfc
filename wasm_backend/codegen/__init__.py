"""The instructions of one function: where values lie, liveness, addresses, loops, branches."""
