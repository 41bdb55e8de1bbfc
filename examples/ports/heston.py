"""The price of a call where volatility is random, by a characteristic function, and its slope by the parameters.

After Heston (1993), in the form of Albrecher and others (2007), "The little Heston trap", which stays on one branch of
the logarithm.
"""

import numpy as np

import rose
from rose import Complex, Real, Vec, fn

NODES = 64
nodes, weights = np.polynomial.legendre.leggauss(NODES)
nodes, weights = 30 * (nodes + 1), 30 * weights  # of an integral from 0 to 60


@rose.struct
class Market:
    spot: Real
    rate: Real
    dividend: Real
    years: Real


def characteristic(u: Vec[NODES, Complex], m: Market, p: Vec[5]) -> Vec[NODES, Complex]:
    """The mean of `exp(1j * u * x)`, where `x` is the logarithm of the price at the end."""
    v, kappa, theta, sigma, rho = p
    xi = kappa - sigma * rho * 1j * u
    d = np.sqrt(xi**2 + sigma**2 * (u**2 + 1j * u))
    g = (xi - d) / (xi + d)
    fall = np.exp(-d * m.years)
    c = (xi - d) * m.years - 2 * np.log((1 - g * fall) / (1 - g))
    drift = 1j * u * (np.log(m.spot) + (m.rate - m.dividend) * m.years)
    return np.exp(drift + (kappa * theta * c + v * (xi - d) * (1 - fall) / (1 - g * fall)) / sigma**2)


@fn
def call(p: Vec[5], strike: Real, m: Market) -> Real:
    """Of the variance now, the speed of its return, its mean, its volatility, and its correlation with the price."""
    forward = m.spot * np.exp((m.rate - m.dividend) * m.years)
    turned = np.exp(-1j * nodes * np.log(strike)) / (1j * nodes)
    share = np.real(turned * characteristic(nodes - 1j, m, p)) / forward
    money = np.real(turned * characteristic(nodes + 0j, m, p))
    above = 0.5 + weights @ money / np.pi  # how likely the price ends above the strike
    return np.exp(-m.rate * m.years) * (forward * (0.5 + weights @ share / np.pi) - strike * above)


market = Market(100.0, 0.01, 0.02, 1.0)
parameters = np.array([0.04, 4.0, 0.25, 1.0, -0.5])

if __name__ == "__main__":
    slope = rose.grad(call)(parameters, 100.0, market)
    print(f"price: {call(parameters, 100.0, market):.10f}, by the parameters: {np.asarray(slope).round(6)}")
