// Gaussian mixtures with a Wishart prior, and the gradient. `l` holds the part of each factor below its diagonal,
// column by column.
//
// ints: d, k, n, m. numbers: gamma, alpha (k), mu (k x d), q (k x d), l (k x d(d-1)/2), x (n x d).
// out: the objective; or its gradient in alpha, mu, q and l.
#include <math.h>

typedef struct {
  int d, k, n, m, below;
  double gamma;
  const double *alpha, *mu, *q, *l, *x;
} Mixture;

static Mixture mixture(const int *ints, const double *numbers) {
  Mixture g = {.d = ints[0], .k = ints[1], .n = ints[2], .m = ints[3], .gamma = numbers[0]};
  g.below = g.d * (g.d - 1) / 2;
  g.alpha = numbers + 1;
  g.mu = g.alpha + g.k;
  g.q = g.mu + g.k * g.d;
  g.l = g.q + g.k * g.d;
  g.x = g.l + g.k * g.below;
  return g;
}

static double squares(int n, const double *restrict x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

// log(sum(exp(x))); where `share` is given, the share that each term has.
static double logsumexp(int n, const double *x, double *share) {
  double most = x[0], sum = 0;
  for (int i = 1; i < n; i++) most = x[i] > most ? x[i] : most;
  for (int i = 0; i < n; i++) {
    double e = exp(x[i] - most);
    if (share) share[i] = e;
    sum += e;
  }
  for (int i = 0; share && i < n; i++) share[i] /= sum;
  return log(sum) + most;
}

// The diagonals, and the sums of their logarithms.
static void diagonals(const Mixture *g, double *restrict diagonal, double *restrict sums) {
  for (int k = 0; k < g->k; k++) {
    sums[k] = 0;
    for (int j = 0; j < g->d; j++) {
      diagonal[k * g->d + j] = exp(g->q[k * g->d + j]);
      sums[k] += g->q[k * g->d + j];
    }
  }
}

static void factor_times(int d, const double *restrict diagonal, const double *restrict l, const double *restrict x,
                         double *restrict y) {
  for (int j = 0; j < d; j++) y[j] = diagonal[j] * x[j];
  for (int i = 0; i < d; i++)
    for (int j = i + 1; j < d; j++) y[j] += *l++ * x[i];
}

static void transposed_times(int d, const double *restrict diagonal, const double *restrict l,
                             const double *restrict y, double *restrict z) {
  for (int i = 0; i < d; i++) {
    double sum = diagonal[i] * y[i];
    for (int j = i + 1; j < d; j++) sum += *l++ * y[j];
    z[i] = sum;
  }
}

void objective(const int *ints, const double *numbers, double *out, double *work) {
  Mixture g = mixture(ints, numbers);
  int d = g.d, k = g.k, degrees = d + g.m + 1;
  double *diagonal = work, *sums = diagonal + k * d, *term = sums + k, *away = term + k, *y = away + d;
  diagonals(&g, diagonal, sums);
  double total = -g.n * (d / 2.0 * log(2 * M_PI) + logsumexp(k, g.alpha, 0));
  for (int i = 0; i < g.n; i++) {
    for (int c = 0; c < k; c++) {
      for (int j = 0; j < d; j++) away[j] = g.x[i * d + j] - g.mu[c * d + j];
      factor_times(d, diagonal + c * d, g.l + c * g.below, away, y);
      term[c] = g.alpha[c] + sums[c] - squares(d, y) / 2;
    }
    total += logsumexp(k, term, 0);
  }
  double constant = degrees * d * (log(g.gamma) - log(2) / 2) - d * (d - 1) / 4.0 * log(M_PI);
  for (int j = 0; j < d; j++) constant -= lgamma((degrees - j) / 2.0);
  for (int c = 0; c < k; c++) {
    double norm = squares(d, diagonal + c * d) + squares(g.below, g.l + c * g.below);
    total += constant - (g.gamma * g.gamma / 2 * norm - g.m * sums[c]);
  }
  out[0] = total;
}

void jacobian(const int *ints, const double *numbers, double *out, double *work) {
  Mixture g = mixture(ints, numbers);
  int d = g.d, k = g.k, below = g.below;
  double *alpha = out, *mu = alpha + k, *q = mu + k * d, *l = q + k * d;
  double *diagonal = work, *sums = diagonal + k * d, *share = sums + k, *away = share + k, *y = away + k * d;
  double *z = y + k * d;
  diagonals(&g, diagonal, sums);
  logsumexp(k, g.alpha, share);
  for (int c = 0; c < k; c++) {
    alpha[c] = -g.n * share[c];
    for (int j = 0; j < d; j++) {
      double r = g.gamma * diagonal[c * d + j];
      mu[c * d + j] = 0;
      q[c * d + j] = g.m - r * r;
    }
    for (int j = 0; j < below; j++) l[c * below + j] = -g.gamma * g.gamma * g.l[c * below + j];
  }
  for (int i = 0; i < g.n; i++) {
    for (int c = 0; c < k; c++) {
      for (int j = 0; j < d; j++) away[c * d + j] = g.x[i * d + j] - g.mu[c * d + j];
      factor_times(d, diagonal + c * d, g.l + c * below, away + c * d, y + c * d);
      share[c] = g.alpha[c] + sums[c] - squares(d, y + c * d) / 2;
    }
    logsumexp(k, share, share);
    for (int c = 0; c < k; c++) {
      double p = share[c], *restrict to = l + c * below;
      const double *restrict a = away + c * d, *restrict b = y + c * d, *restrict e = diagonal + c * d;
      transposed_times(d, e, g.l + c * below, b, z);
      alpha[c] += p;
      for (int j = 0; j < d; j++) {
        mu[c * d + j] += p * z[j];
        q[c * d + j] += p * (1 - e[j] * a[j] * b[j]);
      }
      for (int r = 0; r < d; r++) {
        double s = -p * a[r];
        for (int j = r + 1; j < d; j++) *to++ += s * b[j];
      }
    }
  }
}
