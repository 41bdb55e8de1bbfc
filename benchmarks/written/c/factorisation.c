// A factorisation machine of second order, with logistic loss.
// In: the bias, a weight for each feature, RANK factors for each feature, then the labels; `table` has the features
// that are active in each sample.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    const double *weights = in + 1, *factors = weights + FEATURES, *labels = factors + FEATURES * RANK;
    double *g_bias = out + 1, *g_weights = out + 2, *g_factors = g_weights + FEATURES, value = 0, squares = 0;
    *g_bias = 0;
    for (int i = 0; i < FEATURES; i++) g_weights[i] = 0;
    for (int i = 0; i < FEATURES * RANK; i++) {
        squares += factors[i] * factors[i];
        g_factors[i] = 0.002 * factors[i];
    }
    for (int s = 0; s < SAMPLES; s++) {
        const int *active = table + s * ACTIVE;
        double z = in[0], pairs = 0, sums[RANK];
        for (int a = 0; a < ACTIVE; a++) z += weights[active[a]];
        for (int k = 0; k < RANK; k++) {
            double total = 0, square = 0;
            for (int a = 0; a < ACTIVE; a++) {
                double v = factors[active[a] * RANK + k];
                total += v;
                square += v * v;
            }
            sums[k] = total;
            pairs += total * total - square;
        }
        double x = -labels[s] * (z + 0.5 * pairs), e = exp(-fabs(x));
        value += (x > 0 ? x : 0) + log1p(e);
        double dz = -labels[s] * (x > 0 ? 1 : e) / (1 + e) / SAMPLES;
        *g_bias += dz;
        for (int a = 0; a < ACTIVE; a++) {
            const double *v = factors + active[a] * RANK;
            double *g = g_factors + active[a] * RANK;
            g_weights[active[a]] += dz;
            for (int k = 0; k < RANK; k++) g[k] += dz * (sums[k] - v[k]);
        }
    }
    out[0] = value / SAMPLES + 0.001 * squares;
}
