"""How a sphere scatters light: efficiencies by Mie's series, and their slopes by size and refractive index.

After Bohren and Huffman (1983), "Absorption and scattering of light by small particles", program BHMIE: the logarithmic
derivative of a Riccati-Bessel function from above, and the functions themselves from below.
"""

import numpy as np

import rose
from rose import Complex, Real, Vec, fn

TERMS, FROM = 14, 30  # of the series, and of the recurrence from above


def coefficients(x: Real, m: Complex) -> tuple[Vec[TERMS, Complex], Vec[TERMS, Complex]]:
    slopes = [0j]  # of the logarithm of psi at m * x, of orders from TERMS to 0
    for n in range(FROM, 0, -1):
        slopes.append(n / (m * x) - 1 / (slopes[-1] + n / (m * x)))
    slopes.reverse()
    before, psi = np.cos(x), np.sin(x)
    chi_before, chi = -np.sin(x), np.cos(x)
    a: list[Complex] = []
    b: list[Complex] = []
    for n in range(1, TERMS + 1):
        psi, before = (2 * n - 1) / x * psi - before, psi
        chi, chi_before = (2 * n - 1) / x * chi - chi_before, chi
        xi, xi_before = psi - 1j * chi, before - 1j * chi_before
        electric, magnetic = slopes[n] / m + n / x, m * slopes[n] + n / x
        a.append((electric * psi - before) / (electric * xi - xi_before))
        b.append((magnetic * psi - before) / (magnetic * xi - xi_before))
    return np.stack(a), np.stack(b)


@fn
def efficiencies(x: Real, m: Complex) -> Vec[3]:
    """Of extinction, of scattering, and of scattering back: of a circumference in wavelengths, and an index."""
    a, b = coefficients(x, m)
    n = np.arange(1, TERMS + 1)
    extinction = 2 / x**2 * np.sum((2 * n + 1) * np.real(a + b))
    scattering = 2 / x**2 * np.sum((2 * n + 1) * (np.abs(a) ** 2 + np.abs(b) ** 2))
    back = np.abs(np.sum((2 * n + 1) * (-1.0) ** n * (a - b))) ** 2 / x**2
    return np.stack([extinction, scattering, back])


@fn
def absorption(x: Real, m: Complex) -> Real:
    q = efficiencies(x, m)
    return q[0] - q[1]


size, index = 2 * np.pi * 0.525 / 0.6328, 1.55 + 0j

if __name__ == "__main__":
    print("efficiencies:", efficiencies(size, index).round(6))
    print(f"of soot: {absorption(2.0, 1.5 + 0.1j):.6f}, by {rose.grad(absorption, (0, 1))(2.0, 1.5 + 0.1j)}")
