// The sum of squares of what a plane of M slopes misses in N points. In: the offset and the slopes; then the
// points and their heights, unless they are constants.
#include "program.h"

void adjoint(const double *restrict in, double *restrict out) {
#ifndef CONSTANT
    const double *x = in + M + 1, *y = x + N * M;
#endif
    double value = 0, offset = 0, slopes[M] = {0};
    for (int i = 0; i < N; i++) {
        double e = y[i] - in[0];
        for (int j = 0; j < M; j++) e -= x[i * M + j] * in[1 + j];
        value += e * e;
        double d = -2 * e;
        offset += d;
        for (int j = 0; j < M; j++) slopes[j] += d * x[i * M + j];
    }
    out[0] = value;
    out[1] = offset;
    for (int j = 0; j < M; j++) out[2 + j] = slopes[j];
}
