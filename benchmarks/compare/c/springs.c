// The energy of a chain of N springs in the plane, under gravity.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict p, double *restrict out) {
    const double stiffness = 50, length = 0.1, weight = 0.02 * 9.81;
    double value = 0, gx = 0, gy = 0, *g = out + 1;
    for (int s = 0; s < N; s++) {
        double dx = p[2 * s + 2] - p[2 * s], dy = p[2 * s + 3] - p[2 * s + 1];
        double d = sqrt(dx * dx + dy * dy), e = d - length, c = stiffness * e / d;
        value += 0.5 * stiffness * e * e + weight * p[2 * s + 1];
        g[2 * s] = gx - c * dx;
        g[2 * s + 1] = gy - c * dy + weight;
        gx = c * dx;
        gy = c * dy;
    }
    out[0] = value + weight * p[2 * N + 1];
    g[2 * N] = gx;
    g[2 * N + 1] = gy + weight;
}
