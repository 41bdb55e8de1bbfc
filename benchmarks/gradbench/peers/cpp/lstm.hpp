#include <vector>

static int first(const int *) { return 0; }
static int count(const int *ints) { return 8 * ints[0] * ints[1] + 3 * ints[1]; }

template <class T> T sigmoid(const T &x) { return 1 / (1 + exp(-x)); }

template <class T> T value(const int *ints, const double *numbers, const T *main) {
  int layers = ints[0], b = ints[1], c = ints[2];
  const T *ends = main + 8 * layers * b;
  const double *start = numbers + count(ints), *text = start + 2 * layers * b;
  std::vector<T> state(start, start + 2 * layers * b), x(b);
  T total = 0;
  for (int t = 0; t + 1 < c; t++) {
    for (int j = 0; j < b; j++) x[j] = text[t * b + j] * ends[j];
    for (int layer = 0; layer < layers; layer++) {
      const T *weight = main + 8 * b * layer, *bias = weight + 4 * b;
      T *hidden = &state[2 * b * layer], *cell = hidden + b;
      for (int j = 0; j < b; j++) {
        T forget = sigmoid(T(x[j] * weight[j] + bias[j]));
        T in = sigmoid(T(hidden[j] * weight[b + j] + bias[b + j]));
        T gate = sigmoid(T(x[j] * weight[2 * b + j] + bias[2 * b + j]));
        T change = tanh(hidden[j] * weight[3 * b + j] + bias[3 * b + j]);
        cell[j] = cell[j] * forget + in * change;
        x[j] = hidden[j] = gate * tanh(cell[j]);
      }
    }
    T sum = 2;
    for (int j = 0; j < b; j++) {
      x[j] = x[j] * ends[b + j] + ends[2 * b + j];
      sum += exp(x[j]);
    }
    T most = log(sum);
    for (int j = 0; j < b; j++) total += text[(t + 1) * b + j] * (x[j] - most);
  }
  return -total / ((c - 1) * b);
}
