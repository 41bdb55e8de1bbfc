// The symmetric contrastive loss of pairs of two views, each with a linear encoder.
// In: the weights of both encoders, the logarithm of the scale, then the images and the texts.
#include "program.h"
#include <math.h>

static double a[BATCH][SHARED], b[BATCH][SHARED], d_a[BATCH][SHARED], d_b[BATCH][SHARED], length_a[BATCH], length_b[BATCH];
static double logits[BATCH][BATCH], by_row[BATCH][BATCH], by_column[BATCH][BATCH], rows[BATCH], columns[BATCH];

static void encode(const double *x, int width, const double *weights, double z[BATCH][SHARED], double *length) {
    for (int i = 0; i < BATCH; i++) {
        double square = 0;
        for (int k = 0; k < SHARED; k++) z[i][k] = 0;
        for (int j = 0; j < width; j++)
            for (int k = 0; k < SHARED; k++) z[i][k] += x[i * width + j] * weights[j * SHARED + k];
        for (int k = 0; k < SHARED; k++) square += z[i][k] * z[i][k];
        length[i] = sqrt(square + 1e-8);
        for (int k = 0; k < SHARED; k++) z[i][k] /= length[i];
    }
}

static void encode_reverse(const double *x, int width, double z[BATCH][SHARED], double d[BATCH][SHARED],
                           const double *length, double *g) {
    for (int j = 0; j < width * SHARED; j++) g[j] = 0;
    for (int i = 0; i < BATCH; i++) {
        double along = 0;
        for (int k = 0; k < SHARED; k++) along += z[i][k] * d[i][k];
        for (int k = 0; k < SHARED; k++) d[i][k] = (d[i][k] - along * z[i][k]) / length[i];
        for (int j = 0; j < width; j++)
            for (int k = 0; k < SHARED; k++) g[j * SHARED + k] += x[i * width + j] * d[i][k];
    }
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *image = in, *text = image + IMAGE * SHARED, *images = text + TEXT * SHARED + 1;
    const double *texts = images + BATCH * IMAGE;
    double scale = exp(text[TEXT * SHARED]), value = 0, d_scale = 0, *g = out + 1;
    encode(images, IMAGE, image, a, length_a);
    encode(texts, TEXT, text, b, length_b);
    for (int i = 0; i < BATCH; i++) {
        for (int j = 0; j < BATCH; j++) {
            double dot = 0;
            for (int k = 0; k < SHARED; k++) dot += a[i][k] * b[j][k];
            logits[i][j] = scale * dot;
        }
    }
    for (int i = 0; i < BATCH; i++) {
        double row = logits[i][0], column = logits[0][i];
        for (int j = 1; j < BATCH; j++) {
            if (logits[i][j] > row) row = logits[i][j];
            if (logits[j][i] > column) column = logits[j][i];
        }
        rows[i] = columns[i] = 0;
        for (int j = 0; j < BATCH; j++) {
            rows[i] += by_row[i][j] = exp(logits[i][j] - row);
            columns[i] += by_column[j][i] = exp(logits[j][i] - column);
        }
        value += row + log(rows[i]) + column + log(columns[i]) - 2 * logits[i][i];
    }
    for (int i = 0; i < BATCH; i++)
        for (int k = 0; k < SHARED; k++) d_a[i][k] = d_b[i][k] = 0;
    for (int i = 0; i < BATCH; i++) {
        for (int j = 0; j < BATCH; j++) {
            double d = by_row[i][j] / rows[i] + by_column[i][j] / columns[j] - (i == j ? 2 : 0);
            d *= 0.5 / BATCH;
            d_scale += d * logits[i][j];
            for (int k = 0; k < SHARED; k++) {
                d_a[i][k] += d * scale * b[j][k];
                d_b[j][k] += d * scale * a[i][k];
            }
        }
    }
    encode_reverse(images, IMAGE, a, d_a, length_a, g);
    encode_reverse(texts, TEXT, b, d_b, length_b, g + IMAGE * SHARED);
    g[(IMAGE + TEXT) * SHARED] = d_scale;
    out[0] = 0.5 * value / BATCH;
}
