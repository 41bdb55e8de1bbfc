/* A square, and its derivative. */

void square(const int *ints, const double *numbers, double *out, double *work) { out[0] = numbers[0] * numbers[0]; }

void twice(const int *ints, const double *numbers, double *out, double *work) { out[0] = 2 * numbers[0]; }
