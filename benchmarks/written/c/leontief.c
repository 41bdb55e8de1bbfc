// Welfare and emissions of an economy of sectors that buy from one another, under taxes.
// In: the taxes and the logarithms of the productivities, then the inputs, labour, tastes and carbon.
#include "program.h"
#include <math.h>

enum { N = SECTORS };

typedef struct {
    double a[N][N];
    int row[N];
} Factors;

static Factors by_price, by_output;
static double bought[N][N];

/* By elimination with partial pivoting, in place. */
static void factorise(Factors *f) {
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(f->a[i][k]) > fabs(f->a[pivot][k])) pivot = i;
        f->row[k] = pivot;
        for (int j = 0; j < N && pivot != k; j++) {
            double x = f->a[k][j];
            f->a[k][j] = f->a[pivot][j];
            f->a[pivot][j] = x;
        }
        for (int i = k + 1; i < N; i++) {
            double l = f->a[i][k] /= f->a[k][k];
            for (int j = k + 1; j < N; j++) f->a[i][j] -= l * f->a[k][j];
        }
    }
}

static void solve(const Factors *f, double *x) {
    for (int k = 0; k < N; k++) {
        double y = x[f->row[k]];
        x[f->row[k]] = x[k];
        x[k] = y;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) x[i] -= f->a[i][j] * x[j];
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) x[i] -= f->a[i][j] * x[j];
        x[i] /= f->a[i][i];
    }
}

static void solve_transposed(const Factors *f, double *x) {
    for (int i = 0; i < N; i++) {
        x[i] /= f->a[i][i];
        for (int j = i + 1; j < N; j++) x[j] -= f->a[i][j] * x[i];
    }
    for (int i = N - 1; i >= 0; i--)
        for (int j = 0; j < i; j++) x[j] -= f->a[i][j] * x[i];
    for (int k = N - 1; k >= 0; k--) {
        double y = x[f->row[k]];
        x[f->row[k]] = x[k];
        x[k] = y;
    }
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *tax = in, *log_productivity = in + N, *inputs = in + 2 * N, *labour = inputs + N * N;
    const double *tastes = labour + N, *carbon = tastes + N;
    double productivity[N], prices[N], demand[N], output[N], d_prices[N], d_demand[N], d_productivity[N];
    double emitted = 0, welfare = 0, effort = 0;
    for (int j = 0; j < N; j++) productivity[j] = exp(log_productivity[j]);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            bought[i][j] = inputs[i * N + j] / productivity[j];
            by_price.a[j][i] = (i == j) - (1 + tax[i]) * bought[i][j];
            by_output.a[i][j] = (i == j) - bought[i][j];
        }
    }
    factorise(&by_price);
    factorise(&by_output);
    for (int j = 0; j < N; j++) prices[j] = labour[j] / productivity[j];
    solve(&by_price, prices);
    for (int j = 0; j < N; j++) output[j] = demand[j] = tastes[j] / prices[j];
    solve(&by_output, output);
    for (int j = 0; j < N; j++) {
        emitted += carbon[j] * output[j];
        welfare += tastes[j] * log(demand[j]);
        effort += log_productivity[j] * log_productivity[j] + tax[j] * tax[j];
    }
    out[0] = -welfare + 0.2 * (emitted - 1.5) * (emitted - 1.5) + 0.5 * effort;
    for (int j = 0; j < N; j++) d_demand[j] = 0.4 * (emitted - 1.5) * carbon[j];
    solve_transposed(&by_output, d_demand);  // of what is solved for, and so of the demand
    for (int j = 0; j < N; j++)
        d_prices[j] = (tastes[j] / demand[j] - d_demand[j]) * demand[j] / prices[j];
    solve_transposed(&by_price, d_prices);
    double *g_tax = out + 1, *g_productivity = out + 1 + N;
    for (int j = 0; j < N; j++) {
        g_tax[j] = tax[j];
        d_productivity[j] = -d_prices[j] * labour[j] / productivity[j];
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double d_cost = d_prices[j] * prices[i], d_bought = (1 + tax[i]) * d_cost + d_demand[i] * output[j];
            g_tax[i] += d_cost * bought[i][j];
            d_productivity[j] -= d_bought * bought[i][j];
        }
    }
    for (int j = 0; j < N; j++) g_productivity[j] = d_productivity[j] + log_productivity[j];
}
