// Nerve cells that excite each other and see a stimulus, a point-process model of their spikes.
// In: the biases, the filters of the stimulus and the weights of the coupling, then the stimulus, and the spikes, of
// which the first PAST bins only count as past. BASIS has the raised cosines.
#include "program.h"
#include <math.h>

static double after[CELLS][CELLS][PAST], d_after[CELLS][CELLS][PAST];

void adjoint(const double *restrict in, double *restrict out) {
    const double *bias = in, *filters = in + CELLS, *coupling = filters + CELLS * LAGS;
    const double *stimulus = coupling + CELLS * CELLS * BUMPS, *spikes = stimulus + BINS + LAGS - 1, dt = 0.1;
    double value = 0, *d_bias = out + 1, *d_filters = d_bias + CELLS, *d_coupling = d_filters + CELLS * LAGS;
    for (int n = 0; n < CELLS; n++) {
        d_bias[n] = 0;
        for (int l = 0; l < LAGS; l++) d_filters[n * LAGS + l] = 0;
        for (int m = 0; m < CELLS; m++)
            for (int l = 0; l < PAST; l++) {
                double s = 0;
                for (int b = 0; b < BUMPS; b++) s += coupling[(n * CELLS + m) * BUMPS + b] * BASIS[b * PAST + l];
                after[n][m][l] = s;
                d_after[n][m][l] = 0;
            }
    }
    for (int t = 0; t < BINS; t++)
        for (int n = 0; n < CELLS; n++) {
            double drive = bias[n], y = spikes[(PAST + t) * CELLS + n];
            for (int l = 0; l < LAGS; l++) drive += filters[n * LAGS + l] * stimulus[LAGS - 1 - l + t];
            for (int l = 0; l < PAST; l++)
                for (int m = 0; m < CELLS; m++) drive += after[n][m][l] * spikes[(PAST - 1 - l + t) * CELLS + m];
            double e = exp(drive), rate = log(1 + e), d = (dt - y / rate) * e / (1 + e);
            value += dt * rate - y * log(rate);
            d_bias[n] += d;
            for (int l = 0; l < LAGS; l++) d_filters[n * LAGS + l] += d * stimulus[LAGS - 1 - l + t];
            for (int l = 0; l < PAST; l++)
                for (int m = 0; m < CELLS; m++) d_after[n][m][l] += d * spikes[(PAST - 1 - l + t) * CELLS + m];
        }
    for (int n = 0; n < CELLS; n++) {
        for (int l = 0; l < LAGS - 1; l++) {
            double e = filters[n * LAGS + l + 1] - filters[n * LAGS + l];
            value += 0.5 * e * e;
            d_filters[n * LAGS + l + 1] += e;
            d_filters[n * LAGS + l] -= e;
        }
        for (int m = 0; m < CELLS; m++)
            for (int b = 0; b < BUMPS; b++) {
                double w = coupling[(n * CELLS + m) * BUMPS + b], d = 0.2 * w;
                value += 0.1 * w * w;
                for (int l = 0; l < PAST; l++) d += BASIS[b * PAST + l] * d_after[n][m][l];
                d_coupling[(n * CELLS + m) * BUMPS + b] = d;
            }
    }
    out[0] = value;
}
