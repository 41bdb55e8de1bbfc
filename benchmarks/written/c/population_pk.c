// The concentrations of a drug in a group of people, a mixed-effects model of two compartments.
// In: six logarithms of typical values, three effects of each person, three logarithms of their spread and that of the
// error, then the doses and the concentrations that were seen.
#include "program.h"
#include <math.h>

typedef struct {
    double ka, vmax, km, v, q, v2;
} Person;

static const double h = 24.0 / (SAMPLES * SUBSTEPS);
static double stages[SAMPLES][SUBSTEPS][4][3], concentration[SAMPLES];

static void rate(const Person *p, const double *a, double *k) {
    double absorbed = p->ka * a[0], c = a[1] / p->v, cleared = p->vmax * c / (p->km + c);
    double flow = p->q * (c - a[2] / p->v2);
    k[0] = -absorbed;
    k[1] = absorbed - cleared - flow;
    k[2] = flow;
}

// Adds to the cotangents of the amounts and of the person.
static void rate_back(const Person *p, const double *a, const double *dk, double *da, Person *dp) {
    double c = a[1] / p->v, part = 1 / (p->km + c), cleared = p->vmax * c * part;
    double d_absorbed = dk[1] - dk[0], d_cleared = -dk[1], d_flow = dk[2] - dk[1];
    double dc = d_cleared * p->vmax * p->km * part * part + d_flow * p->q;
    dp->ka += d_absorbed * a[0];
    dp->vmax += d_cleared * c * part;
    dp->km -= d_cleared * cleared * part;
    dp->q += d_flow * (c - a[2] / p->v2);
    dp->v2 += d_flow * p->q * a[2] / (p->v2 * p->v2);
    dp->v -= dc * c / p->v;
    da[0] += d_absorbed * p->ka;
    da[1] += dc / p->v;
    da[2] -= d_flow * p->q / p->v2;
}

static void step(const Person *p, double *a, double x[4][3]) {
    const double ahead[4] = {h / 2, h / 2, h, 0}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
    double k[3], after[3];
    for (int i = 0; i < 3; i++) x[0][i] = after[i] = a[i];
    for (int s = 0; s < 4; s++) {
        rate(p, x[s], k);
        for (int i = 0; i < 3; i++) {
            after[i] += weight[s] * k[i];
            if (s < 3) x[s + 1][i] = a[i] + ahead[s] * k[i];
        }
    }
    for (int i = 0; i < 3; i++) a[i] = after[i];
}

static void step_back(const Person *p, double *da, double x[4][3], Person *dp) {
    const double ahead[4] = {h / 2, h / 2, h, 0}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
    double before[3], dx[3] = {0}, dk[3];
    for (int i = 0; i < 3; i++) before[i] = da[i];
    for (int s = 3; s >= 0; s--) {
        for (int i = 0; i < 3; i++) {
            dk[i] = weight[s] * da[i] + ahead[s] * dx[i];
            dx[i] = 0;
        }
        rate_back(p, x[s], dk, dx, dp);
        for (int i = 0; i < 3; i++) before[i] += dx[i];
    }
    for (int i = 0; i < 3; i++) da[i] = before[i];
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *typical = in, *effects = in + 6, *spread = effects + 3 * PEOPLE, log_error = spread[3];
    const double *doses = spread + 4, *seen = doses + PEOPLE * SAMPLES, error = exp(log_error);
    double value = 0, *g = out + 1, *d_effects = g + 6, *d_spread = d_effects + 3 * PEOPLE;
    for (int k = 0; k < 10 + 3 * PEOPLE; k++) g[k] = 0;
    for (int i = 0; i < PEOPLE; i++) {
        const double *e = effects + 3 * i;
        Person p = {exp(typical[0] + e[0]), exp(typical[1] + e[1]), exp(typical[2]), exp(typical[3] + e[2]),
                    exp(typical[4]), exp(typical[5])}, d = {0};
        double a[3] = {0}, da[3] = {0};
        for (int k = 0; k < SAMPLES; k++) {
            a[0] += doses[i * SAMPLES + k];
            for (int s = 0; s < SUBSTEPS; s++) step(&p, a, stages[k][s]);
            concentration[k] = a[1] / p.v;
        }
        for (int k = SAMPLES - 1; k >= 0; k--) {
            double off = (log(seen[i * SAMPLES + k]) - log(concentration[k])) / error;
            value += 0.5 * off * off + log_error;
            d_spread[3] += 1 - off * off;
            da[1] -= off / error / (concentration[k] * p.v);
            d.v += off / error / p.v;
            for (int s = SUBSTEPS - 1; s >= 0; s--) step_back(&p, da, stages[k][s], &d);
        }
        for (int j = 0; j < 3; j++) {
            double width = exp(spread[j]), off = e[j] / width;
            value += 0.5 * off * off + spread[j];
            d_effects[3 * i + j] = off / width;
            d_spread[j] += 1 - off * off;
        }
        d_effects[3 * i] += d.ka * p.ka;
        d_effects[3 * i + 1] += d.vmax * p.vmax;
        d_effects[3 * i + 2] += d.v * p.v;
        g[0] += d.ka * p.ka;
        g[1] += d.vmax * p.vmax;
        g[2] += d.km * p.km;
        g[3] += d.v * p.v;
        g[4] += d.q * p.q;
        g[5] += d.v2 * p.v2;
    }
    out[0] = value;
}
