// A spectrogram as spectra of notes times their loudness.
// In: the logarithms of the spectra, those of the loudness, then the power.
#include "program.h"
#include <math.h>

static double spectra[BINS][NOTES], loudness[NOTES][FRAMES], d_spectra[BINS][NOTES], d_loudness[NOTES][FRAMES];
static double sums[NOTES], along[NOTES];

void adjoint(const double *restrict in, double *restrict out) {
    const double *log_spectra = in, *log_loudness = in + BINS * NOTES, *power = log_loudness + NOTES * FRAMES;
    double *g = out + 1, value = 0;
    for (int k = 0; k < NOTES; k++) sums[k] = along[k] = 0;
    for (int i = 0; i < BINS; i++) {
        for (int k = 0; k < NOTES; k++) {
            spectra[i][k] = exp(log_spectra[i * NOTES + k]);
            sums[k] += spectra[i][k];
            d_spectra[i][k] = 0;
        }
    }
    for (int i = 0; i < BINS; i++)
        for (int k = 0; k < NOTES; k++) spectra[i][k] /= sums[k];
    for (int k = 0; k < NOTES; k++) {
        double squares = 0, jumps = 0;
        for (int t = 0; t < FRAMES; t++) {
            loudness[k][t] = exp(log_loudness[k * FRAMES + t]);
            squares += loudness[k][t] * loudness[k][t];
            value += 0.1 * loudness[k][t];
        }
        for (int t = 0; t + 1 < FRAMES; t++) {
            double jump = loudness[k][t + 1] - loudness[k][t];
            jumps += jump * jump;
        }
        squares /= FRAMES;
        value += 0.5 * jumps / squares;
        for (int t = 0; t < FRAMES; t++) d_loudness[k][t] = 0.1 - jumps * loudness[k][t] / (squares * squares * FRAMES);
        for (int t = 0; t + 1 < FRAMES; t++) {
            double jump = (loudness[k][t + 1] - loudness[k][t]) / squares;
            d_loudness[k][t + 1] += jump;
            d_loudness[k][t] -= jump;
        }
    }
    for (int i = 0; i < BINS; i++) {
        for (int t = 0; t < FRAMES; t++) {
            double model = 1e-6, p = power[i * FRAMES + t];
            for (int k = 0; k < NOTES; k++) model += spectra[i][k] * loudness[k][t];
            value += model - p * log(model);
            double d = 1 - p / model;
            for (int k = 0; k < NOTES; k++) {
                d_spectra[i][k] += d * loudness[k][t];
                d_loudness[k][t] += d * spectra[i][k];
            }
        }
    }
    for (int i = 0; i < BINS; i++)
        for (int k = 0; k < NOTES; k++) along[k] += d_spectra[i][k] * spectra[i][k];
    for (int i = 0; i < BINS; i++)
        for (int k = 0; k < NOTES; k++) g[i * NOTES + k] = (d_spectra[i][k] - along[k]) * spectra[i][k];
    for (int k = 0; k < NOTES; k++)
        for (int t = 0; t < FRAMES; t++) g[BINS * NOTES + k * FRAMES + t] = d_loudness[k][t] * loudness[k][t];
    out[0] = value;
}
