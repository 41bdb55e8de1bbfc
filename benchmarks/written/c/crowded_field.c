// Stars of a crowded field, each a point spread as Moffat's, above a sloping sky, fitted to an image.
// In: the columns, the rows and the logarithms of the fluxes of the stars, the logarithm of the width, beta, the sky,
// then the image and its weights.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    const double *x = in, *y = in + STARS, *log_flux = in + 2 * STARS, *sky = in + 3 * STARS + 2;
    const double *image = sky + 3, *weight = image + SIZE * SIZE;
    const double square = exp(2 * in[3 * STARS]), beta = in[3 * STARS + 1], pi = acos(-1.0);
    double *gx = out + 1, *gy = gx + STARS, *g_flux = gy + STARS, *g_sky = out + 1 + 3 * STARS + 2;
    double value = 0, d_square = 0, d_beta = 0, flux[STARS], d_flux[STARS];
    for (int s = 0; s < STARS; s++) {
        flux[s] = exp(log_flux[s]) * (beta - 1) / (pi * square);
        gx[s] = gy[s] = d_flux[s] = 0;
    }
    for (int k = 0; k < 3; k++) g_sky[k] = 0;
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            double model = sky[0] + sky[1] * i + sky[2] * j, bases[STARS], spreads[STARS];
            for (int s = 0; s < STARS; s++) {
                double dx = j - x[s], dy = i - y[s];
                bases[s] = 1 + (dx * dx + dy * dy) / square;
                spreads[s] = pow(bases[s], -beta);
                model += flux[s] * spreads[s];
            }
            double e = image[i * SIZE + j] - model, d = -weight[i * SIZE + j] * e;
            value += weight[i * SIZE + j] * e * e;
            g_sky[0] += d;
            g_sky[1] += d * i;
            g_sky[2] += d * j;
            for (int s = 0; s < STARS; s++) {
                double d_spread = d * flux[s] * spreads[s], d_base = -beta * d_spread / bases[s];
                d_flux[s] += d * spreads[s];
                d_beta -= d_spread * log(bases[s]);
                d_square -= d_base * (bases[s] - 1) / square;
                gx[s] -= 2 * d_base * (j - x[s]) / square;
                gy[s] -= 2 * d_base * (i - y[s]) / square;
            }
        }
    }
    for (int s = 0; s < STARS; s++) {
        g_flux[s] = d_flux[s] * flux[s];
        d_beta += g_flux[s] / (beta - 1);
        d_square -= g_flux[s] / square;
    }
    out[0] = 0.5 * value;
    out[1 + 3 * STARS] = 2 * d_square * square;
    out[2 + 3 * STARS] = d_beta;
}
