// The charge with which a particle hits its target, forward mode inside of forward mode. No ints.

#include "dual.hpp"

template <class T> struct Potential {
  T above; // the height of one of the two charges
  template <class U> U operator()(const U *x) const {
    U dx = x[0] - 10.0, high = x[1] - above;
    return 1.0 / sqrt(dx * dx + high * high) + 1.0 / sqrt(dx * dx + x[1] * x[1]);
  }
};

struct Missed { // how far from the target, squared, the particle lands
  template <class T> T operator()(const T *w) const {
    Potential<T> potential{T(10) - w[0]};
    T x[2] = {T(0), T(8)}, v[2] = {T(0.75), T(0)}, pull[2];
    for (;;) {
      T low = x[1] + 0.1 * v[1];
      if (real(low) <= 0) break;
      gradient<2>(potential, x, pull);
      x[0] = x[0] + 0.1 * v[0], x[1] = low;
      v[0] = v[0] - 0.1 * pull[0], v[1] = v[1] - 0.1 * pull[1];
    }
    T at = x[0] - x[1] / v[1] * v[0];
    return at * at;
  }
};

extern "C" void ff(const int *, const double *w, double *out, double *) {
  out[0] = w[0];
  descend<1>(Missed(), out);
}
