"""A filter of coils and capacitors that shall pass some frequencies and stop others."""

import jax
import jax.numpy as jnp
from program import SECTIONS

QUALITY = 120.0


def value(params, frequencies, wanted, weights):
    coils, capacitors = jnp.exp(params[:SECTIONS]), jnp.exp(params[SECTIONS:])

    def decibels(w):
        def section(at, element):
            volts, amperes = at
            inductance, capacitance = element
            amperes = amperes + 1j * w * capacitance * volts
            volts = volts + (inductance / QUALITY + 1j * w * inductance) * amperes
            return (volts, amperes), None

        (volts, amperes), _ = jax.lax.scan(section, (1.0 + 0j, 1.0 + 0j), (coils, capacitors), reverse=True)
        met = volts + amperes
        return 10 * jnp.log10(4 / (met.real**2 + met.imag**2))

    over = jax.vmap(decibels)(frequencies) - wanted
    return jnp.mean(weights * jnp.where(wanted < -3.0, jnp.maximum(over, 0.0), over) ** 2)
