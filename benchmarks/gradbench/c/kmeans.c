// The sum of the squared distances from points to the nearest of some centres; and the step of Newton's method for it,
// whose Hessian is diagonal: for each centre, its way from the mean of the points to which it is the nearest.
//
// ints: d, k, n. numbers: the points (n x d), the centres (k x d). out: the cost, or the step (k x d).
#include <math.h>

static double squared_distance(int d, const double *restrict a, const double *restrict b) {
  double sum = 0;
  for (int j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

void cost(const int *ints, const double *numbers, double *out, double *work) {
  int d = ints[0], k = ints[1], n = ints[2];
  const double *points = numbers, *centres = numbers + n * d;
  double total = 0;
  (void)work;
  for (int i = 0; i < n; i++) {
    double least = INFINITY;
    for (int c = 0; c < k; c++) {
      double away = squared_distance(d, points + i * d, centres + c * d);
      least = away < least ? away : least;
    }
    total += least;
  }
  out[0] = total;
}

void dir(const int *ints, const double *numbers, double *out, double *work) {
  int d = ints[0], k = ints[1], n = ints[2];
  const double *points = numbers, *centres = numbers + n * d;
  double *count = work;
  for (int c = 0; c < k; c++) count[c] = 0;
  for (int j = 0; j < k * d; j++) out[j] = 0;
  for (int i = 0; i < n; i++) {
    double least = INFINITY;
    int nearest = 0;
    for (int c = 0; c < k; c++) {
      double away = squared_distance(d, points + i * d, centres + c * d);
      if (away < least) least = away, nearest = c;
    }
    count[nearest] += 1;
    for (int j = 0; j < d; j++) out[nearest * d + j] += points[i * d + j];
  }
  for (int c = 0; c < k; c++)
    for (int j = 0; j < d; j++) out[c * d + j] = centres[c * d + j] - out[c * d + j] / count[c];
}
