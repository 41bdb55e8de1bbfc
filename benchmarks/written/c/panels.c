// The shape of an aerofoil that has the pressures that are wanted, by panels.
// In: the heights of the bumps and the angle of attack, then the pressures. X, Y and BASIS are the corners of the
// panels without bumps, and what each bump adds to them.
#include "program.h"
#include <math.h>

enum { N = PANELS, M = PANELS + 1 };

static double log_r[N][M], seen[N][N], normal[N][N], along[N][N], ratio[N][N], sine[N][N], cosine[N][N];
static double lu[M][M], d_normal[N][N], d_along[N][N], d_log_r[N][M];

static void factorise(double a[M][M], int *rows) {
    for (int k = 0; k < M; k++) rows[k] = k;
    for (int k = 0; k < M; k++) {
        int best = k;
        for (int i = k + 1; i < M; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (best != k) {
            int r = rows[k];
            rows[k] = rows[best];
            rows[best] = r;
            for (int j = 0; j < M; j++) {
                double t = a[k][j];
                a[k][j] = a[best][j];
                a[best][j] = t;
            }
        }
        for (int i = k + 1; i < M; i++) {
            double f = a[i][k] /= a[k][k];
            for (int j = k + 1; j < M; j++) a[i][j] -= f * a[k][j];
        }
    }
}

static void solve(double a[M][M], const int *rows, const double *b, double *x) {
    for (int i = 0; i < M; i++) {
        x[i] = b[rows[i]];
        for (int j = 0; j < i; j++) x[i] -= a[i][j] * x[j];
    }
    for (int i = M - 1; i >= 0; i--) {
        for (int j = i + 1; j < M; j++) x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

static void solve_transposed(double a[M][M], const int *rows, double *b, double *x) {
    for (int i = 0; i < M; i++) {
        b[i] /= a[i][i];
        for (int j = i + 1; j < M; j++) b[j] -= a[i][j] * b[i];
    }
    for (int i = M - 1; i >= 0; i--)
        for (int j = 0; j < i; j++) b[j] -= a[i][j] * b[i];
    for (int i = 0; i < M; i++) x[rows[i]] = b[i];
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *bumps = in, attack = in[BUMPS], *wanted = in + BUMPS + 1, turns = 2 * acos(-1.0);
    double y[M], angle[N], wind[N], b[M], x[M], speed[N], sum[N], value = 0, *g = out + 1;
    int rows[M];
    for (int k = 0; k < M; k++) {
        y[k] = Y[k];
        for (int c = 0; c < BUMPS; c++) y[k] += BASIS[k * BUMPS + c] * bumps[c];
    }
    for (int i = 0; i < N; i++) {
        angle[i] = atan2(y[i + 1] - y[i], X[i + 1] - X[i]);
        wind[i] = angle[i] - attack;
    }
    for (int i = 0; i < N; i++) {
        double mx = 0.5 * (X[i] + X[i + 1]), my = 0.5 * (y[i] + y[i + 1]);
        for (int j = 0; j < M; j++) {
            double rx = mx - X[j], ry = my - y[j];
            log_r[i][j] = 0.5 * log(rx * rx + ry * ry);
        }
        for (int j = 0; j < N; j++) {
            double ax = mx - X[j], ay = my - y[j], bx = mx - X[j + 1], by = my - y[j + 1];
            seen[i][j] = i == j ? turns / 2 : atan2(ax * by - ay * bx, ax * bx + ay * by);
            ratio[i][j] = log_r[i][j + 1] - log_r[i][j];
            sine[i][j] = sin(angle[i] - angle[j]);
            cosine[i][j] = cos(angle[i] - angle[j]);
            normal[i][j] = (sine[i][j] * ratio[i][j] + cosine[i][j] * seen[i][j]) / turns;
            along[i][j] = (sine[i][j] * seen[i][j] - cosine[i][j] * ratio[i][j]) / turns;
        }
    }
    lu[N][N] = 0;
    for (int i = 0; i < N; i++) {
        lu[i][N] = sum[i] = 0;
        for (int j = 0; j < N; j++) {
            lu[i][j] = normal[i][j];
            lu[i][N] -= along[i][j];
            sum[i] += normal[i][j];
        }
        lu[N][i] = along[0][i] + along[N - 1][i];
        lu[N][N] += normal[0][i] + normal[N - 1][i];
        b[i] = sin(wind[i]);
    }
    b[N] = -(cos(wind[0]) + cos(wind[N - 1]));
    factorise(lu, rows);
    solve(lu, rows, b, x);

    double d_x[M] = {0}, d_wind[N], d_sum[N], d_b[M], d_angle[N], d_y[M] = {0};
    for (int i = 0; i < N; i++) {
        speed[i] = cos(wind[i]) + sum[i] * x[N];
        for (int j = 0; j < N; j++) speed[i] += along[i][j] * x[j];
        double e = 1 - speed[i] * speed[i] - wanted[i];
        value += e * e / N;
        double ds = -4 * e * speed[i] / N;
        d_wind[i] = -ds * sin(wind[i]);
        d_sum[i] = ds * x[N];
        d_x[N] += ds * sum[i];
        for (int j = 0; j < N; j++) {
            d_along[i][j] = ds * x[j];
            d_x[j] += ds * along[i][j];
        }
    }
    solve_transposed(lu, rows, d_x, d_b);  // the cotangent of the matrix is -d_b x'
    for (int i = 0; i < N; i++) {
        d_wind[i] += d_b[i] * cos(wind[i]);
        for (int j = 0; j < N; j++) {
            d_normal[i][j] = d_sum[i] - d_b[i] * x[j];
            d_along[i][j] += d_b[i] * x[N];
        }
    }
    d_wind[0] += d_b[N] * sin(wind[0]);
    d_wind[N - 1] += d_b[N] * sin(wind[N - 1]);
    for (int j = 0; j < N; j++) {
        d_along[0][j] -= d_b[N] * x[j];
        d_along[N - 1][j] -= d_b[N] * x[j];
        d_normal[0][j] -= d_b[N] * x[N];
        d_normal[N - 1][j] -= d_b[N] * x[N];
    }
    g[BUMPS] = 0;
    for (int i = 0; i < N; i++) {
        d_angle[i] = d_wind[i];
        g[BUMPS] -= d_wind[i];
    }
    for (int i = 0; i < N; i++) {
        double mx = 0.5 * (X[i] + X[i + 1]), my = 0.5 * (y[i] + y[i + 1]), d_my = 0;
        for (int j = 0; j < M; j++) d_log_r[i][j] = 0;
        for (int j = 0; j < N; j++) {
            double dn = d_normal[i][j] / turns, da = d_along[i][j] / turns;
            double d_sine = dn * ratio[i][j] + da * seen[i][j], d_cosine = dn * seen[i][j] - da * ratio[i][j];
            double d_ratio = dn * sine[i][j] - da * cosine[i][j], d_seen = dn * cosine[i][j] + da * sine[i][j];
            double d_turn = d_sine * cosine[i][j] - d_cosine * sine[i][j];
            d_angle[i] += d_turn;
            d_angle[j] -= d_turn;
            d_log_r[i][j + 1] += d_ratio;
            d_log_r[i][j] -= d_ratio;
            if (i != j) {
                double ax = mx - X[j], ay = my - y[j], bx = mx - X[j + 1], by = my - y[j + 1];
                double cross = ax * by - ay * bx, dot = ax * bx + ay * by, s = d_seen / (cross * cross + dot * dot);
                double d_cross = s * dot, d_dot = -s * cross;
                double d_ay = d_dot * by - d_cross * bx, d_by = d_dot * ay + d_cross * ax;
                d_my += d_ay + d_by;
                d_y[j] -= d_ay;
                d_y[j + 1] -= d_by;
            }
        }
        for (int j = 0; j < M; j++) {
            double rx = mx - X[j], ry = my - y[j], d = d_log_r[i][j] * ry / (rx * rx + ry * ry);
            d_my += d;
            d_y[j] -= d;
        }
        d_y[i] += 0.5 * d_my;
        d_y[i + 1] += 0.5 * d_my;
    }
    for (int i = 0; i < N; i++) {
        double dx = X[i + 1] - X[i], dy = y[i + 1] - y[i], d = d_angle[i] * dx / (dx * dx + dy * dy);
        d_y[i + 1] += d;
        d_y[i] -= d;
    }
    for (int c = 0; c < BUMPS; c++) {
        value += 10 * bumps[c] * bumps[c];
        g[c] = 20 * bumps[c];
        for (int k = 0; k < M; k++) g[c] += BASIS[k * BUMPS + c] * d_y[k];
    }
    out[0] = value;
}
