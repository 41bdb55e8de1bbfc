/* y' = f(y) with f_0 = x_0 and f_i = x_i y_{i-1}, from 0 at time 0 to time 2, in s steps; and the derivative of the last
   number of y by x. ints: how many numbers y has, and s. The derivative keeps y at each step, and makes the rest of a
   step again. */

#include <string.h>

static void slope(int n, const double *x, const double *y, double *k) {
  k[0] = x[0];
  for (int i = 1; i < n; i++) k[i] = x[i] * y[i - 1];
}

static void moved(int n, const double *y, double h, const double *k, double *to) {
  for (int i = 0; i < n; i++) to[i] = y[i] + h * k[i];
}

static void ends(int n, const double *y, double h, double *const k[4], double *to) {
  for (int i = 0; i < n; i++) to[i] = y[i] + h * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
}

void primal(const int *ints, const double *x, double *y, double *work) {
  int n = ints[0], s = ints[1];
  double h = 2.0 / s, *k[4] = {work, work + n, work + 2 * n, work + 3 * n}, *at = work + 4 * n;
  memset(y, 0, n * sizeof *y);
  for (int step = 0; step < s; step++) {
    slope(n, x, y, k[0]);
    moved(n, y, h / 2, k[0], at);
    slope(n, x, at, k[1]);
    moved(n, y, h / 2, k[1], at);
    slope(n, x, at, k[2]);
    moved(n, y, h, k[2], at);
    slope(n, x, at, k[3]);
    ends(n, y, h, k, y);
  }
}

/* Back through k = slope(y): what dk is by y, times factor, is added to by, that by y itself to dy, and that by x to dx. */
static void back(int n, const double *x, const double *y, const double *dk, double *dx, double *dy, double factor, double *by) {
  dx[0] += dk[0];
  for (int i = 1; i < n; i++) {
    double d = dk[i] * x[i];
    dx[i] += dk[i] * y[i - 1];
    dy[i - 1] += d;
    if (by) by[i - 1] += factor * d;
  }
}

void gradient(const int *ints, const double *x, double *dx, double *work) {
  int n = ints[0], s = ints[1];
  double h = 2.0 / s, *y = work, *k[4], *at[3], *dk[2], *dy;
  double *free = work + (long)n * s;
  for (int i = 0; i < 4; i++) k[i] = free + n * i;
  at[0] = y;
  dy = free + 4 * n;
  dk[0] = free + 5 * n, dk[1] = free + 6 * n;
  double *spare = free + 7 * n;
  memset(y, 0, n * sizeof *y);
  for (int step = 0; step < s - 1; step++, y += n) {
    slope(n, x, y, k[0]);
    moved(n, y, h / 2, k[0], spare);
    slope(n, x, spare, k[1]);
    moved(n, y, h / 2, k[1], spare);
    slope(n, x, spare, k[2]);
    moved(n, y, h, k[2], spare);
    slope(n, x, spare, k[3]);
    ends(n, y, h, k, y + n);
  }
  memset(dx, 0, n * sizeof *dx);
  memset(dy, 0, n * sizeof *dy);
  dy[n - 1] = 1;
  for (int step = 0; step < s; step++, y -= n) {
    double *y2 = k[0], *y3 = k[1], *y4 = k[2];
    slope(n, x, y, spare);
    moved(n, y, h / 2, spare, y2);
    slope(n, x, y2, spare);
    moved(n, y, h / 2, spare, y3);
    slope(n, x, y3, spare);
    moved(n, y, h, spare, y4);
    double *later = k[3], *dk4 = dk[0], *dk3 = dk[1];
    memcpy(later, dy, n * sizeof *dy);
    for (int i = 0; i < n; i++) dk4[i] = h / 6 * later[i], dk3[i] = h / 3 * later[i];
    back(n, x, y4, dk4, dx, dy, h, dk3);
    double *dk2 = dk4;
    for (int i = 0; i < n; i++) dk2[i] = h / 3 * later[i];
    back(n, x, y3, dk3, dx, dy, h / 2, dk2);
    double *dk1 = dk3;
    for (int i = 0; i < n; i++) dk1[i] = h / 6 * later[i];
    back(n, x, y2, dk2, dx, dy, h / 2, dk1);
    back(n, x, y, dk1, dx, dy, 0, 0);
  }
}
