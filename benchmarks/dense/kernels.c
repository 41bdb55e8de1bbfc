// Dense kernels as one writes them by hand for registers and caches: blocks of four by four numbers, whose sums have
// their terms in order, over panels that a cache holds. Matrices are row-major; all numbers have 64 bits.

#include <math.h>

#define PANEL 64

typedef double pair __attribute__((vector_size(16)));  // one number after the other, where there is no simd

static inline pair load(const double *p) {
  pair x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}

static inline void store(double *p, pair x) { __builtin_memcpy(p, &x, sizeof x); }

static inline pair both(double x) { return (pair){x, x}; }

static inline int least(int a, int b) { return a < b ? a : b; }

// c = a @ b, all n x n. Terms are added to c panel by panel, in order.
void matmul(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n * n; i++) c[i] = 0.0;
  for (int p = 0; p < n; p += PANEL) {
    int end = least(p + PANEL, n);
    for (int q = 0; q < n; q += PANEL) {
      int right = least(q + PANEL, n);
      for (int i = 0; i + 4 <= n; i += 4) {
        for (int j = q; j + 4 <= right; j += 4) {
          pair s[4][2];
          for (int r = 0; r < 4; r++)
            for (int t = 0; t < 2; t++) s[r][t] = load(c + (i + r) * n + j + 2 * t);
          for (int k = p; k < end; k++) {
            pair row[2] = {load(b + k * n + j), load(b + k * n + j + 2)};
            for (int r = 0; r < 4; r++)
              for (int t = 0; t < 2; t++) s[r][t] += both(a[(i + r) * n + k]) * row[t];
          }
          for (int r = 0; r < 4; r++)
            for (int t = 0; t < 2; t++) store(c + (i + r) * n + j + 2 * t, s[r][t]);
        }
      }
    }
  }
}

// The lower factor l of a, n x n; n is a multiple of 4. Four columns at a time: what the columns before leave of them,
// in blocks of four rows, and then the columns themselves.
void cholesky(int n, const double *restrict a, const double *restrict unused, double *restrict l) {
  for (int i = 0; i < n * n; i++) l[i] = 0.0;
  for (int p = 0; p < n; p += 4) {
    for (int i = p; i < n; i += 4) {
      pair s[4][2];
      for (int r = 0; r < 4; r++)
        for (int t = 0; t < 2; t++) s[r][t] = load(a + (i + r) * n + p + 2 * t);
      for (int k = 0; k < p; k++) {
        const double *at = l + p * n + k;
        pair column[2] = {{at[0], at[n]}, {at[2 * n], at[3 * n]}};
        for (int r = 0; r < 4; r++)
          for (int t = 0; t < 2; t++) s[r][t] -= both(l[(i + r) * n + k]) * column[t];
      }
      for (int r = 0; r < 4; r++)
        for (int t = 0; t < 2; t++) store(l + (i + r) * n + p + 2 * t, s[r][t]);
    }
    for (int t = 0; t < 4; t++) {
      int j = p + t;
      for (int i = j; i < n; i++) {
        double s = l[i * n + j];
        for (int k = p; k < j; k++) s -= l[i * n + k] * l[j * n + k];
        l[i * n + j] = i == j ? sqrt(s) : s / l[j * n + j];
      }
      for (int i = p; i < j; i++) l[i * n + j] = 0.0;
    }
  }
}

// The 3 x 3 convolution of an image of n x n places and 8 channels, without padding, into `out` channels: four places
// and four channels at a time. The last places of a row are done once more, in a block that ends with the row.
static void convolve(int n, int out, const double *restrict x, const double *restrict w, double *restrict y) {
  int places = n - 2;
  for (int i = 0; i < places; i++) {
    for (int j = 0; j < places; j += 4) {
      int first = least(j, places - 4);
      for (int f = 0; f < out; f += 4) {
        pair s[4][2] = {{both(0)}};
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++)
            for (int c = 0; c < 8; c++) {
              const double *at = w + ((k * 3 + l) * 8 + c) * out + f;
              pair row[2] = {load(at), load(at + 2)};
              for (int r = 0; r < 4; r++)
                for (int t = 0; t < 2; t++) s[r][t] += both(x[((i + k) * n + first + r + l) * 8 + c]) * row[t];
            }
        for (int r = 0; r < 4; r++)
          for (int t = 0; t < 2; t++) store(y + (i * places + first + r) * out + f + 2 * t, s[r][t]);
      }
    }
  }
}

void conv8(int n, const double *restrict x, const double *restrict w, double *restrict y) { convolve(n, 8, x, w, y); }

void conv16(int n, const double *restrict x, const double *restrict w, double *restrict y) {
  convolve(n, 16, x, w, y);
}
