"""Rotations of bodies: brax."""

from __future__ import annotations

from typing import Any

import brax.math
import jax
import jax.numpy as jnp
import numpy as np

from ..model import Case, case

RNG = np.random.default_rng(5)


@case("brax", "rotations of a chain of bodies")
def rotations() -> Case:
    offsets = RNG.normal(size=(4, 3))

    def reach(angles: Any) -> Any:
        def body(state: Any, item: Any) -> Any:
            place, turn = state
            axis_angle, offset = item
            turn = brax.math.quat_mul(turn, brax.math.quat_rot_axis(brax.math.normalize(offset)[0], axis_angle))
            return (place + brax.math.rotate(offset, turn), turn), brax.math.quat_to_euler(turn)

        (place, _), eulers = jax.lax.scan(body, (jnp.zeros(3), jnp.array([1.0, 0, 0, 0])), (angles, offsets))
        return jnp.sum(place**2) + jnp.sum(brax.math.safe_norm(eulers, axis=1))

    return reach, np.array([0.3, -0.5, 0.7, 0.2])
