/* The logarithm of the sum of the exponentials of n numbers. ints: n. */

#include <math.h>

static double largest(const double *x, int n) {
  double most = x[0];
  for (int i = 1; i < n; i++) most = x[i] > most ? x[i] : most;
  return most;
}

void primal(const int *ints, const double *x, double *out, double *work) {
  int n = ints[0];
  double most = largest(x, n), sum = 0;
  for (int i = 0; i < n; i++) sum += exp(x[i] - most);
  out[0] = most + log(sum);
}

void gradient(const int *ints, const double *x, double *out, double *work) {
  int n = ints[0];
  double most = largest(x, n), sum = 0;
  for (int i = 0; i < n; i++) {
    out[i] = exp(x[i] - most);
    sum += out[i];
  }
  for (int i = 0; i < n; i++) out[i] /= sum;
}
