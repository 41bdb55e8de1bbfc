/* The determinant of an n by n matrix, by expansion along the first row; its derivative, by all minors.
   ints: n. The rows and columns that are left are two linked lists, whose heads are at n. */

enum { MOST = 64 };

static double minor(const double *a, int n, int size, int *rows, int *columns) {
  int row = rows[n], column = columns[n], before = n;
  if (size == 1) return a[row * n + column];
  double sum = 0, sign = 1;
  rows[n] = rows[row];
  for (int k = 0; k < size; k++) {
    columns[before] = columns[column];
    sum += sign * a[row * n + column] * minor(a, n, size - 1, rows, columns);
    columns[before] = column;
    before = column;
    column = columns[column];
    sign = -sign;
  }
  rows[n] = row;
  return sum;
}

static void all(int *list, int n) {
  for (int k = 0; k < n; k++) list[k] = k + 1;
  list[n] = 0;
}

void primal(const int *ints, const double *a, double *out, double *work) {
  int n = ints[0], rows[MOST], columns[MOST];
  all(rows, n);
  all(columns, n);
  out[0] = minor(a, n, n, rows, columns);
}

void gradient(const int *ints, const double *a, double *out, double *work) {
  int n = ints[0], rows[MOST], columns[MOST];
  all(rows, n);
  all(columns, n);
  if (n == 1) out[0] = 1;
  for (int i = 0; i < n && n > 1; i++) {
    for (int j = 0; j < n; j++) {
      int *row = &rows[i ? i - 1 : n], *column = &columns[j ? j - 1 : n];
      *row = i + 1;
      *column = j + 1;
      out[i * n + j] = ((i + j) % 2 ? -1 : 1) * minor(a, n, n - 1, rows, columns);
      *row = i;
      *column = j;
    }
  }
}
