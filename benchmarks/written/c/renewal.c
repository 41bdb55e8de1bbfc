// The reproduction number of each week, by the renewal equation and late reports.
// In: WEEKS logarithms of it, that of the seed, seven effects of weekdays, that of the size of the negative binomial,
// then the serial interval, the delay, and the reports.
#include "program.h"
#include <math.h>

enum { DAYS = 7 * WEEKS };

static double infected[SERIAL + DAYS], pressure[DAYS], d_infected[SERIAL + DAYS];

static double digamma(double x) {
    double y = 0;
    for (; x < 10; x += 1) y -= 1 / x;
    double u = 1 / (x * x);
    double tail = u * (1. / 12 - u * (1. / 120 - u * (1. / 252 - u * (1. / 240 - u * (1. / 132 - u * 691. / 32760)))));
    return y + log(x) - 0.5 / x - tail;
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *log_r = in, *weekday = in + WEEKS + 1, *serial = in + WEEKS + 9, *delay = serial + SERIAL;
    const double *reports = delay + DELAY, seed = exp(in[WEEKS]), log_size = in[WEEKS + 8], size = exp(log_size);
    double value = 0, *g = out + 1, *d_log_r = g, *d_weekday = g + WEEKS + 1, r[WEEKS], effect[7], d_size = 0;
    for (int k = 0; k < WEEKS + 9; k++) g[k] = 0;
    for (int w = 0; w < WEEKS; w++) r[w] = exp(log_r[w]);
    for (int d = 0; d < 7; d++) effect[d] = exp(weekday[d]);
    for (int t = 0; t < SERIAL; t++) infected[t] = seed;
    for (int t = 0; t < DAYS; t++) {
        double p = 0;
        for (int s = 0; s < SERIAL; s++) p += serial[s] * infected[t + SERIAL - 1 - s];
        pressure[t] = p;
        infected[t + SERIAL] = r[t / 7] * p;
    }
    for (int t = 0; t < SERIAL + DAYS; t++) d_infected[t] = 0;
    const double lgamma_size = lgamma(size), digamma_size = digamma(size);
    for (int t = 0; t < DAYS; t++) {
        double due = 0, y = reports[t];
        for (int d = 0; d < DELAY; d++) due += delay[d] * infected[t + SERIAL - d];
        double mean = due * effect[t % 7], both = log(size + mean);
        value += lgamma_size - lgamma(y + size) + (y + size) * both - size * log_size - y * log(mean);
        double d_mean = (y + size) / (size + mean) - y / mean, d_due = d_mean * effect[t % 7];
        d_size += digamma_size - digamma(y + size) + both + (y + size) / (size + mean) - log_size;
        d_weekday[t % 7] += d_mean * mean;
        for (int d = 0; d < DELAY; d++) d_infected[t + SERIAL - d] += delay[d] * d_due;
    }
    for (int t = DAYS - 1; t >= 0; t--) {
        double dp = d_infected[t + SERIAL] * r[t / 7];
        d_log_r[t / 7] += dp * pressure[t];
        for (int s = 0; s < SERIAL; s++) d_infected[t + SERIAL - 1 - s] += serial[s] * dp;
    }
    for (int t = 0; t < SERIAL; t++) g[WEEKS] += d_infected[t] * seed;
    g[WEEKS + 8] = d_size * size - DAYS * size;
    for (int w = 0; w < WEEKS - 1; w++) {
        double e = (log_r[w + 1] - log_r[w]) / 0.2;
        value += 0.5 * e * e;
        d_log_r[w + 1] += e / 0.2;
        d_log_r[w] -= e / 0.2;
    }
    for (int d = 0; d < 7; d++) {
        value += 0.5 * (weekday[d] / 0.5) * (weekday[d] / 0.5);
        d_weekday[d] += weekday[d] / 0.25;
    }
    out[0] = value;
}
