// The conductances of a nerve cell, from the voltage while a current flows in.
// In: three conductances, three potentials and the capacity, then the current and the voltage that was seen.
#include "program.h"
#include <math.h>

typedef struct {
    double x, opens, closes, decay;
} Gate;

typedef struct {
    double v, em, en;  // and the exponentials in the opening rates of m and n
    Gate m, h, n;
} Step;

static const double dt = 0.02;
static Step tape[STEPS];
static double trace[STEPS];

static double gate(Gate *g, double x, double opens, double closes) {
    double rate = opens + closes, rest = opens / rate, decay = exp(-rate * dt);
    *g = (Gate){x, opens, closes, decay};
    return rest + (x - rest) * decay;
}

// From the cotangent after a step to that before it, and to those of the rates.
static double gate_back(const Gate *g, double d, double *d_opens, double *d_closes) {
    double rate = g->opens + g->closes, rest = g->opens / rate, d_rest = d * (1 - g->decay);
    double d_rate = -dt * g->decay * d * (g->x - rest) - d_rest * rest / rate;
    *d_opens = d_rate + d_rest / rate;
    *d_closes = d_rate;
    return d * g->decay;
}

void adjoint(const double *restrict in, double *restrict out) {
    const double na = in[0], k = in[1], leak = in[2], e_na = in[3], e_k = in[4], e_leak = in[5], capacity = in[6];
    const double *current = in + 7, *seen = current + STEPS;
    double v = -65, m = 0.053, h = 0.596, n = 0.318, value = 0, *g = out + 1;
    for (int t = 0; t < STEPS; t++) {
        Step *s = tape + t;
        s->v = v;
        s->em = exp(-(v + 40) / 10);
        s->en = exp(-(v + 55) / 10);
        double flows = na * m * m * m * h * (v - e_na) + k * n * n * n * n * (v - e_k) + leak * (v - e_leak);
        m = gate(&s->m, m, 0.1 * (v + 40) / (1 - s->em), 4 * exp(-(v + 65) / 18));
        h = gate(&s->h, h, 0.07 * exp(-(v + 65) / 20), 1 / (1 + exp(-(v + 35) / 10)));
        n = gate(&s->n, n, 0.01 * (v + 55) / (1 - s->en), 0.125 * exp(-(v + 65) / 80));
        v += dt / capacity * (current[t] - flows);
        trace[t] = v;
        value += (v - seen[t]) * (v - seen[t]);
    }
    out[0] = value / STEPS;
    for (int i = 0; i < 7; i++) g[i] = 0;
    double dv = 0, dm = 0, dh = 0, dn = 0;
    for (int t = STEPS - 1; t >= 0; t--) {
        const Step *s = tape + t;
        double v = s->v, m = s->m.x, h = s->h.x, n = s->n.x, opens, closes;
        dv += 2 * (trace[t] - seen[t]) / STEPS;
        double d = -dt / capacity * dv;  // of the currents that flow out
        g[6] -= dv * (trace[t] - v) / capacity;
        double m3h = m * m * m * h, n4 = n * n * n * n;
        g[0] += d * m3h * (v - e_na);
        g[1] += d * n4 * (v - e_k);
        g[2] += d * (v - e_leak);
        g[3] -= d * na * m3h;
        g[4] -= d * k * n4;
        g[5] -= d * leak;
        dv += d * (na * m3h + k * n4 + leak);
        dm = gate_back(&s->m, dm, &opens, &closes);
        dv += opens * 0.1 * (1 - s->m.opens * s->em) / (1 - s->em) - closes * s->m.closes / 18;
        dh = gate_back(&s->h, dh, &opens, &closes);
        dv += -opens * s->h.opens / 20 + closes * s->h.closes * (1 - s->h.closes) / 10;
        dn = gate_back(&s->n, dn, &opens, &closes);
        dv += opens * (0.01 - 0.1 * s->n.opens * s->en) / (1 - s->en) - closes * s->n.closes / 80;
        dm += d * na * 3 * m * m * h * (v - e_na);
        dh += d * na * m * m * m * (v - e_na);
        dn += d * k * 4 * n * n * n * (v - e_k);
    }
}
