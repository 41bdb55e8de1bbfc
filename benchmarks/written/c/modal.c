// The stiffnesses of storeys from the frequencies and shapes in which a building swings.
// In: the part of each stiffness that is lost, then the frequencies and the shapes that were measured.
#include "program.h"
#include <math.h>

enum { N = STOREYS };

// Eigenvalues in ascending order, and vectors as columns of v: Householder's reflections and QL steps, as EISPACK has.
static void eigen(double v[N][N], double *d) {
    double e[N];
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
                f = d[j];
                v[j][i] = f;
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
            for (int j = 0; j < i; j++) e[j] -= f / (h + h) * d[j];
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
        double h = d[i + 1];
        if (h != 0) {
            for (int k = 0; k <= i; k++) d[k] = v[k][i + 1] / h;
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

    for (int i = 1; i < N; i++) e[i - 1] = e[i];
    e[N - 1] = 0;
    double f = 0, largest = 0;
    for (int l = 0; l < N; l++) {
        largest = fmax(largest, fabs(d[l]) + fabs(e[l]));
        int m = l;
        while (m < N - 1 && fabs(e[m]) > 0x1p-52 * largest) m++;
        if (m > l)
            do {
                double g = d[l], p = (d[l + 1] - g) / (2 * e[l]), r = p < 0 ? -hypot(p, 1) : hypot(p, 1);
                d[l] = e[l] / (p + r);
                d[l + 1] = e[l] * (p + r);
                double next = d[l + 1], h = g - d[l];
                for (int i = l + 2; i < N; i++) d[i] -= h;
                f += h;
                p = d[m];
                double c = 1, c2 = 1, c3 = 1, after = e[l + 1], s = 0, s2 = 0;
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
                p = -s * s2 * c3 * after * e[l] / next;
                e[l] = s * p;
                d[l] = c * p;
            } while (fabs(e[l]) > 0x1p-52 * largest);
        d[l] += f;
        e[l] = 0;
    }
    for (int i = 0; i < N - 1; i++) {
        int k = i;
        for (int j = i + 1; j < N; j++)
            if (d[j] < d[k]) k = j;
        if (k != i) {
            double t = d[i];
            d[i] = d[k];
            d[k] = t;
            for (int j = 0; j < N; j++) {
                t = v[j][i];
                v[j][i] = v[j][k];
                v[j][k] = t;
            }
        }
    }
}

static double v[N][N], dv[N][MODES], inner[N][MODES], da[N][N];

void adjoint(const double *restrict in, double *restrict out) {
    const double *lost = in, *frequencies = in + N, *shapes = frequencies + MODES, turns = 2 * acos(-1.0);
    double k[N], squares[N], d_squares[MODES], scale[N], value = 0, *g = out + 1;
    for (int i = 0; i < N; i++) {
        k[i] = 900 * (1 - lost[i]);
        scale[i] = 1 / sqrt(MASS[i]);
        for (int j = 0; j < N; j++) v[i][j] = 0;
    }
    for (int i = 0; i < N; i++) {
        v[i][i] = (k[i] + (i + 1 < N ? k[i + 1] : 0)) * scale[i] * scale[i];
        if (i > 0) v[i][i - 1] = v[i - 1][i] = -k[i] * scale[i] * scale[i - 1];
    }
    eigen(v, squares);
    for (int n = 0; n < MODES; n++) {
        double found = sqrt(squares[n]) / turns, off = found / frequencies[n] - 1;
        value += 100 * off * off / MODES;
        d_squares[n] = 200 * off / MODES / frequencies[n] * 0.5 * found / squares[n];
        double both = 0, own = 0, seen = 0;
        for (int i = 0; i < N; i++) {
            double x = scale[i] * v[i][n], y = shapes[i * MODES + n];
            both += x * y;
            own += x * x;
            seen += y * y;
        }
        double mac = both * both / (own * seen), d_both = -2 * mac / both / MODES, d_own = mac / own / MODES;
        value += (1 - mac) / MODES;
        for (int i = 0; i < N; i++)
            dv[i][n] = scale[i] * (d_both * shapes[i * MODES + n] + 2 * d_own * scale[i] * v[i][n]);
    }
    // The cotangent of the matrix: v (diag(d_squares) + (v' dv) / differences) v'.
    for (int n = 0; n < MODES; n++)
        for (int m = 0; m < N; m++) {
            double s = 0;
            for (int i = 0; i < N; i++) s += v[i][m] * dv[i][n];
            inner[m][n] = m == n ? d_squares[n] : s / (squares[n] - squares[m]);
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) da[i][j] = 0;
    for (int i = 0; i < N; i++)
        for (int n = 0; n < MODES; n++) {
            double s = 0;
            for (int m = 0; m < N; m++) s += v[i][m] * inner[m][n];
            for (int j = 0; j < N; j++) da[i][j] += s * v[j][n];
        }
    for (int i = 0; i < N; i++) {
        double dk = da[i][i] * scale[i] * scale[i];
        if (i > 0) {
            dk += da[i - 1][i - 1] * scale[i - 1] * scale[i - 1];
            dk -= (da[i][i - 1] + da[i - 1][i]) * scale[i] * scale[i - 1];
        }
        double root = sqrt(lost[i] * lost[i] + 1e-4);
        value += 0.001 * root;
        g[i] = -900 * dk + 0.001 * lost[i] / root;
    }
    out[0] = value;
}
