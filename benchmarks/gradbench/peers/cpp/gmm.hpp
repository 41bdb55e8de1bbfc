#include <vector>

static int first(const int *) { return 1; }
static int count(const int *ints) { return ints[1] * (1 + 2 * ints[0] + ints[0] * (ints[0] - 1) / 2); }

template <class T> T logsumexp(const std::vector<T> &x) {
  T most = x[0], sum = 0;
  for (const T &y : x)
    if (most < y) most = y;
  for (const T &y : x) sum += exp(y - most);
  return log(sum) + most;
}

// But for what does not depend on the parameters.
template <class T> T value(const int *ints, const double *numbers, const T *alpha) {
  int d = ints[0], k = ints[1], n = ints[2], m = ints[3], below = d * (d - 1) / 2;
  double gamma = numbers[0];
  const T *mu = alpha + k, *q = mu + k * d, *l = q + k * d;
  const double *points = numbers + 1 + count(ints);
  std::vector<T> diagonal(k * d), sums(k, T(0)), terms(k), away(d), y(d);
  T total = 0;
  for (int c = 0; c < k; c++) {
    for (int j = 0; j < d; j++) {
      diagonal[c * d + j] = exp(q[c * d + j]);
      sums[c] += q[c * d + j];
      total -= gamma * gamma / 2 * diagonal[c * d + j] * diagonal[c * d + j];
    }
    for (int j = 0; j < below; j++) total -= gamma * gamma / 2 * l[c * below + j] * l[c * below + j];
    total += m * sums[c];
  }
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < k; c++) {
      const T *factor = l + c * below;
      for (int j = 0; j < d; j++) {
        away[j] = points[i * d + j] - mu[c * d + j];
        y[j] = diagonal[c * d + j] * away[j];
      }
      T squares = 0;
      for (int column = 0; column < d; column++) {
        for (int row = column + 1; row < d; row++) y[row] += *factor++ * away[column];
        squares += y[column] * y[column];
      }
      terms[c] = alpha[c] + sums[c] - squares / 2;
    }
    total += logsumexp(terms);
  }
  return total - n * logsumexp(std::vector<T>(alpha, alpha + k));
}
