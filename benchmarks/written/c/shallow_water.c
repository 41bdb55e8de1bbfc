// The bump of water that made the waves of a later time, by the shallow-water equations.
// In: the height of the bump in each cell, then the height that was seen.
#include "program.h"

enum { ALL = CELLS * CELLS };

typedef double Field[CELLS][CELLS];

static Field h[STEPS + 1], hu[STEPS + 1], hv[STEPS + 1];
static Field across, down, both;            // the fluxes of momentum
static Field dh, dhu, dhv, gh, ghu, ghv;    // the cotangents after a step, and before it

static const double gravity = 9.81, half = 0.5 * 0.15;

static void step(int t) {
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double z = h[t][i][j], m = hu[t][i][j], n = hv[t][i][j], pressure = 0.5 * gravity * z * z;
            across[i][j] = m * m / z + pressure;
            down[i][j] = n * n / z + pressure;
            both[i][j] = m * n / z;
        }
    for (int i = 0; i < CELLS; i++) {
        int n = (i + 1) % CELLS, s = (i + CELLS - 1) % CELLS;
        for (int j = 0; j < CELLS; j++) {
            int e = (j + 1) % CELLS, w = (j + CELLS - 1) % CELLS;
            h[t + 1][i][j] = 0.25 * (h[t][s][j] + h[t][n][j] + h[t][i][w] + h[t][i][e])
                - half * (hu[t][n][j] - hu[t][s][j] + hv[t][i][e] - hv[t][i][w]);
            hu[t + 1][i][j] = 0.25 * (hu[t][s][j] + hu[t][n][j] + hu[t][i][w] + hu[t][i][e])
                - half * (across[n][j] - across[s][j] + both[i][e] - both[i][w]);
            hv[t + 1][i][j] = 0.25 * (hv[t][s][j] + hv[t][n][j] + hv[t][i][w] + hv[t][i][e])
                - half * (both[n][j] - both[s][j] + down[i][e] - down[i][w]);
        }
    }
}

static void back(int t) {
    for (int i = 0; i < CELLS; i++) {
        int n = (i + 1) % CELLS, s = (i + CELLS - 1) % CELLS;
        for (int j = 0; j < CELLS; j++) {
            int e = (j + 1) % CELLS, w = (j + CELLS - 1) % CELLS;
            double z = h[t][i][j], u = hu[t][i][j] / z, v = hv[t][i][j] / z;
            double d_across = half * (dhu[n][j] - dhu[s][j]), d_down = half * (dhv[i][e] - dhv[i][w]);
            double d_both = half * (dhu[i][e] - dhu[i][w] + dhv[n][j] - dhv[s][j]);
            gh[i][j] = 0.25 * (dh[s][j] + dh[n][j] + dh[i][w] + dh[i][e]) + d_across * (gravity * z - u * u)
                + d_down * (gravity * z - v * v) - d_both * u * v;
            ghu[i][j] = 0.25 * (dhu[s][j] + dhu[n][j] + dhu[i][w] + dhu[i][e]) + half * (dh[n][j] - dh[s][j])
                + 2 * d_across * u + d_both * v;
            ghv[i][j] = 0.25 * (dhv[s][j] + dhv[n][j] + dhv[i][w] + dhv[i][e]) + half * (dh[i][e] - dh[i][w])
                + 2 * d_down * v + d_both * u;
        }
    }
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            dh[i][j] = gh[i][j];
            dhu[i][j] = ghu[i][j];
            dhv[i][j] = ghv[i][j];
        }
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *bump = in, *seen = in + ALL;
    double value = 0, *g = out + 1;
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            h[0][i][j] = 1 + bump[i * CELLS + j];
            hu[0][i][j] = hv[0][i][j] = 0;
        }
    for (int t = 0; t < STEPS; t++) step(t);
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            double e = h[STEPS][i][j] - seen[i * CELLS + j];
            value += e * e / ALL;
            dh[i][j] = 2 * e / ALL;
            dhu[i][j] = dhv[i][j] = 0;
        }
    for (int t = STEPS - 1; t >= 0; t--) back(t);
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) g[i * CELLS + j] = dh[i][j];
    for (int i = 0; i < CELLS; i++) {
        int n = (i + 1) % CELLS, s = (i + CELLS - 1) % CELLS;
        for (int j = 0; j < CELLS; j++) {
            int e = (j + 1) % CELLS, w = (j + CELLS - 1) % CELLS;
            double x = bump[n * CELLS + j] - bump[s * CELLS + j], y = bump[i * CELLS + e] - bump[i * CELLS + w];
            value += 0.01 * (x * x + y * y) / ALL;
            g[n * CELLS + j] += 0.02 * x / ALL;
            g[s * CELLS + j] -= 0.02 * x / ALL;
            g[i * CELLS + e] += 0.02 * y / ALL;
            g[i * CELLS + w] -= 0.02 * y / ALL;
        }
    }
    out[0] = value;
}
