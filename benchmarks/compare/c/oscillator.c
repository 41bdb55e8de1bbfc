// An oscillator in the plane with quadratic drag, under gravity: N steps of semi-implicit Euler, and how far from a
// target it ends, squared. The derivative of a step reads the velocity before it, and the speed.
#include "program.h"
#include <math.h>

static double tape[N][3];

void adjoint(const double *restrict in, double *restrict out) {
    const double dt = 0.01, k = 1.3, c = 0.05;
    double x = in[0], y = in[1], u = in[2], v = in[3];
    for (int t = 0; t < N; t++) {
        double speed = sqrt(u * u + v * v + 1e-12);
        tape[t][0] = u;
        tape[t][1] = v;
        tape[t][2] = speed;
        u += dt * (-k * x - c * speed * u);
        v += dt * (-k * y - c * speed * v - 1);
        x += dt * u;
        y += dt * v;
    }
    double ex = x - 0.3, ey = y + 0.8, gx = 2 * ex, gy = 2 * ey, gu = 0, gv = 0;
    for (int t = N - 1; t >= 0; t--) {
        double u = tape[t][0], v = tape[t][1], speed = tape[t][2];
        gu += dt * gx;
        gv += dt * gy;
        double ax = dt * gu, ay = dt * gv, gs = -c * (u * ax + v * ay) / speed;
        gx -= k * ax;
        gy -= k * ay;
        gu += gs * u - c * speed * ax;
        gv += gs * v - c * speed * ay;
    }
    out[0] = ex * ex + ey * ey;
    out[1] = gx;
    out[2] = gy;
    out[3] = gu;
    out[4] = gv;
}
