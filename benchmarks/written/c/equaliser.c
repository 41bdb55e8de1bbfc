// A cascade of recursive filters of second order, fitted to what it should make of a signal.
// In: b0, b1, b2, a1 and a2 of each section, then the signal and what is wanted.
#include "program.h"

static double signals[SECTIONS + 1][LENGTH], d[LENGTH];

void adjoint(const double *restrict in, double *restrict out) {
    const double *signal = in + 5 * SECTIONS, *wanted = signal + LENGTH;
    double value = 0;
    for (int i = 0; i < LENGTH; i++) signals[0][i] = signal[i];
    for (int k = 0; k < SECTIONS; k++) {
        const double *s = in + 5 * k, *x = signals[k];
        double *y = signals[k + 1], first = 0, second = 0;
        for (int i = 0; i < LENGTH; i++) {
            y[i] = s[0] * x[i] + first;
            first = s[1] * x[i] - s[3] * y[i] + second;
            second = s[2] * x[i] - s[4] * y[i];
        }
    }
    for (int i = 0; i < LENGTH; i++) {
        double e = signals[SECTIONS][i] - wanted[i];
        value += e * e;
        d[i] = 2 * e / LENGTH;
    }
    for (int k = SECTIONS - 1; k >= 0; k--) {
        const double *s = in + 5 * k, *x = signals[k], *y = signals[k + 1];
        double g0 = 0, g1 = 0, g2 = 0, h1 = 0, h2 = 0, first = 0, second = 0;
        for (int i = LENGTH - 1; i >= 0; i--) {
            double dy = d[i] - s[3] * first - s[4] * second;
            g0 += dy * x[i];
            g1 += first * x[i];
            g2 += second * x[i];
            h1 -= first * y[i];
            h2 -= second * y[i];
            d[i] = s[0] * dy + s[1] * first + s[2] * second;
            second = first;
            first = dy;
        }
        double *g = out + 1 + 5 * k;
        g[0] = g0;
        g[1] = g1;
        g[2] = g2;
        g[3] = h1;
        g[4] = h2;
    }
    out[0] = value / LENGTH;
}
