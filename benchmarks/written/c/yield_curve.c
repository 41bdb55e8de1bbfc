// The yield curve of Nelson, Siegel and Svensson, fitted to the prices of bonds.
// In: four coefficients and two times of decay, then the cash flows of each bond, then the prices.
#include "program.h"
#include <math.h>

static double near[DATES], far[DATES], loads[DATES], seconds[DATES], discount[DATES], d_discount[DATES];

void adjoint(const double *restrict in, double *restrict out) {
    const double *flows = in + 6, *prices = flows + BONDS * DATES;
    const double level = in[0], slope = in[1], hump = in[2], second = in[3], tau1 = in[4], tau2 = in[5];
    double value = 0, *g = out + 1;
    for (int k = 0; k < 6; k++) g[k] = 0;
    for (int j = 0; j < DATES; j++) {
        double t = 0.5 * (j + 1), a = t / tau1, b = t / tau2;
        near[j] = exp(-a);
        far[j] = exp(-b);
        loads[j] = (1 - near[j]) / a;
        seconds[j] = (1 - far[j]) / b;
        double rate = level + slope * loads[j] + hump * (loads[j] - near[j]) + second * (seconds[j] - far[j]);
        discount[j] = exp(-rate * t);
        d_discount[j] = 0;
    }
    for (int i = 0; i < BONDS; i++) {
        const double *flow = flows + i * DATES;
        double v = 0, w = 0;
        for (int j = 0; j < DATES; j++) {
            v += flow[j] * discount[j];
            w += flow[j] * 0.5 * (j + 1) * discount[j];
        }
        double duration = w / v, e = (v - prices[i]) / duration;
        value += e * e;
        double de = 2 * e / BONDS, d_duration = -de * e / duration;
        double dv = de / duration - d_duration * duration / v, dw = d_duration / v;
        for (int j = 0; j < DATES; j++) d_discount[j] += flow[j] * (dv + 0.5 * (j + 1) * dw);
    }
    for (int j = 0; j < DATES; j++) {
        double t = 0.5 * (j + 1), a = t / tau1, b = t / tau2;
        double d_rate = -t * discount[j] * d_discount[j];
        double d_load = d_rate * (slope + hump), d_second = d_rate * second;
        double d_near = -d_rate * hump - d_load / a, d_far = -d_rate * second - d_second / b;
        double da = -d_load * loads[j] / a - d_near * near[j], db = -d_second * seconds[j] / b - d_far * far[j];
        g[0] += d_rate;
        g[1] += d_rate * loads[j];
        g[2] += d_rate * (loads[j] - near[j]);
        g[3] += d_rate * (seconds[j] - far[j]);
        g[4] -= da * a / tau1;
        g[5] -= db * b / tau2;
    }
    out[0] = value / BONDS;
}
