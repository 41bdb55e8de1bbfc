// An epidemic by age groups, fitted to the cases of each week.
// In: the logarithms of the susceptibilities and of four rates, then the contacts, the people, and the cases seen.
#include "program.h"
#include <math.h>

enum { DAYS = 7 * WEEKS };

static double S[DAYS][AGES], E[DAYS][AGES], I[DAYS][AGES], pressure[DAYS][AGES], escape[DAYS][AGES];
static double cases[WEEKS][AGES], d_ill[WEEKS][AGES];

void adjoint(const double *restrict in, double *restrict out) {
    const double *contacts = in + AGES + 4, *people = contacts + AGES * AGES, *seen = people + AGES;
    double *g = out + 1, susceptibility[AGES], s[AGES], e[AGES], inf[AGES], share[AGES], all = 0;
    for (int a = 0; a < AGES; a++) {
        susceptibility[a] = exp(in[a]);
        all += people[a];
    }
    const double latent = exp(in[AGES]), recovery = exp(in[AGES + 1]), seed = exp(in[AGES + 2]);
    const double ascertained = exp(in[AGES + 3]), stays = exp(-latent), lasts = exp(-recovery);
    const double falls = 1 - stays, recovers = 1 - lasts;
    for (int a = 0; a < AGES; a++) {
        e[a] = seed * people[a] / all;
        s[a] = people[a] - e[a];
        inf[a] = 0.5 * e[a];
        for (int w = 0; w < WEEKS; w++) cases[w][a] = 0;
    }
    for (int t = 0; t < DAYS; t++) {
        for (int a = 0; a < AGES; a++) share[a] = inf[a] / people[a];
        for (int a = 0; a < AGES; a++) {
            S[t][a] = s[a];
            E[t][a] = e[a];
            I[t][a] = inf[a];
            double p = 0;
            for (int b = 0; b < AGES; b++) p += contacts[a * AGES + b] * share[b];
            pressure[t][a] = p;
            escape[t][a] = exp(-susceptibility[a] * p);
        }
        for (int a = 0; a < AGES; a++) {
            double infected = s[a] * (1 - escape[t][a]), ill = falls * e[a];
            s[a] -= infected;
            e[a] += infected - ill;
            inf[a] += ill - recovers * inf[a];
            cases[t / 7][a] += ill;
        }
    }
    double value = 0, d_ascertained = 0;
    for (int w = 0; w < WEEKS; w++)
        for (int a = 0; a < AGES; a++) {
            double c = ascertained * cases[w][a] + 0.1, y = seen[w * AGES + a];
            value += c - y * log(c);
            double dc = (1 - y / c) / (WEEKS * AGES);
            d_ascertained += dc * cases[w][a];
            d_ill[w][a] = dc * ascertained;
        }
    double ds[AGES] = {0}, de[AGES] = {0}, di[AGES] = {0}, d_sus[AGES] = {0}, d_falls = 0, d_recovers = 0;
    for (int t = DAYS - 1; t >= 0; t--) {
        double d_share[AGES] = {0};
        for (int a = 0; a < AGES; a++) {
            double d_infected = de[a] - ds[a], dill = di[a] - de[a] + d_ill[t / 7][a];
            d_recovers -= di[a] * I[t][a];
            di[a] *= 1 - recovers;
            d_falls += dill * E[t][a];
            de[a] += dill * falls;
            ds[a] += d_infected * (1 - escape[t][a]);
            double d_force = d_infected * S[t][a] * escape[t][a], dp = d_force * susceptibility[a];
            d_sus[a] += d_force * pressure[t][a];
            for (int b = 0; b < AGES; b++) d_share[b] += contacts[a * AGES + b] * dp;
        }
        for (int a = 0; a < AGES; a++) di[a] += d_share[a] / people[a];
    }
    double d_seed = 0;
    for (int a = 0; a < AGES; a++) {
        g[a] = d_sus[a] * susceptibility[a];
        d_seed += (de[a] - ds[a] + 0.5 * di[a]) * people[a] / all;
    }
    g[AGES] = d_falls * stays * latent;
    g[AGES + 1] = d_recovers * lasts * recovery;
    g[AGES + 2] = d_seed * seed;
    g[AGES + 3] = d_ascertained * ascertained;
    out[0] = value / (WEEKS * AGES);
}
