// From which populations the genomes of people come, by their genotypes.
// In: the logits of the ancestries by person, those of the frequencies by population, then the genotypes.
#include "program.h"
#include <math.h>

static double q[PEOPLE][POPULATIONS], dq[PEOPLE][POPULATIONS], f[POPULATIONS][LOCI], df[POPULATIONS][LOCI];

void adjoint(const double *restrict in, double *restrict out) {
    const double *ancestry = in, *frequency = in + PEOPLE * POPULATIONS, *genotypes = frequency + POPULATIONS * LOCI;
    double value = 0, *d_ancestry = out + 1, *d_frequency = d_ancestry + PEOPLE * POPULATIONS;
    for (int i = 0; i < PEOPLE; i++) {
        const double *x = ancestry + i * POPULATIONS;
        double most = x[0], all = 0;
        for (int k = 1; k < POPULATIONS; k++) most = fmax(most, x[k]);
        for (int k = 0; k < POPULATIONS; k++) all += q[i][k] = exp(x[k] - most);
        for (int k = 0; k < POPULATIONS; k++) {
            q[i][k] /= all;
            value += 0.1 * log(q[i][k]);
            dq[i][k] = 0.1 / q[i][k];
        }
    }
    for (int k = 0; k < POPULATIONS; k++)
        for (int l = 0; l < LOCI; l++) {
            double y = f[k][l] = 1 / (1 + exp(-frequency[k * LOCI + l]));
            value += 0.5 * (log(y) + log(1 - y));
            df[k][l] = 0.5 / y - 0.5 / (1 - y);
        }
    for (int i = 0; i < PEOPLE; i++)
        for (int l = 0; l < LOCI; l++) {
            double p = 0, n = genotypes[i * LOCI + l];
            for (int k = 0; k < POPULATIONS; k++) p += q[i][k] * f[k][l];
            value += n * log(p) + (2 - n) * log(1 - p);
            double dp = n / p - (2 - n) / (1 - p);
            for (int k = 0; k < POPULATIONS; k++) {
                dq[i][k] += dp * f[k][l];
                df[k][l] += dp * q[i][k];
            }
        }
    for (int i = 0; i < PEOPLE; i++) {
        double mean = 0;
        for (int k = 0; k < POPULATIONS; k++) mean += dq[i][k] * q[i][k];
        for (int k = 0; k < POPULATIONS; k++) d_ancestry[i * POPULATIONS + k] = -q[i][k] * (dq[i][k] - mean) / PEOPLE;
    }
    for (int k = 0; k < POPULATIONS; k++)
        for (int l = 0; l < LOCI; l++) d_frequency[k * LOCI + l] = -df[k][l] * f[k][l] * (1 - f[k][l]) / PEOPLE;
    out[0] = -value / PEOPLE;
}
