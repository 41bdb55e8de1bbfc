// Rosenbrock's function of N numbers. Each term adds to two neighbours, so that one sum is carried along.
#include "program.h"

void adjoint(const double *restrict x, double *restrict out) {
    double value = 0, carried = 0, *g = out + 1;
    for (int i = 0; i < N - 1; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        value += 100 * a * a + b * b;
        g[i] = carried - 400 * a * x[i] - 2 * b;
        carried = 200 * a;
    }
    g[N - 1] = carried;
    out[0] = value;
}
