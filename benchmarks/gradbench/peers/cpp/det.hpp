static int first(const int *) { return 0; }
static int count(const int *ints) { return ints[0] * ints[0]; }

template <class T> T minor_of(const T *a, int n, int size, int *rows, int *columns) {
  int row = rows[n], column = columns[n], before = n;
  if (size == 1) return a[row * n + column];
  T sum = 0;
  rows[n] = rows[row];
  for (int k = 0; k < size; k++) {
    columns[before] = columns[column];
    T rest = a[row * n + column] * minor_of(a, n, size - 1, rows, columns);
    if (k % 2) sum -= rest;
    else sum += rest;
    columns[before] = column;
    before = column;
    column = columns[column];
  }
  rows[n] = row;
  return sum;
}

template <class T> T value(const int *ints, const double *, const T *a) {
  int n = ints[0], rows[64], columns[64];
  for (int k = 0; k < n; k++) rows[k] = columns[k] = k + 1;
  rows[n] = columns[n] = 0;
  return minor_of(a, n, n, rows, columns);
}
