/* Bundle adjustment: errors of projections, and their Jacobian in CSR, a block of 2 x 15 for each observation.

   ints: n, m, p, then the camera of each observation, then the point of each.
   numbers: n cameras of 11, m points of 3, p weights, p features of 2.
   A camera is a rotation (axis times angle), a centre, a focal length, a principal point and two radial distortions. */
#include <math.h>
#include <stdint.h>

enum { CAMERA = 11, BLOCK = 15 };

static double dot(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

static void cross(const double *x, const double *y, double *z) {
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

/* y = x turned by r. */
static void rotate(const double *r, const double *x, double *y) {
    double theta2 = dot(r, r), vx[3];
    if (theta2 == 0) {
        cross(r, x, vx);
        for (int k = 0; k < 3; k++) y[k] = x[k] + vx[k];
        return;
    }
    double theta = sqrt(theta2), c = cos(theta), s = sin(theta), v[3];
    for (int k = 0; k < 3; k++) v[k] = r[k] / theta;
    cross(v, x, vx);
    double t = dot(v, x) * (1 - c);
    for (int k = 0; k < 3; k++) y[k] = x[k] * c + vx[k] * s + v[k] * t;
}

/* The same, and its derivatives by x and by r. */
static void rotate_d(const double *r, const double *x, double *y, double by_x[3][3], double by_r[3][3]) {
    double theta2 = dot(r, r), vx[3];
    if (theta2 == 0) {
        cross(r, x, vx);
        for (int k = 0; k < 3; k++) y[k] = x[k] + vx[k];
        double turn[3][3] = {{1, -r[2], r[1]}, {r[2], 1, -r[0]}, {-r[1], r[0], 1}};
        double turned[3][3] = {{0, x[2], -x[1]}, {-x[2], 0, x[0]}, {x[1], -x[0], 0}};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) by_x[i][k] = turn[i][k], by_r[i][k] = turned[i][k];
        return;
    }
    double theta = sqrt(theta2), c = cos(theta), s = sin(theta), over = 1 / theta, v[3], a[3];
    for (int k = 0; k < 3; k++) v[k] = r[k] * over;
    cross(v, x, vx);
    double d = dot(v, x), t = d * (1 - c);
    for (int k = 0; k < 3; k++) {
        y[k] = x[k] * c + vx[k] * s + v[k] * t;
        a[k] = -s * x[k] + c * vx[k] + s * d * v[k]; /* by the angle */
    }
    double of_v[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
    double of_x[3][3] = {{0, x[2], -x[1]}, {-x[2], 0, x[0]}, {x[1], -x[0], 0}};
    for (int i = 0; i < 3; i++) {
        double by_v[3];
        for (int k = 0; k < 3; k++) {
            by_x[i][k] = s * of_v[i][k] + (1 - c) * v[i] * v[k] + (i == k ? c : 0);
            by_v[k] = s * of_x[i][k] + (1 - c) * v[i] * x[k] + (i == k ? t : 0);
        }
        double along = a[i] - dot(by_v, v) * over;
        for (int k = 0; k < 3; k++) by_r[i][k] = by_v[k] * over + along * v[k];
    }
}

static void error(const double *cam, const double *x, double w, const double *feat, double *e) {
    double from[3] = {x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]}, y[3];
    rotate(cam, from, y);
    double p = y[0] / y[2], q = y[1] / y[2], s = p * p + q * q, l = 1 + cam[9] * s + cam[10] * s * s;
    e[0] = w * (p * l * cam[6] + cam[7] - feat[0]);
    e[1] = w * (q * l * cam[6] + cam[8] - feat[1]);
}

static void block(const double *cam, const double *x, double w, const double *feat, double *j) {
    double from[3] = {x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]}, y[3], by_x[3][3], by_r[3][3];
    rotate_d(cam, from, y, by_x, by_r);
    double over = 1 / y[2], f = cam[6], at[2] = {y[0] * over, y[1] * over};
    double s = dot((double[]){at[0], at[1], 0}, (double[]){at[0], at[1], 0});
    double l = 1 + cam[9] * s + cam[10] * s * s, dl = 2 * cam[9] + 4 * cam[10] * s, wf = w * f;
    for (int i = 0; i < 2; i++, j += BLOCK) {
        double g[3]; /* by the turned point */
        for (int k = 0; k < 2; k++) g[k] = wf * over * (dl * at[i] * at[k] + (i == k ? l : 0));
        g[2] = -(g[0] * at[0] + g[1] * at[1]);
        for (int k = 0; k < 3; k++) {
            j[k] = g[0] * by_r[0][k] + g[1] * by_r[1][k] + g[2] * by_r[2][k];
            j[11 + k] = g[0] * by_x[0][k] + g[1] * by_x[1][k] + g[2] * by_x[2][k];
            j[3 + k] = -j[11 + k];
        }
        j[6] = w * at[i] * l;
        j[7 + i] = w;
        j[8 - i] = 0;
        j[9] = wf * at[i] * s;
        j[10] = wf * at[i] * s * s;
        j[14] = at[i] * l * f + cam[7 + i] - feat[i];
    }
}

/* out: 2 errors for each observation, then one for each weight. */
void objective(const int *ints, const double *numbers, double *out, double *work) {
    int n = ints[0], m = ints[1], p = ints[2];
    const int *camera = ints + 3, *point = camera + p;
    const double *cams = numbers, *points = cams + CAMERA * n, *w = points + 3 * m, *feats = w + p;
    for (int i = 0; i < p; i++) {
        error(cams + CAMERA * camera[i], points + 3 * point[i], w[i], feats + 2 * i, out + 2 * i);
        out[2 * (int64_t)p + i] = 1 - w[i] * w[i];
    }
}

/* out: 31 p values; then, in 32 bits, their columns, and where each of the 3 p rows begins, and the last one ends. */
void jacobian(const int *ints, const double *numbers, double *out, double *work) {
    int n = ints[0], m = ints[1], p = ints[2], nonzero = (2 * BLOCK + 1) * p;
    const int *camera = ints + 3, *point = camera + p;
    const double *cams = numbers, *points = cams + CAMERA * n, *w = points + 3 * m, *feats = w + p;
    double *vals = out;
    int *cols = (int *)(vals + nonzero), *rows = cols + nonzero;
    for (int i = 0; i < p; i++) {
        block(cams + CAMERA * camera[i], points + 3 * point[i], w[i], feats + 2 * i, vals);
        vals += 2 * BLOCK;
        for (int r = 0; r < 2; r++, cols += BLOCK) {
            *rows++ = (2 * i + r) * BLOCK;
            for (int k = 0; k < CAMERA; k++) cols[k] = CAMERA * camera[i] + k;
            for (int k = 0; k < 3; k++) cols[CAMERA + k] = CAMERA * n + 3 * point[i] + k;
            cols[CAMERA + 3] = CAMERA * n + 3 * m + i;
        }
    }
    for (int i = 0; i < p; i++) {
        *vals++ = -2 * w[i];
        *cols++ = CAMERA * n + 3 * m + i;
        *rows++ = 2 * BLOCK * p + i;
    }
    *rows = nonzero;
}
