// ADOL-C: a tape is recorded once, and swept for each gradient, as GradBench has it.

#include <adolc/adolc.h>
#include <vector>

enum { AGAIN = false };
typedef adouble Number;
static int length;

static void record(const int *ints, const double *numbers) {
  double result;
  length = count(ints);
  const double *at = numbers + first(ints);
  trace_on(0);
  std::vector<adouble> x(length);
  for (int k = 0; k < length; k++) x[k] <<= at[k];
  value<adouble>(ints, numbers, x.data()) >>= result;
  trace_off();
}

static void sweep(const double *at, double *out) { gradient(0, length, const_cast<double *>(at), out); }
