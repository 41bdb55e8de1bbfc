// The mean squared error of a network of two layers of H units with tanh, on N samples of two numbers.
// In: the weights, then the samples, then their targets.
#include "program.h"
#include <math.h>

enum { W1 = 0, B1 = 2 * H, W2 = B1 + H, B2 = W2 + H * H, W3 = B2 + H, B3 = W3 + H, WEIGHTS = B3 + 1 };

void adjoint(const double *restrict in, double *restrict out) {
    const double *p = in, *samples = in + WEIGHTS, *targets = samples + 2 * N;
    double value = 0, *g = out + 1;
    for (int k = 0; k < WEIGHTS; k++) g[k] = 0;
    for (int s = 0; s < N; s++) {
        double x = samples[2 * s], y = samples[2 * s + 1], first[H], second[H], d[H] = {0}, z = p[B3];
        for (int i = 0; i < H; i++) first[i] = tanh(p[W1 + 2 * i] * x + p[W1 + 2 * i + 1] * y + p[B1 + i]);
        for (int i = 0; i < H; i++) {
            double t = p[B2 + i];
            for (int j = 0; j < H; j++) t += p[W2 + i * H + j] * first[j];
            second[i] = tanh(t);
            z += p[W3 + i] * second[i];
        }
        double e = z - targets[s], de = 2 * e / N;
        value += e * e / N;
        g[B3] += de;
        for (int i = 0; i < H; i++) {
            double dt = de * p[W3 + i] * (1 - second[i] * second[i]);
            g[W3 + i] += de * second[i];
            g[B2 + i] += dt;
            for (int j = 0; j < H; j++) {
                g[W2 + i * H + j] += dt * first[j];
                d[j] += dt * p[W2 + i * H + j];
            }
        }
        for (int i = 0; i < H; i++) {
            double dt = d[i] * (1 - first[i] * first[i]);
            g[B1 + i] += dt;
            g[W1 + 2 * i] += dt * x;
            g[W1 + 2 * i + 1] += dt * y;
        }
    }
    out[0] = value;
}
