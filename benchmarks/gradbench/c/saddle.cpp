// A saddle point: the least over x of the greatest over y, forward mode inside of forward mode. No ints.

#include "dual.hpp"

template <class T, class U> static U height(const T *x, const U *y) {
  return (x[0] * x[0] + x[1] * x[1]) - (y[0] * y[0] + y[1] * y[1]);
}

template <class T> struct Depth { // over a fixed x, the height downward
  const T *x;
  template <class U> U operator()(const U *y) const { return -height(x, y); }
};

struct Greatest {
  const double *start;
  template <class T> void at(const T *x, T *y) const {
    y[0] = T(start[0]), y[1] = T(start[1]);
    descend<2>(Depth<T>{x}, y);
  }
  template <class T> T operator()(const T *x) const {
    T y[2];
    at(x, y);
    return height(x, y);
  }
};

extern "C" void ff(const int *, const double *start, double *out, double *) {
  Greatest greatest{start};
  out[0] = start[0], out[1] = start[1];
  descend<2>(greatest, out);
  greatest.at(out, out + 2);
}
