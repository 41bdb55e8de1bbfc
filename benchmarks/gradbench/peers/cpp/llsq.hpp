static int first(const int *) { return 0; }
static int count(const int *ints) { return ints[0]; }

template <class T> T value(const int *ints, const double *, const T *x) {
  int m = ints[0], n = ints[1];
  T sum = 0;
  for (int i = 0; i < n; i++) {
    double t = -1 + i * 2.0 / (n - 1), power = 1;
    T rest = (0 < t) - (t < 0);
    for (int j = 0; j < m; j++, power *= t) rest -= x[j] * power;
    sum += rest * rest;
  }
  return sum / 2;
}
