// Rate constants of a mechanism, by Arrhenius's law.
// In: the logarithms of five rates, five energies, then what was measured in each run.
#include "program.h"
#include <math.h>

enum { S = 5, TOTAL = SAMPLES * STEPS };

static double states[TOTAL + 1][S], stages[TOTAL][3][S];

static void change(const double *k, const double *y, double *f) {
    double bind = k[0] * y[0] * y[1] - k[1] * y[2], free = k[2] * y[2], react = k[3] * y[3] * y[1] - k[4] * y[4];
    f[0] = -bind;
    f[1] = -bind - react;
    f[2] = bind - free;
    f[3] = free - react;
    f[4] = react;
}

static void change_reverse(const double *k, const double *y, const double *d, double *dy, double *dk) {
    double bind = d[2] - d[0] - d[1], free = d[3] - d[2], react = d[4] - d[1] - d[3];
    dy[0] += bind * k[0] * y[1];
    dy[1] += bind * k[0] * y[0] + react * k[3] * y[3];
    dy[2] += free * k[2] - bind * k[1];
    dy[3] += react * k[3] * y[1];
    dy[4] -= react * k[4];
    dk[0] += bind * y[0] * y[1];
    dk[1] -= bind * y[2];
    dk[2] += free * y[2];
    dk[3] += react * y[3] * y[1];
    dk[4] -= react * y[4];
}

/* Keeps where the later three rates are taken. */
static void step(const double *k, const double *y, double kept[3][S], double *after) {
    double *y2 = kept[0], *y3 = kept[1], *y4 = kept[2], k1[S], k2[S], k3[S], k4[S];
    change(k, y, k1);
    for (int i = 0; i < S; i++) y2[i] = y[i] + dt[0] / 2 * k1[i];
    change(k, y2, k2);
    for (int i = 0; i < S; i++) y3[i] = y[i] + dt[0] / 2 * k2[i];
    change(k, y3, k3);
    for (int i = 0; i < S; i++) y4[i] = y[i] + dt[0] * k3[i];
    change(k, y4, k4);
    for (int i = 0; i < S; i++) after[i] = y[i] + dt[0] / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

/* From the cotangent of the state after a step to that of the one before it. */
static void step_reverse(const double *k, const double *y, double kept[3][S], double *d, double *dk) {
    double d1[S], d2[S], d3[S], d4[S], e2[S] = {0}, e3[S] = {0}, e4[S] = {0};
    for (int i = 0; i < S; i++) d4[i] = dt[0] / 6 * d[i];
    change_reverse(k, kept[2], d4, e4, dk);
    for (int i = 0; i < S; i++) d3[i] = dt[0] / 3 * d[i] + dt[0] * e4[i];
    change_reverse(k, kept[1], d3, e3, dk);
    for (int i = 0; i < S; i++) d2[i] = dt[0] / 3 * d[i] + dt[0] / 2 * e3[i];
    change_reverse(k, kept[0], d2, e2, dk);
    for (int i = 0; i < S; i++) {
        d1[i] = dt[0] / 6 * d[i] + dt[0] / 2 * e2[i];
        d[i] += e2[i] + e3[i] + e4[i];
    }
    change_reverse(k, y, d1, d, dk);
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *measured = in + 10;
    double value = 0, *g = out + 1;
    for (int i = 0; i < 10; i++) g[i] = 0;
    for (int run = 0; run < RUNS; run++) {
        double k[S], dk[S] = {0}, d[S] = {0};
        const double *seen = measured + run * SAMPLES * S;
        for (int i = 0; i < S; i++) {
            k[i] = exp(in[i] - in[S + i] * inverse[run]);
            states[0][i] = starts[run * S + i];
        }
        for (int t = 0; t < TOTAL; t++) step(k, states[t], stages[t], states[t + 1]);
        for (int t = TOTAL - 1; t >= 0; t--) {
            if ((t + 1) % STEPS == 0) {
                for (int i = 0; i < S; i++) {
                    double e = states[t + 1][i] - seen[(t / STEPS) * S + i];
                    value += e * e;
                    d[i] += 2 * e;
                }
            }
            step_reverse(k, states[t], stages[t], d, dk);
        }
        for (int i = 0; i < S; i++) {
            g[i] += dk[i] * k[i];
            g[S + i] -= dk[i] * k[i] * inverse[run];
        }
    }
    out[0] = value;
}
