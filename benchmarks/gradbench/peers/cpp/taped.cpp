// A function of an eval with the number type of a tool: TOOL and EVAL are the names of headers.
//
// The header of an eval has `value`, a template over the number type; the numbers that it is differentiated by are
// `count` of those given, from `first` on.

#include <math.h>

template <class T> T value(const int *ints, const double *numbers, const T *x);
static int first(const int *ints);
static int count(const int *ints);

#include TOOL
#include EVAL

extern "C" void prepare(const int *ints, const double *numbers) { record(ints, numbers); }

extern "C" void derivative(const int *ints, const double *numbers, double *out, double *) {
  if (AGAIN) record(ints, numbers);
  sweep(numbers + first(ints), out);
}
