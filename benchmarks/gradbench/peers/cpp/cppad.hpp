// CppAD: a tape is recorded and swept for each gradient, as GradBench has it. That which comes with TMB wants three names.

#include <iostream>

#define Rcout std::cout
#define CSKIP(...) __VA_ARGS__
template <class T> struct isDouble { enum { value = false }; };
template <> struct isDouble<double> { enum { value = true }; };

#include <cppad/cppad.hpp>
#include <vector>

enum { AGAIN = true };
typedef CppAD::AD<double> Number;
static CppAD::ADFun<double> tape;

static void record(const int *ints, const double *numbers) {
  const double *at = numbers + first(ints);
  std::vector<Number> x(at, at + count(ints)), y(1);
  CppAD::Independent(x);
  y[0] = value<Number>(ints, numbers, x.data());
  tape.Dependent(x, y);
}

static void sweep(const double *at, double *out) {
  std::vector<double> x(at, at + tape.Domain()), one(1, 1.0);
  tape.Forward(0, x);
  std::vector<double> found = tape.Reverse(1, one);
  for (size_t k = 0; k < found.size(); k++) out[k] = found[k];
}
