// What a chain of four suppliers shall keep in store, by the simulated costs of a year.
// In: the safety stock of each stage, what part of what lacks it orders, then the demand of each day.
#include "program.h"
#include <math.h>

static const double holding[STAGES] = {1, 0.6, 0.4, 0.25}, penalty = 9, capacity = 16;
static double lacks[DAYS][STAGES];
static char empty[DAYS][STAGES], orders[DAYS][STAGES], full[DAYS];

void adjoint(const double *restrict in, double *restrict out) {
    const double *part = in + STAGES, *demand = in + 2 * STAGES, mean = 10 * (LEAD + 1), spread = 4 * sqrt(LEAD + 1);
    double base[STAGES], store[STAGES], owed[STAGES], transit[STAGES][LEAD];
    double value = 0, *d_base = out + 1, *d_part = d_base + STAGES;
    for (int k = 0; k < STAGES; k++) {
        base[k] = mean + spread * in[k];
        store[k] = base[k];
        owed[k] = 0;
        for (int l = 0; l < LEAD; l++) transit[k][l] = 0;
    }
    for (int t = 0; t < DAYS; t++) {
        double order = demand[t], sent[STAGES + 1];
        for (int k = 0; k < STAGES; k++) {
            double there = store[k] + transit[k][0], wanted = owed[k] + order;
            empty[t][k] = there < wanted;
            sent[k] = empty[t][k] ? there : wanted;
            store[k] = there - sent[k];
            owed[k] = wanted - sent[k];
            double position = store[k] - owed[k];
            for (int l = 1; l < LEAD; l++) position += transit[k][l];
            if (k + 1 < STAGES) position += owed[k + 1];
            lacks[t][k] = base[k] - position;
            orders[t][k] = part[k] * lacks[t][k] > 0;
            order = orders[t][k] ? part[k] * lacks[t][k] : 0;
            value += holding[k] * store[k];
        }
        value += penalty * owed[0];
        full[t] = order > capacity;
        sent[STAGES] = full[t] ? capacity : order;
        for (int k = 0; k < STAGES; k++) {
            for (int l = 0; l < LEAD - 1; l++) transit[k][l] = transit[k][l + 1];
            transit[k][LEAD - 1] = sent[k + 1];
        }
    }
    out[0] = value / DAYS;
    double d_store[STAGES] = {0}, d_owed[STAGES] = {0}, d_transit[STAGES][LEAD] = {{0}};
    for (int k = 0; k < STAGES; k++) d_base[k] = d_part[k] = 0;
    for (int t = DAYS - 1; t >= 0; t--) {
        double d_sent[STAGES + 1] = {0};
        for (int k = 0; k < STAGES; k++) {
            d_sent[k + 1] = d_transit[k][LEAD - 1];
            for (int l = LEAD - 1; l > 0; l--) d_transit[k][l] = d_transit[k][l - 1];
            d_transit[k][0] = 0;
        }
        double d_order = full[t] ? 0 : d_sent[STAGES];
        d_owed[0] += penalty / DAYS;
        for (int k = STAGES - 1; k >= 0; k--) {
            double ds = d_store[k] + holding[k] / DAYS, d_owes = d_owed[k], d_there, d_wanted;
            if (orders[t][k]) {
                double d = d_order * part[k];
                d_part[k] += d_order * lacks[t][k];
                d_base[k] += d;
                ds -= d;
                d_owes += d;
                for (int l = 1; l < LEAD; l++) d_transit[k][l] -= d;
                if (k + 1 < STAGES) d_owed[k + 1] -= d;
            }
            d_there = ds;
            d_wanted = d_owes;
            d_sent[k] -= ds + d_owes;
            *(empty[t][k] ? &d_there : &d_wanted) += d_sent[k];
            d_store[k] = d_there;
            d_transit[k][0] += d_there;
            d_owed[k] = d_wanted;
            d_order = d_wanted;
        }
    }
    for (int k = 0; k < STAGES; k++) d_base[k] = spread * (d_base[k] + d_store[k]);
}
