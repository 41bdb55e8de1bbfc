// Where drivers go who do not know the fastest way for certain, stochastic user equilibrium.
// In: the logits of the routes of each pair, then the demand of each pair, and the free time and capacity of each road.
// TAKEN has the roads of each route; ROADS stands for no road.
#include "program.h"
#include <math.h>

static double share[PAIRS][ROUTES], drivers[PAIRS][ROUTES], volume[ROADS + 1], d_volume[ROADS + 1];

void adjoint(const double *restrict in, double *restrict out) {
    const double *demand = in + PAIRS * ROUTES, *free = demand + PAIRS, *capacity = free + ROADS, theta = 0.8;
    double value = 0, *g = out + 1;
    for (int l = 0; l <= ROADS; l++) volume[l] = 0;
    for (int p = 0; p < PAIRS; p++) {
        const double *logits = in + p * ROUTES;
        double most = logits[0], all = 0;
        for (int r = 1; r < ROUTES; r++) most = fmax(most, logits[r]);
        for (int r = 0; r < ROUTES; r++) all += share[p][r] = exp(logits[r] - most);
        for (int r = 0; r < ROUTES; r++) {
            share[p][r] /= all;
            drivers[p][r] = demand[p] * share[p][r];
            for (int k = 0; k < LONGEST; k++) volume[TAKEN[(p * ROUTES + r) * LONGEST + k]] += drivers[p][r];
        }
    }
    for (int l = 0; l < ROADS; l++) {
        double x = volume[l] / capacity[l], x4 = x * x * x * x;
        value += free[l] * (volume[l] + 0.03 * capacity[l] * x4 * x);
        d_volume[l] = free[l] * (1 + 0.15 * x4);
    }
    d_volume[ROADS] = 0;
    for (int p = 0; p < PAIRS; p++) {
        double d_share[ROUTES], mean = 0;
        for (int r = 0; r < ROUTES; r++) {
            double known = log(drivers[p][r]), d = (known + 1) / theta;
            value += drivers[p][r] * known / theta;
            for (int k = 0; k < LONGEST; k++) d += d_volume[TAKEN[(p * ROUTES + r) * LONGEST + k]];
            d_share[r] = d * demand[p];
            mean += d_share[r] * share[p][r];
        }
        for (int r = 0; r < ROUTES; r++) g[p * ROUTES + r] = share[p][r] * (d_share[r] - mean);
    }
    out[0] = value;
}
