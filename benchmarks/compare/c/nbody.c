// The softened potential of N bodies in space: each pair once.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict p, double *restrict out) {
    double value = 0, *g = out + 1;
    for (int k = 0; k < 3 * N; k++) g[k] = 0;
    for (int i = 0; i < N; i++) {
        double x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], gx = 0, gy = 0, gz = 0;
        for (int j = 0; j < i; j++) {
            double dx = x - p[3 * j], dy = y - p[3 * j + 1], dz = z - p[3 * j + 2];
            double square = dx * dx + dy * dy + dz * dz + 0.01, u = mass[i] * mass[j] / sqrt(square), c = u / square;
            value -= u;
            gx += c * dx;
            gy += c * dy;
            gz += c * dz;
            g[3 * j] -= c * dx;
            g[3 * j + 1] -= c * dy;
            g[3 * j + 2] -= c * dz;
        }
        g[3 * i] = gx;
        g[3 * i + 1] = gy;
        g[3 * i + 2] = gz;
    }
    out[0] = value;
}
