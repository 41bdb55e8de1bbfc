// The likelihood of a mixed model of growth curves.
// In: three coefficients, the root of the covariance of intercepts and slopes, the logarithm of the noise, then the
// times, the sizes, and who was treated.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    const double *times = in + 7, *sizes = times + SUBJECTS * VISITS, *treated = sizes + SUBJECTS * VISITS;
    const double a = exp(in[3]), c = exp(in[4]), b = in[5], noise = exp(2 * in[6]);
    double value = 0, d_beta[3] = {0}, d_a = 0, d_b = 0, d_c = 0, d_noise = 0;
    for (int s = 0; s < SUBJECTS; s++) {
        const double *t = times + s * VISITS, *size = sizes + s * VISITS;
        double l[VISITS][VISITS], inverse[VISITS][VISITS], left[VISITS], right[VISITS], x[VISITS], r[VISITS];
        for (int i = 0; i < VISITS; i++) {
            left[i] = a + b * t[i];
            right[i] = c * t[i];
            r[i] = size[i] - (in[0] + (in[1] + in[2] * treated[s]) * t[i]);
        }
        for (int i = 0; i < VISITS; i++) {
            for (int j = 0; j <= i; j++) {
                double v = left[i] * left[j] + right[i] * right[j] + (i == j ? noise : 0);
                for (int k = 0; k < j; k++) v -= l[i][k] * l[j][k];
                l[i][j] = i == j ? sqrt(v) : v / l[j][j];
            }
        }
        for (int i = 0; i < VISITS; i++) {
            double v = r[i];
            for (int k = 0; k < i; k++) v -= l[i][k] * x[k];
            x[i] = v / l[i][i];
            value += 2 * log(l[i][i]) + x[i] * x[i];
        }
        for (int i = VISITS - 1; i >= 0; i--) {
            double v = x[i];
            for (int k = i + 1; k < VISITS; k++) v -= l[k][i] * x[k];
            x[i] = v / l[i][i];
        }
        for (int j = 0; j < VISITS; j++) {  // the columns of the inverse
            for (int i = 0; i < VISITS; i++) {
                double v = i == j;
                for (int k = 0; k < i; k++) v -= l[i][k] * inverse[k][j];
                inverse[i][j] = v / l[i][i];
            }
            for (int i = VISITS - 1; i >= 0; i--) {
                double v = inverse[i][j];
                for (int k = i + 1; k < VISITS; k++) v -= l[k][i] * inverse[k][j];
                inverse[i][j] = v / l[i][i];
            }
        }
        for (int i = 0; i < VISITS; i++) {
            double d_left = 0, d_right = 0;
            for (int j = 0; j < VISITS; j++) {
                double d = inverse[i][j] - x[i] * x[j];
                d_left += 2 * d * left[j];
                d_right += 2 * d * right[j];
                if (i == j) d_noise += d;
            }
            d_a += d_left;
            d_b += d_left * t[i];
            d_c += d_right * t[i];
            d_beta[0] -= 2 * x[i];
            d_beta[1] -= 2 * x[i] * t[i];
            d_beta[2] -= 2 * x[i] * t[i] * treated[s];
        }
    }
    out[0] = 0.5 * value;
    for (int k = 0; k < 3; k++) out[1 + k] = 0.5 * d_beta[k];
    out[4] = 0.5 * d_a * a;
    out[5] = 0.5 * d_c * c;
    out[6] = 0.5 * d_b;
    out[7] = d_noise * noise;
}
