// The layout of a diagram: N terms of each of four kinds, of two points each; `one` and `two` say which.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict p, double *restrict out) {
    double value = 0, *g = out + 1;
    for (int k = 0; k < 2 * POINTS; k++) g[k] = 0;
    for (int k = 0; k < 4 * N; k++) {
        int i = 2 * one[k], j = 2 * two[k];
        double dx = p[j] - p[i], dy = p[j + 1] - p[i + 1], gx, gy;
        if (k < N) {  // near: a spring of length 1
            double d = sqrt(dx * dx + dy * dy), e = d - 1, c = 2 * e / d;
            value += e * e;
            gx = c * dx;
            gy = c * dy;
        } else if (k < 2 * N) {  // apart: what falls with the square of the distance
            double u = 1 / (dx * dx + dy * dy + 0.1), c = -2 * u * u;
            value += u;
            gx = c * dx;
            gy = c * dy;
        } else if (k < 3 * N) {  // above: the second is above the first
            double e = fmax(0.2 - dy, 0);
            value += e * e;
            gx = 0;
            gy = -2 * e;
        } else {  // clear: a bell
            double u = exp(-(dx * dx + dy * dy)), c = -2 * u;
            value += u;
            gx = c * dx;
            gy = c * dy;
        }
        g[i] -= gx;
        g[i + 1] -= gy;
        g[j] += gx;
        g[j + 1] += gy;
    }
    out[0] = value;
}
