// The Hessian of Rosenbrock's function of N numbers: three diagonals.
#include "program.h"

void adjoint(const double *restrict x, double *restrict out) {
    double value = 0, carried = 0, *h = out + 1;
    for (int k = 0; k < N * N; k++) h[k] = 0;
    for (int i = 0; i < N - 1; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        value += 100 * a * a + b * b;
        h[i * N + i] = carried - 400 * a + 800 * x[i] * x[i] + 2;
        h[i * N + i + 1] = h[(i + 1) * N + i] = -400 * x[i];
        carried = 200;
    }
    h[N * N - 1] = carried;
    out[0] = value;
}
