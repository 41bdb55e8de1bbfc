// A recurrent network that predicts the next character of a text, and the gradient in its parameters, in reverse: gates
// and states of all turns are kept.
//
// ints: layers, b, c. numbers: main_params (layers x 8 x b), extra_params (3 x b), state (layers x 2 x b),
// sequence (c x b). out: the loss; or its gradient in main_params, then extra_params.
#include <math.h>

enum { KEPT = 7 };  // of each cell in each turn: input, hidden, cell, forget, ingate, outgate, change before it

typedef struct {
  int layers, b, c;
  const double *main, *in, *out, *bias, *state, *sequence;
} Network;

static Network network(const int *ints, const double *numbers) {
  Network w = {.layers = ints[0], .b = ints[1], .c = ints[2], .main = numbers};
  w.in = w.main + 8 * w.layers * w.b;
  w.out = w.in + w.b;
  w.bias = w.out + w.b;
  w.state = w.bias + w.b;
  w.sequence = w.state + 2 * w.layers * w.b;
  return w;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// One turn. `x` goes through the layers; `state` is replaced; where `kept` is given, it is filled.
static void turn(const Network *w, const double *given, double *state, double *x, double *kept) {
  int b = w->b;
  for (int j = 0; j < b; j++) x[j] = given[j] * w->in[j];
  for (int layer = 0; layer < w->layers; layer++) {
    const double *weight = w->main + 8 * b * layer, *bias = weight + 4 * b;
    double *hidden = state + 2 * b * layer, *cell = hidden + b;
    for (int j = 0; j < b; j++) {
      double forget = sigmoid(x[j] * weight[j] + bias[j]);
      double ingate = sigmoid(hidden[j] * weight[b + j] + bias[b + j]);
      double outgate = sigmoid(x[j] * weight[2 * b + j] + bias[2 * b + j]);
      double change = tanh(hidden[j] * weight[3 * b + j] + bias[3 * b + j]);
      if (kept) {
        double all[KEPT] = {x[j], hidden[j], cell[j], forget, ingate, outgate, change};
        for (int i = 0; i < KEPT; i++) *kept++ = all[i];
      }
      cell[j] = cell[j] * forget + ingate * change;
      hidden[j] = outgate * tanh(cell[j]);
      x[j] = hidden[j];
    }
  }
}

static void begin(const Network *w, double *state) {
  for (int j = 0; j < 2 * w->layers * w->b; j++) state[j] = w->state[j];
}

void objective(const int *ints, const double *numbers, double *out, double *work) {
  Network w = network(ints, numbers);
  double *state = work, *x = state + 2 * w.layers * w.b, total = 0;
  begin(&w, state);
  for (int t = 0; t + 1 < w.c; t++) {
    const double *next = w.sequence + (t + 1) * w.b;
    double sum = 2;
    turn(&w, w.sequence + t * w.b, state, x, 0);
    for (int j = 0; j < w.b; j++) {
      x[j] = x[j] * w.out[j] + w.bias[j];
      sum += exp(x[j]);
    }
    double all = log(sum);
    for (int j = 0; j < w.b; j++) total += next[j] * (x[j] - all);
  }
  out[0] = -total / ((w.c - 1) * w.b);
}

// One turn backward, from the adjoints of the states after it, and of the last output, to those before it.
static void turn_back(const Network *w, const double *given, const double *kept, double *dstate, double *dx,
                      double *gradient) {
  int b = w->b;
  for (int layer = w->layers - 1; layer >= 0; layer--) {
    const double *weight = w->main + 8 * b * layer;
    double *dweight = gradient + 8 * b * layer, *dbias = dweight + 4 * b;
    double *dhidden = dstate + 2 * b * layer, *dcell = dhidden + b;
    for (int j = 0; j < b; j++) {
      const double *was = kept + (layer * b + j) * KEPT;
      double x = was[0], hidden = was[1], cell = was[2];
      double forget = was[3], in = was[4], gate = was[5], change = was[6];
      double tanh_cell = tanh(cell * forget + in * change);
      double d = dhidden[j] + dx[j], dc = dcell[j] + d * gate * (1 - tanh_cell * tanh_cell);
      double dforget = dc * cell * forget * (1 - forget), din = dc * change * in * (1 - in);
      double dgate = d * tanh_cell * gate * (1 - gate), dchange = dc * in * (1 - change * change);
      dweight[j] += dforget * x, dbias[j] += dforget;
      dweight[b + j] += din * hidden, dbias[b + j] += din;
      dweight[2 * b + j] += dgate * x, dbias[2 * b + j] += dgate;
      dweight[3 * b + j] += dchange * hidden, dbias[3 * b + j] += dchange;
      dx[j] = dforget * weight[j] + dgate * weight[2 * b + j];
      dhidden[j] = din * weight[b + j] + dchange * weight[3 * b + j];
      dcell[j] = dc * forget;
    }
  }
  for (int j = 0; j < b; j++) gradient[8 * b * w->layers + j] += dx[j] * given[j];
}

void jacobian(const int *ints, const double *numbers, double *out, double *work) {
  Network w = network(ints, numbers);
  int b = w.b, cells = w.layers * b, turns = w.c - 1;
  double *state = work, *dstate = state + 2 * cells, *x = dstate + 2 * cells, *kept = x + b;
  double *last = kept + (long)turns * cells * KEPT, *dout = out + 8 * cells + b, *dbias = dout + b;
  for (int j = 0; j < 8 * cells + 3 * b; j++) out[j] = 0;
  for (int j = 0; j < 2 * cells; j++) dstate[j] = 0;
  begin(&w, state);
  for (int t = 0; t < turns; t++) {
    turn(&w, w.sequence + t * b, state, x, kept + (long)t * cells * KEPT);
    for (int j = 0; j < b; j++) last[t * b + j] = x[j];
  }
  for (int t = turns - 1; t >= 0; t--) {
    const double *next = w.sequence + (t + 1) * b, *h = last + t * b;
    double sum = 2, ones = 0;
    for (int j = 0; j < b; j++) {
      x[j] = exp(h[j] * w.out[j] + w.bias[j]);
      sum += x[j], ones += next[j];
    }
    for (int j = 0; j < b; j++) {
      double dy = (ones * x[j] / sum - next[j]) / (turns * b);
      dout[j] += dy * h[j], dbias[j] += dy;
      x[j] = dy * w.out[j];
    }
    turn_back(&w, w.sequence + t * b, kept + (long)t * cells * KEPT, dstate, x, out);
  }
}
