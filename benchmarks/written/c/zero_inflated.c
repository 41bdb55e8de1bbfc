// The likelihood of a zero-inflated Poisson regression.
// In: the coefficients of the rate, those of the inflation, then the covariates and the counts.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    const double *beta = in, *gamma = in + COVARIATES, *xs = gamma + INFLATING, *counts = xs + CASES * COVARIATES;
    double *g_beta = out + 1, *g_gamma = g_beta + COVARIATES, value = 0, ridge = 0;
    for (int k = 0; k < COVARIATES + INFLATING; k++) g_beta[k] = 0;
    for (int i = 0; i < CASES; i++) {
        const double *x = xs + i * COVARIATES;
        double log_rate = 0, logit = 0, d_log_rate, d_logit;
        for (int k = 0; k < COVARIATES; k++) log_rate += x[k] * beta[k];
        for (int k = 0; k < INFLATING; k++) logit += x[k] * gamma[k];
        double rate = exp(log_rate), small = exp(-fabs(logit)), rest = log1p(small);
        double extra = (logit > 0 ? 1 : small) / (1 + small), counted = -(logit > 0 ? logit : 0) - rest;
        if (counts[i] == 0) {
            double p = (logit < 0 ? logit : 0) - rest, q = counted - rate;
            double most = p > q ? p : q, a = exp(p - most), b = exp(q - most);
            value -= most + log(a + b);
            double from_p = a / (a + b), from_q = b / (a + b);
            d_logit = from_p * (1 - extra) - from_q * extra;
            d_log_rate = -from_q * rate;
        } else {
            value -= counted + counts[i] * log_rate - rate - lgamma(counts[i] + 1);
            d_logit = -extra;
            d_log_rate = counts[i] - rate;
        }
        for (int k = 0; k < COVARIATES; k++) g_beta[k] -= d_log_rate * x[k] / CASES;
        for (int k = 0; k < INFLATING; k++) g_gamma[k] -= d_logit * x[k] / CASES;
    }
    for (int k = 0; k < COVARIATES; k++) {
        ridge += beta[k] * beta[k];
        g_beta[k] += 0.02 * beta[k];
    }
    out[0] = value / CASES + 0.01 * ridge;
}
