#include <vector>

static int first(const int *) { return 0; }
static int count(const int *ints) { return ints[0]; }

template <class T> void slope(int n, const T *x, const std::vector<T> &y, std::vector<T> &k) {
  k[0] = x[0];
  for (int i = 1; i < n; i++) k[i] = x[i] * y[i - 1];
}

template <class T> T value(const int *ints, const double *, const T *x) {
  int n = ints[0], s = ints[1];
  double h = 2.0 / s;
  std::vector<T> y(n, T(0)), at(n), k1(n), k2(n), k3(n), k4(n);
  for (int step = 0; step < s; step++) {
    slope(n, x, y, k1);
    for (int i = 0; i < n; i++) at[i] = y[i] + h / 2 * k1[i];
    slope(n, x, at, k2);
    for (int i = 0; i < n; i++) at[i] = y[i] + h / 2 * k2[i];
    slope(n, x, at, k3);
    for (int i = 0; i < n; i++) at[i] = y[i] + h * k3[i];
    slope(n, x, at, k4);
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y[n - 1];
}
