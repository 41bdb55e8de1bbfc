// The simulated likelihood of a mixed logit of panels of choices.
// In: the means and the logarithms of the deviations of the tastes, then the attributes of the options, of which the
// first was chosen, then the draws.
#include "program.h"
#include <math.h>

enum { K = ATTRIBUTES };

static double shares[DRAWS][CHOICES][OPTIONS], panel[DRAWS];

void adjoint(const double *restrict in, double *restrict out) {
    const double *mean = in, *x = in + 2 * K, *draws = x + PEOPLE * CHOICES * OPTIONS * K;
    double value = 0, deviation[K], *g = out + 1;
    for (int k = 0; k < K; k++) {
        deviation[k] = exp(in[K + k]);
        g[k] = g[K + k] = 0;
    }
    for (int p = 0; p < PEOPLE; p++) {
        const double *xs = x + p * CHOICES * OPTIONS * K, *drawn = draws + p * DRAWS * K;
        double most = 0, sum = 0;
        for (int r = 0; r < DRAWS; r++) {
            double beta[K];
            for (int k = 0; k < K; k++) beta[k] = mean[k] + deviation[k] * drawn[r * K + k];
            panel[r] = 0;
            for (int t = 0; t < CHOICES; t++) {
                double *share = shares[r][t], largest = 0, total = 0, chosen = 0;
                for (int j = 0; j < OPTIONS; j++) {
                    double u = 0;
                    for (int k = 0; k < K; k++) u += xs[(t * OPTIONS + j) * K + k] * beta[k];
                    share[j] = u;
                    if (j == 0 || u > largest) largest = u;
                }
                chosen = share[0];
                for (int j = 0; j < OPTIONS; j++) total += share[j] = exp(share[j] - largest);
                for (int j = 0; j < OPTIONS; j++) share[j] /= total;
                panel[r] += chosen - (largest + log(total));
            }
            if (r == 0 || panel[r] > most) most = panel[r];
        }
        for (int r = 0; r < DRAWS; r++) sum += panel[r] = exp(panel[r] - most);
        value -= most + log(sum) - log(DRAWS);
        for (int r = 0; r < DRAWS; r++) {
            double d_panel = -panel[r] / sum / PEOPLE, d_beta[K] = {0};
            for (int t = 0; t < CHOICES; t++) {
                for (int j = 0; j < OPTIONS; j++) {
                    double d = d_panel * ((j == 0) - shares[r][t][j]);
                    for (int k = 0; k < K; k++) d_beta[k] += d * xs[(t * OPTIONS + j) * K + k];
                }
            }
            for (int k = 0; k < K; k++) {
                g[k] += d_beta[k];
                g[K + k] += d_beta[k] * deviation[k] * drawn[r * K + k];
            }
        }
    }
    out[0] = value / PEOPLE;
}
