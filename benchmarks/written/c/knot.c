// The Moebius energy of a knot that is a polygon, with distances along it.
#include "program.h"
#include <math.h>

static double lengths[POINTS], weights[POINTS], at[POINTS], d_lengths[POINTS], d_weights[POINTS], d_at[POINTS];

void adjoint(const double *restrict x, double *restrict out) {
    double value = 0, whole = 0, spread = 0, d_whole = 0, *g = out + 1;
    for (int i = 0; i < POINTS; i++) {
        const double *a = x + 3 * i, *b = x + 3 * ((i + 1) % POINTS);
        double dx = b[0] - a[0], dy = b[1] - a[1], dz = b[2] - a[2];
        lengths[i] = sqrt(dx * dx + dy * dy + dz * dz);
        at[i] = whole;
        whole += lengths[i];
        d_weights[i] = d_at[i] = 0;
    }
    for (int i = 0; i < POINTS; i++) weights[i] = 0.5 * (lengths[i] + lengths[(i + POINTS - 1) % POINTS]);
    for (int k = 0; k < 3 * POINTS; k++) g[k] = 0;
    for (int i = 0; i < POINTS; i++) {
        for (int j = 0; j < POINTS; j++) {
            if (i == j) continue;
            double dx = x[3 * i] - x[3 * j], dy = x[3 * i + 1] - x[3 * j + 1], dz = x[3 * i + 2] - x[3 * j + 2];
            double apart = dx * dx + dy * dy + dz * dz, forward = fabs(at[i] - at[j]), back = whole - forward;
            int shorter = forward < back;
            double along = shorter ? forward : back, density = 1 / apart - 1 / (along * along);
            double both = weights[i] * weights[j];
            value += both * density;
            d_weights[i] += weights[j] * density;
            d_weights[j] += weights[i] * density;
            double d_apart = -2 * both / (apart * apart), d_along = 2 * both / (along * along * along);
            g[3 * i] += d_apart * dx;
            g[3 * i + 1] += d_apart * dy;
            g[3 * i + 2] += d_apart * dz;
            g[3 * j] -= d_apart * dx;
            g[3 * j + 1] -= d_apart * dy;
            g[3 * j + 2] -= d_apart * dz;
            if (!shorter) d_whole += d_along;
            double d_forward = shorter == (at[i] > at[j]) ? d_along : -d_along;
            d_at[i] += d_forward;
            d_at[j] -= d_forward;
        }
    }
    const double mean = whole / POINTS;
    for (int i = 0; i < POINTS; i++) {
        double e = lengths[i] / mean - 1, d = 20 * e / POINTS;
        spread += e * e / POINTS;
        d_lengths[i] = d / mean + 0.5 * (d_weights[i] + d_weights[(i + 1) % POINTS]);
        d_whole -= d * lengths[i] / mean / whole;
    }
    double later = 0;
    for (int i = POINTS - 1; i >= 0; i--) {
        const double *a = x + 3 * i, *b = x + 3 * ((i + 1) % POINTS);
        double d = (d_lengths[i] + d_whole + later) / lengths[i], *ga = g + 3 * i, *gb = g + 3 * ((i + 1) % POINTS);
        later += d_at[i];
        for (int c = 0; c < 3; c++) {
            gb[c] += d * (b[c] - a[c]);
            ga[c] -= d * (b[c] - a[c]);
        }
    }
    out[0] = value + 10 * spread;
}
