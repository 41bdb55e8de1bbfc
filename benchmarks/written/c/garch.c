// The likelihood of a GARCH model with leverage.
// In: mean, omega, alpha, gamma, beta, then the returns.
#include "program.h"
#include <math.h>

static double h[DAYS + 1];

void adjoint(const double *restrict in, double *restrict out) {
    const double *returns = in + 5, mean = in[0], omega = in[1], alpha = in[2], gamma = in[3], beta = in[4];
    double value = 0, d_mean = 0, d_omega = 0, d_alpha = 0, d_gamma = 0, d_beta = 0, dh = 0;
    h[0] = 0;
    for (int t = 0; t < DAYS; t++) h[0] += returns[t] * returns[t];
    h[0] /= DAYS;
    for (int t = 0; t < DAYS; t++) {
        double e = returns[t] - mean;
        value += log(h[t]) + e * e / h[t];
        h[t + 1] = omega + (e < 0 ? alpha + gamma : alpha) * e * e + beta * h[t];
    }
    for (int t = DAYS - 1; t >= 0; t--) {
        double e = returns[t] - mean, square = e * e, ratio = e / h[t];
        double shock = e < 0 ? alpha + gamma : alpha;
        d_omega += dh;
        d_alpha += dh * square;
        if (e < 0) d_gamma += dh * square;
        d_beta += dh * h[t];
        d_mean -= ratio / DAYS + 2 * dh * shock * e;
        dh = beta * dh + 0.5 / DAYS * (1 / h[t] - ratio * ratio);
    }
    out[0] = 0.5 * value / DAYS;
    out[1] = d_mean;
    out[2] = d_omega;
    out[3] = d_alpha;
    out[4] = d_gamma;
    out[5] = d_beta;
}
