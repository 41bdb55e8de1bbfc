// When to take blood, so that a trial tells most about a drug, a D-optimal design.
// In: the times of each group, then the doses and how many people are in a group.
#include "program.h"
#include <math.h>

enum { T = TIMES };

static const double ka = 1.1, cl = 3.5, volume = 28, additive = 0.1, proportional = 0.15;

static double lu[GROUPS][T][T], slopes[GROUPS][T][3], solved[GROUPS][T][3], f[GROUPS][T];
static int rows[GROUPS][T];

static void factorise(double a[T][T], int *rows) {
    for (int k = 0; k < T; k++) rows[k] = k;
    for (int k = 0; k < T; k++) {
        int best = k;
        for (int i = k + 1; i < T; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (best != k) {
            int r = rows[k];
            rows[k] = rows[best];
            rows[best] = r;
            for (int j = 0; j < T; j++) {
                double t = a[k][j];
                a[k][j] = a[best][j];
                a[best][j] = t;
            }
        }
        for (int i = k + 1; i < T; i++) {
            double l = a[i][k] /= a[k][k];
            for (int j = k + 1; j < T; j++) a[i][j] -= l * a[k][j];
        }
    }
}

static void solve(double a[T][T], const int *rows, double b[T][3], double x[T][3]) {
    for (int i = 0; i < T; i++)
        for (int c = 0; c < 3; c++) {
            x[i][c] = b[rows[i]][c];
            for (int j = 0; j < i; j++) x[i][c] -= a[i][j] * x[j][c];
        }
    for (int i = T - 1; i >= 0; i--)
        for (int c = 0; c < 3; c++) {
            for (int j = i + 1; j < T; j++) x[i][c] -= a[i][j] * x[j][c];
            x[i][c] /= a[i][i];
        }
}

static void solve_transposed(double a[T][T], const int *rows, double b[T][3], double x[T][3]) {
    for (int i = 0; i < T; i++)
        for (int c = 0; c < 3; c++) {
            for (int j = 0; j < i; j++) b[i][c] -= a[j][i] * b[j][c];
            b[i][c] /= a[i][i];
        }
    for (int i = T - 1; i >= 0; i--)
        for (int c = 0; c < 3; c++) {
            for (int j = i + 1; j < T; j++) b[i][c] -= a[j][i] * b[j][c];
            x[rows[i]][c] = b[i][c];
        }
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *doses = in + GROUPS * T, *people = doses + GROUPS, k = cl / volume;
    double m[3][3] = {{0}}, dm[3][3], value = 0, *d_times = out + 1;
    for (int n = 0; n < GROUPS; n++) {
        const double *times = in + n * T;
        double scale = doses[n] * ka / (volume * (ka - k));
        for (int t = 0; t < T; t++) {
            double slow = exp(-k * times[t]), fast = exp(-ka * times[t]), *s = slopes[n][t];
            f[n][t] = scale * (slow - fast);
            s[0] = f[n][t] - ka * f[n][t] / (ka - k) + ka * scale * times[t] * fast;
            s[1] = k * f[n][t] / (ka - k) - k * scale * times[t] * slow;
            s[2] = -f[n][t] - s[1];
        }
        for (int t = 0; t < T; t++) {
            double half[3] = {0};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) half[j] += slopes[n][t][i] * OMEGA[3 * i + j];
            for (int u = 0; u < T; u++) {
                lu[n][t][u] = 0;
                for (int j = 0; j < 3; j++) lu[n][t][u] += half[j] * slopes[n][u][j];
            }
            double e = additive + proportional * f[n][t];
            lu[n][t][t] += e * e;
        }
        factorise(lu[n], rows[n]);
        solve(lu[n], rows[n], slopes[n], solved[n]);
        for (int t = 0; t < T; t++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) m[i][j] += people[n] * slopes[n][t][i] * solved[n][t][j];
    }
    double c00 = m[1][1] * m[2][2] - m[1][2] * m[2][1], c01 = m[1][2] * m[2][0] - m[1][0] * m[2][2];
    double c02 = m[1][0] * m[2][1] - m[1][1] * m[2][0], det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
    double d = -1 / (3 * det);
    dm[0][0] = d * c00;
    dm[0][1] = d * c01;
    dm[0][2] = d * c02;
    dm[1][0] = d * (m[0][2] * m[2][1] - m[0][1] * m[2][2]);
    dm[1][1] = d * (m[0][0] * m[2][2] - m[0][2] * m[2][0]);
    dm[1][2] = d * (m[0][1] * m[2][0] - m[0][0] * m[2][1]);
    dm[2][0] = d * (m[0][1] * m[1][2] - m[0][2] * m[1][1]);
    dm[2][1] = d * (m[0][2] * m[1][0] - m[0][0] * m[1][2]);
    dm[2][2] = d * (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
    value = -log(det) / 3;
    for (int n = 0; n < GROUPS; n++) {
        const double *times = in + n * T;
        double scale = doses[n] * ka / (volume * (ka - k)), *dt = d_times + n * T;
        double ds[T][3] = {{0}}, dx[T][3] = {{0}}, db[T][3], df[T];
        for (int t = 0; t < T; t++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    ds[t][i] += people[n] * dm[i][j] * solved[n][t][j];
                    dx[t][j] += people[n] * dm[i][j] * slopes[n][t][i];
                }
        solve_transposed(lu[n], rows[n], dx, db);
        for (int t = 0; t < T; t++) {
            double left[3] = {0}, right[3] = {0}, own = 0;
            for (int u = 0; u < T; u++) {
                double dv = 0, dw = 0;  // of the matrix, and of its transpose
                for (int c = 0; c < 3; c++) {
                    dv -= db[t][c] * solved[n][u][c];
                    dw -= db[u][c] * solved[n][t][c];
                }
                if (u == t) own = dv;
                for (int c = 0; c < 3; c++) {
                    left[c] += dv * slopes[n][u][c];
                    right[c] += dw * slopes[n][u][c];
                }
            }
            for (int i = 0; i < 3; i++) {
                ds[t][i] += db[t][i];
                for (int j = 0; j < 3; j++) ds[t][i] += OMEGA[3 * i + j] * left[j] + OMEGA[3 * j + i] * right[j];
            }
            df[t] = own * 2 * proportional * (additive + proportional * f[n][t]);
        }
        for (int t = 0; t < T; t++) {
            double slow = exp(-k * times[t]), fast = exp(-ka * times[t]);
            double d_ka = ds[t][0], d_cl = ds[t][1] - ds[t][2];
            df[t] += d_ka * (1 - ka / (ka - k)) + d_cl * k / (ka - k) - ds[t][2];
            dt[t] = scale * (df[t] * (ka * fast - k * slow) + d_ka * ka * fast * (1 - ka * times[t])
                             - d_cl * k * slow * (1 - k * times[t]));
        }
        for (int t = 0; t < T - 1; t++) {
            double near = 0.1 * exp(-(times[t + 1] - times[t]) / 0.25);
            value += near;
            dt[t + 1] -= near / 0.25;
            dt[t] += near / 0.25;
        }
    }
    out[0] = value;
}
