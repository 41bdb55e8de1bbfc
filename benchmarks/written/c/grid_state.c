// The state of a power grid from measurements, by weighted least squares.
// In: voltages and angles, then the voltages, the active and reactive powers and the flows that were measured.
#include "program.h"
#include <math.h>

static double sine[BUSES][BUSES], cosine[BUSES][BUSES];

void adjoint(const double *restrict in, double *restrict out) {
    const double *v = in, *angle = in + BUSES, *volts = in + 2 * BUSES, *active = volts + BUSES;
    const double *reactive = active + BUSES, *flows = reactive + BUSES;
    double value = 0, *dv = out + 1, *d_angle = out + 1 + BUSES;
    for (int i = 0; i < BUSES; i++) {
        double e = (v[i] - volts[i]) / 0.005;
        value += e * e;
        dv[i] = 2 * e / 0.005;
        d_angle[i] = 0;
    }
    for (int i = 0; i < BUSES; i++) {
        double p = 0, q = 0;
        for (int j = 0; j < BUSES; j++) {
            double t = angle[i] - angle[j], s = sin(t), c = cos(t);
            sine[i][j] = s;
            cosine[i][j] = c;
            p += (BUS_G[i * BUSES + j] * c + BUS_B[i * BUSES + j] * s) * v[j];
            q += (BUS_G[i * BUSES + j] * s - BUS_B[i * BUSES + j] * c) * v[j];
        }
        double ep = (v[i] * p - active[i]) / 0.02, eq = (v[i] * q - reactive[i]) / 0.03;
        value += ep * ep + eq * eq;
        double dp = 2 * ep / 0.02, dq = 2 * eq / 0.03;
        dv[i] += dp * p + dq * q;
        dp *= v[i];
        dq *= v[i];
        for (int j = 0; j < BUSES; j++) {
            double g = BUS_G[i * BUSES + j], b = BUS_B[i * BUSES + j], s = sine[i][j], c = cosine[i][j];
            dv[j] += dp * (g * c + b * s) + dq * (g * s - b * c);
            double dt = v[j] * (dp * (b * c - g * s) + dq * (g * c + b * s));
            d_angle[i] += dt;
            d_angle[j] -= dt;
        }
    }
    for (int l = 0; l < LINES; l++) {
        int i = FROM[l], j = TO[l];
        double t = angle[i] - angle[j], s = sin(t), c = cos(t), both = LINE_G[l] * c + LINE_B[l] * s;
        double e = (LINE_G[l] * v[i] * v[i] - v[i] * v[j] * both - flows[l]) / 0.01, d = 2 * e / 0.01;
        value += e * e;
        dv[i] += d * (2 * LINE_G[l] * v[i] - v[j] * both);
        dv[j] -= d * v[i] * both;
        double dt = d * v[i] * v[j] * (LINE_G[l] * s - LINE_B[l] * c);
        d_angle[i] += dt;
        d_angle[j] -= dt;
    }
    d_angle[0] += 2e6 * angle[0];
    out[0] = value + 1e6 * angle[0] * angle[0];
}
