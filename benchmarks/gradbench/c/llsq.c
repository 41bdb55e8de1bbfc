/* Half the sum of squares of what a polynomial, with the coefficients x, misses of the sign at n points.
   ints: the number of coefficients, and n. */

static double at(int i, int n) { return -1 + i * 2.0 / (n - 1); }

static double sign(double t) { return (0 < t) - (t < 0); }

static double missed(const double *x, int m, double t) {
  double rest = sign(t), power = 1;
  for (int j = 0; j < m; j++) {
    rest -= x[j] * power;
    power *= t;
  }
  return rest;
}

void primal(const int *ints, const double *x, double *out, double *work) {
  int m = ints[0], n = ints[1];
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double r = missed(x, m, at(i, n));
    sum += r * r;
  }
  out[0] = sum / 2;
}

void gradient(const int *ints, const double *x, double *out, double *work) {
  int m = ints[0], n = ints[1];
  for (int j = 0; j < m; j++) out[j] = 0;
  for (int i = 0; i < n; i++) {
    double t = at(i, n), r = missed(x, m, t);
    for (int j = 0; j < m; j++) {
      out[j] -= r;
      r *= t;
    }
  }
}
