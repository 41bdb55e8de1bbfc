"""The limits: each has a name of its own, a reason, and somebody who asks it."""

from limits import unasked

from wasm_backend.codegen import costs


def test_each_limit_is_a_number_that_is_asked_somewhere():
    assert unasked(costs, "wasm_backend") == set()
