// The energy of a planar conjugated molecule by Hueckel's method, and springs for its bonds.
// The eigenvectors are found as EISPACK's tred2 and tql2 do it.
#include "program.h"
#include <math.h>

enum { N = ATOMS };

static double v[N][N], d[N], e[N];

static void tridiagonal(void) {
    for (int j = 0; j < N; j++) d[j] = v[N - 1][j];
    for (int i = N - 1; i > 0; i--) {
        double scale = 0, h = 0;
        for (int k = 0; k < i; k++) scale += fabs(d[k]);
        if (scale == 0) {
            e[i] = d[i - 1];
            for (int j = 0; j < i; j++) {
                d[j] = v[i - 1][j];
                v[i][j] = v[j][i] = 0;
            }
        } else {
            for (int k = 0; k < i; k++) {
                d[k] /= scale;
                h += d[k] * d[k];
            }
            double f = d[i - 1], g = f > 0 ? -sqrt(h) : sqrt(h);
            e[i] = scale * g;
            h -= f * g;
            d[i - 1] = f - g;
            for (int j = 0; j < i; j++) e[j] = 0;
            for (int j = 0; j < i; j++) {
                f = v[j][i] = d[j];
                g = e[j] + v[j][j] * f;
                for (int k = j + 1; k < i; k++) {
                    g += v[k][j] * d[k];
                    e[k] += v[k][j] * f;
                }
                e[j] = g;
            }
            f = 0;
            for (int j = 0; j < i; j++) {
                e[j] /= h;
                f += e[j] * d[j];
            }
            double half = f / (h + h);
            for (int j = 0; j < i; j++) e[j] -= half * d[j];
            for (int j = 0; j < i; j++) {
                for (int k = j; k < i; k++) v[k][j] -= d[j] * e[k] + e[j] * d[k];
                d[j] = v[i - 1][j];
                v[i][j] = 0;
            }
        }
        d[i] = h;
    }
    for (int i = 0; i < N - 1; i++) {
        v[N - 1][i] = v[i][i];
        v[i][i] = 1;
        if (d[i + 1] != 0) {
            for (int k = 0; k <= i; k++) d[k] = v[k][i + 1] / d[i + 1];
            for (int j = 0; j <= i; j++) {
                double g = 0;
                for (int k = 0; k <= i; k++) g += v[k][i + 1] * v[k][j];
                for (int k = 0; k <= i; k++) v[k][j] -= g * d[k];
            }
        }
        for (int k = 0; k <= i; k++) v[k][i + 1] = 0;
    }
    for (int j = 0; j < N; j++) {
        d[j] = v[N - 1][j];
        v[N - 1][j] = 0;
    }
    v[N - 1][N - 1] = 1;
    e[0] = 0;
}

static void diagonal(void) {
    double f = 0, largest = 0;
    for (int i = 1; i < N; i++) e[i - 1] = e[i];
    e[N - 1] = 0;
    for (int l = 0; l < N; l++) {
        int m = l;
        largest = fmax(largest, fabs(d[l]) + fabs(e[l]));
        while (fabs(e[m]) > 0x1p-52 * largest) m++;
        if (m > l) {
            do {
                double g = d[l], p = (d[l + 1] - g) / (2 * e[l]), r = p < 0 ? -hypot(p, 1) : hypot(p, 1);
                d[l] = e[l] / (p + r);
                d[l + 1] = e[l] * (p + r);
                double next = d[l + 1], h = g - d[l], c = 1, c2 = 1, c3 = 1, before = e[l + 1], s = 0, s2 = 0;
                for (int i = l + 2; i < N; i++) d[i] -= h;
                f += h;
                p = d[m];
                for (int i = m - 1; i >= l; i--) {
                    c3 = c2;
                    c2 = c;
                    s2 = s;
                    g = c * e[i];
                    h = c * p;
                    r = hypot(p, e[i]);
                    e[i + 1] = s * r;
                    s = e[i] / r;
                    c = p / r;
                    p = c * d[i] - s * g;
                    d[i + 1] = h + s * (c * g + s * d[i]);
                    for (int k = 0; k < N; k++) {
                        h = v[k][i + 1];
                        v[k][i + 1] = s * v[k][i] + c * h;
                        v[k][i] = c * v[k][i] - s * h;
                    }
                }
                p = -s * s2 * c3 * before * e[l] / next;
                e[l] = s * p;
                d[l] = c * p;
            } while (fabs(e[l]) > 0x1p-52 * largest);
        }
        d[l] += f;
        e[l] = 0;
    }
}

/* The places of the lowest levels. */
static void lowest(int *order) {
    for (int i = 0; i < N; i++) order[i] = i;
    for (int i = 0; i < PAIRS; i++) {
        for (int j = i + 1; j < N; j++) {
            if (d[order[j]] < d[order[i]]) {
                int k = order[i];
                order[i] = order[j];
                order[j] = k;
            }
        }
    }
}

void adjoint(const double *restrict x, double *restrict out) {
    double value = 0, hops[BONDS], lengths[BONDS], *g = out + 1;
    int order[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) v[i][j] = 0;
    v[NITROGEN][NITROGEN] = -0.5;
    for (int k = 0; k < BONDS; k++) {
        int i = first[k], j = second[k];
        double dx = x[2 * i] - x[2 * j], dy = x[2 * i + 1] - x[2 * j + 1];
        lengths[k] = sqrt(dx * dx + dy * dy);
        v[i][j] = v[j][i] = hops[k] = -exp(-2.2 * (lengths[k] - 1.4));
        value += 8 * (lengths[k] - 1.35) * (lengths[k] - 1.35);
    }
    tridiagonal();
    diagonal();
    lowest(order);
    for (int n = 0; n < PAIRS; n++) value += 2 * d[order[n]];
    for (int k = 0; k < 2 * N; k++) g[k] = 0;
    for (int k = 0; k < BONDS; k++) {
        int i = first[k], j = second[k];
        double density = 0;
        for (int n = 0; n < PAIRS; n++) density += v[i][order[n]] * v[j][order[n]];
        double dl = (16 * (lengths[k] - 1.35) - 2.2 * hops[k] * 4 * density) / lengths[k];
        double dx = dl * (x[2 * i] - x[2 * j]), dy = dl * (x[2 * i + 1] - x[2 * j + 1]);
        g[2 * i] += dx;
        g[2 * i + 1] += dy;
        g[2 * j] -= dx;
        g[2 * j + 1] -= dy;
    }
    out[0] = value;
}
