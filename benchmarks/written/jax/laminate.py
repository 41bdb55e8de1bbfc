"""The angles and thicknesses of the plies of a carbon laminate, light and far from failure."""

import jax
import jax.numpy as jnp
import numpy as np
from program import CASES, PLIES

E1, E2, G12, NU12 = 135.0, 10.0, 5.0, 0.3
XT, XC, YT, YC, S = 1.5, 1.2, 0.05, 0.25, 0.07
SHARP, DENSITY = 20.0, 0.16

NU21 = NU12 * E2 / E1
Q11, Q22, Q12, Q66 = E1 / (1 - NU12 * NU21), E2 / (1 - NU12 * NU21), NU12 * E2 / (1 - NU12 * NU21), G12
U1, U2 = (3 * Q11 + 3 * Q22 + 2 * Q12 + 4 * Q66) / 8, (Q11 - Q22) / 2
U3, U4 = (Q11 + Q22 - 2 * Q12 - 4 * Q66) / 8, (Q11 + Q22 + 6 * Q12 - 4 * Q66) / 8
U5 = (Q11 + Q22 - 2 * Q12 + 4 * Q66) / 8
F1, F2, F11, F22, F66 = 1 / XT - 1 / XC, 1 / YT - 1 / YC, 1 / (XT * XC), 1 / (YT * YC), 1 / S**2
F12 = -0.5 * np.sqrt(F11 * F22)


def turned_stiffness(angle):
    c2, s2, c4, s4 = jnp.cos(2 * angle), jnp.sin(2 * angle), jnp.cos(4 * angle), jnp.sin(4 * angle)
    q11, q22, q12 = U1 + U2 * c2 + U3 * c4, U1 - U2 * c2 + U3 * c4, U4 - U3 * c4
    q66, q16, q26 = U5 - U3 * c4, 0.5 * U2 * s2 + U3 * s4, 0.5 * U2 * s2 - U3 * s4
    return jnp.array([[q11, q12, q16], [q12, q22, q26], [q16, q26, q66]])


def value(params, loads):
    angle, thickness = params.reshape(2, PLIES)
    loads = loads.reshape(CASES, 6)
    top = jnp.cumsum(thickness) - 0.5 * thickness.sum()
    bottom = top - thickness
    q = turned_stiffness(angle)
    a = jnp.einsum("ijk,k->ij", q, thickness)
    b = jnp.einsum("ijk,k->ij", q, top**2 - bottom**2) / 2
    d = jnp.einsum("ijk,k->ij", q, top**3 - bottom**3) / 3
    response = loads @ jnp.linalg.inv(jnp.block([[a, b], [b, d]]))
    strain, curvature = response[:, :3], response[:, 3:]
    local = strain[:, :, None, None] + curvature[:, :, None, None] * jnp.stack([bottom, top])
    ex, ey, gxy = local[:, 0], local[:, 1], local[:, 2]
    c, s = jnp.cos(angle), jnp.sin(angle)
    e1, e2 = c**2 * ex + s**2 * ey + c * s * gxy, s**2 * ex + c**2 * ey - c * s * gxy
    g12 = 2 * c * s * (ey - ex) + (c**2 - s**2) * gxy
    s1, s2, s12 = Q11 * e1 + Q12 * e2, Q12 * e1 + Q22 * e2, Q66 * g12
    index = F1 * s1 + F2 * s2 + F11 * s1**2 + F22 * s2**2 + F66 * s12**2 + 2 * F12 * s1 * s2
    return DENSITY * thickness.sum() + jax.nn.logsumexp(SHARP * index) / SHARP
