// Dual numbers, of numbers or of dual numbers, and a descent along a gradient that is taken with them.

#include <math.h>

template <class T> struct Dual {
  T re, du;
  Dual(double x = 0) : re(x), du(0) {}
  Dual(T re, T du) : re(re), du(du) {}
};

template <class T> struct Same { typedef T type; };
template <class T> using Of = typename Same<T>::type; // a T that is not deduced: numbers are made duals

#define DUAL template <class T> static inline Dual<T>
DUAL operator+(Dual<T> x, Dual<T> y) { return {x.re + y.re, x.du + y.du}; }
DUAL operator-(Dual<T> x, Dual<T> y) { return {x.re - y.re, x.du - y.du}; }
DUAL operator*(Dual<T> x, Dual<T> y) { return {x.re * y.re, x.du * y.re + x.re * y.du}; }
DUAL operator/(Dual<T> x, Dual<T> y) { T q = x.re / y.re; return {q, (x.du - q * y.du) / y.re}; }
DUAL operator-(Dual<T> x) { return {-x.re, -x.du}; }
DUAL operator+(Dual<T> x, Of<T> y) { return {x.re + y, x.du}; }
DUAL operator-(Dual<T> x, Of<T> y) { return {x.re - y, x.du}; }
DUAL operator-(Of<T> x, Dual<T> y) { return {x - y.re, -y.du}; }
DUAL operator*(Of<T> x, Dual<T> y) { return {x * y.re, x * y.du}; }
DUAL operator/(Of<T> x, Dual<T> y) { T q = x / y.re; return {q, -(q * y.du) / y.re}; }
DUAL sqrt(Dual<T> x) { T root = sqrt(x.re); return {root, x.du / (root + root)}; }

static inline double real(double x) { return x; }
template <class T> static inline double real(Dual<T> x) { return real(x.re); }

template <int N, class T> static double length(const T *x) {
  double sum = 0;
  for (int k = 0; k < N; k++) sum += real(x[k]) * real(x[k]);
  return sqrt(sum);
}

template <int N, class F, class T> static void gradient(const F &f, const T *x, T *g) {
  Dual<T> at[N];
  for (int k = 0; k < N; k++) at[k] = Dual<T>(x[k], T(0));
  for (int k = 0; k < N; k++) {
    at[k].du = T(1);
    g[k] = f(at).du;
    at[k].du = T(0);
  }
}

// Where the least value of f is found from x, which is overwritten. A step that gains is taken, and the tenth of them
// doubles the next; one that does not is halved.
template <int N, class F, class T> static void descend(const F &f, T *x) {
  T least = f(x), g[N], there[N], step[N];
  double rate = 1e-5;
  gradient<N>(f, x, g);
  for (int gains = 0; length<N>(g) > 1e-5;) {
    if (gains == 10) {
      rate *= 2, gains = 0;
      continue;
    }
    for (int k = 0; k < N; k++) there[k] = x[k] - rate * g[k], step[k] = x[k] - there[k];
    if (length<N>(step) <= 1e-5) return;
    T value = f(there);
    if (real(value) < real(least)) {
      for (int k = 0; k < N; k++) x[k] = there[k];
      least = value;
      gradient<N>(f, x, g);
      gains++;
    } else {
      rate /= 2, gains = 0;
    }
  }
}
