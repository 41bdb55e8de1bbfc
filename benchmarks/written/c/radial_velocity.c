// The likelihood of two planets, by the radial velocities of their star.
// In: of each planet the logarithms of amplitude and period, phase, eccentricity and periastron; offset, trend and the
// logarithm of the jitter; then the times, the velocities and their errors.
#include "program.h"
#include <math.h>

enum { GLOBAL = 5 * PLANETS };

void adjoint(const double *restrict in, double *restrict out) {
    const double *times = in + GLOBAL + 3, *seen = times + EPOCHS, *errors = seen + EPOCHS;
    const double jitter = exp(2 * in[GLOBAL + 2]), turn = 2 * acos(-1.0);
    double value = 0, d_jitter = 0, *g = out + 1;
    double amplitude[PLANETS], period[PLANETS], root[PLANETS], cw[PLANETS], sw[PLANETS];
    for (int k = 0; k < GLOBAL + 3; k++) g[k] = 0;
    for (int k = 0; k < PLANETS; k++) {
        const double *p = in + 5 * k;
        amplitude[k] = exp(p[0]);
        period[k] = exp(p[1]);
        root[k] = sqrt(1 - p[3] * p[3]);
        cw[k] = cos(p[4]);
        sw[k] = sin(p[4]);
    }
    for (int i = 0; i < EPOCHS; i++) {
        double t = times[i], model = in[GLOBAL] + in[GLOBAL + 1] * t;
        double c[PLANETS], s[PLANETS], near[PLANETS], cosine[PLANETS], sine[PLANETS], along[PLANETS];
        for (int k = 0; k < PLANETS; k++) {
            double e = in[5 * k + 3], mean = turn * t / period[k] + in[5 * k + 2], anomaly = mean + e * sin(mean);
            for (int n = 0; n < 50; n++) {
                double move = (anomaly - e * sin(anomaly) - mean) / (1 - e * cos(anomaly));
                anomaly -= move;
                if (fabs(move) <= 1e-14 * fabs(anomaly)) break;
            }
            c[k] = cos(anomaly);
            s[k] = sin(anomaly);
            near[k] = 1 - e * c[k];
            cosine[k] = (c[k] - e) / near[k];
            sine[k] = root[k] * s[k] / near[k];
            along[k] = cw[k] * (cosine[k] + e) - sw[k] * sine[k];
            model += amplitude[k] * along[k];
        }
        double variance = errors[i] * errors[i] + jitter, r = seen[i] - model, d = -r / variance;
        value += log(variance) + r * r / variance;
        d_jitter += 0.5 * (1 - r * r / variance) / variance;
        g[GLOBAL] += d;
        g[GLOBAL + 1] += d * t;
        for (int k = 0; k < PLANETS; k++) {
            double e = in[5 * k + 3], dv = d * amplitude[k], d_cosine = dv * cw[k], d_sine = -dv * sw[k];
            double d_near = -(d_cosine * cosine[k] + d_sine * sine[k]) / near[k];
            double dc = d_cosine / near[k] - d_near * e, ds = d_sine * root[k] / near[k];
            double de = d_cosine - d_cosine / near[k] - d_near * c[k] - d_sine * s[k] / near[k] * e / root[k];
            double d_mean = (ds * c[k] - dc * s[k]) / near[k];
            g[5 * k] += dv * along[k];
            g[5 * k + 1] -= d_mean * turn * t / period[k];
            g[5 * k + 2] += d_mean;
            g[5 * k + 3] += de + d_mean * s[k];
            g[5 * k + 4] -= dv * (sw[k] * (cosine[k] + e) + cw[k] * sine[k]);
        }
    }
    g[GLOBAL + 2] = 2 * d_jitter * jitter;
    out[0] = 0.5 * value;
}
