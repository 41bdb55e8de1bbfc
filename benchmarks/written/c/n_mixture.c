// Birds that are counted repeatedly and not always seen, an N-mixture model.
// In: three coefficients of abundance, three of detection, then the elevation, the wind, the hour and what was seen.
// `lowest` is how many there must be at a site, and `choices` in how many ways those can be that were seen, over n!.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    const double *a = in, *b = in + 3, *elevation = in + 6, *wind = elevation + SITES;
    const double *hour = wind + SITES * VISITS, *seen = hour + SITES * VISITS;
    double value = 0, *g = out + 1;
    for (int k = 0; k < 6; k++) g[k] = 0;
    for (int i = 0; i < SITES; i++) {
        double x = elevation[i], log_mean = a[0] + a[1] * x + a[2] * x * x, mean = exp(log_mean);
        double p[VISITS], missed = 0, at_odds = 0;
        for (int j = 0; j < VISITS; j++) {
            int v = i * VISITS + j;
            double odds = b[0] + b[1] * wind[v] + b[2] * hour[v], e = exp(-fabs(odds));
            missed += fmax(odds, 0) + log1p(e);
            at_odds += seen[v] * odds;
            p[j] = odds < 0 ? e / (1 + e) : 1 / (1 + e);
        }
        double likelihood = 0, expected = 0, rate = log_mean - missed;
        for (int n = lowest[i]; n <= MOST; n++) {
            double term = choices[i * (MOST + 1) + n] * exp(n * rate + at_odds - mean);
            likelihood += term;
            expected += n * term;
        }
        value -= log(likelihood);
        expected /= likelihood;
        double d_log_mean = mean - expected;
        g[0] += d_log_mean;
        g[1] += d_log_mean * x;
        g[2] += d_log_mean * x * x;
        for (int j = 0; j < VISITS; j++) {
            int v = i * VISITS + j;
            double d = expected * p[j] - seen[v];
            g[3] += d;
            g[4] += d * wind[v];
            g[5] += d * hour[v];
        }
    }
    out[0] = value;
}
