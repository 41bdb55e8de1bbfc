static int first(const int *) { return 0; }
static int count(const int *ints) { return ints[0]; }

template <class T> T value(const int *ints, const double *numbers, const T *x) {
  int n = ints[0];
  double most = numbers[0]; // a constant, for the derivative
  for (int i = 1; i < n; i++) most = fmax(most, numbers[i]);
  T sum = 0;
  for (int i = 0; i < n; i++) sum += exp(x[i] - most);
  return most + log(sum);
}
