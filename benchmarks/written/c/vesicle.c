// The energy of a closed membrane of triangles: areas that are kept, a volume, and bending at the edges.
// In: the points, then the areas at rest; `faces` has the corners, `hinges` the faces on both sides of an edge.
#include "program.h"
#include <math.h>

static double normals[F][3], lengths[F], d_normals[F][3], d_lengths[F];

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

void adjoint(const double *restrict x, double *restrict out) {
    const double *rest = x + 3 * N;
    double stretch = 0, volume = 0, bend = 0, *g = out + 1;
    for (int k = 0; k < 3 * N; k++) g[k] = 0;
    for (int t = 0; t < F; t++) {
        const double *a = x + 3 * faces[3 * t], *b = x + 3 * faces[3 * t + 1], *c = x + 3 * faces[3 * t + 2];
        double u[3], v[3], w[3], *n = normals[t];
        for (int k = 0; k < 3; k++) {
            u[k] = b[k] - a[k];
            v[k] = c[k] - a[k];
            d_normals[t][k] = 0;
        }
        cross(u, v, n);
        cross(b, c, w);
        lengths[t] = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double e = 0.5 * lengths[t] - rest[t];
        stretch += e * e / rest[t];
        volume += (a[0] * w[0] + a[1] * w[1] + a[2] * w[2]) / 6;
        d_lengths[t] = 10 * e / rest[t];
    }
    for (int k = 0; k < H; k++) {
        int s = hinges[2 * k], t = hinges[2 * k + 1];
        double both = lengths[s] * lengths[t];
        double cosine = (normals[s][0] * normals[t][0] + normals[s][1] * normals[t][1] + normals[s][2] * normals[t][2]) / both;
        bend += 1 - cosine;
        for (int c = 0; c < 3; c++) {
            d_normals[s][c] -= 0.5 * normals[t][c] / both;
            d_normals[t][c] -= 0.5 * normals[s][c] / both;
        }
        d_lengths[s] += 0.5 * cosine / lengths[s];
        d_lengths[t] += 0.5 * cosine / lengths[t];
    }
    double d_volume = 40 * (volume - 2.5) / 6;
    for (int t = 0; t < F; t++) {
        int i = 3 * faces[3 * t], j = 3 * faces[3 * t + 1], l = 3 * faces[3 * t + 2];
        const double *a = x + i, *b = x + j, *c = x + l;
        double u[3], v[3], d[3], du[3], dv[3], bc[3], ca[3], ab[3];
        for (int k = 0; k < 3; k++) {
            u[k] = b[k] - a[k];
            v[k] = c[k] - a[k];
            d[k] = d_normals[t][k] + d_lengths[t] * normals[t][k] / lengths[t];
        }
        cross(v, d, du);
        cross(d, u, dv);
        cross(b, c, bc);
        cross(c, a, ca);
        cross(a, b, ab);
        for (int k = 0; k < 3; k++) {
            g[i + k] += d_volume * bc[k] - du[k] - dv[k];
            g[j + k] += d_volume * ca[k] + du[k];
            g[l + k] += d_volume * ab[k] + dv[k];
        }
    }
    out[0] = 10 * stretch + 20 * (volume - 2.5) * (volume - 2.5) + 0.5 * bend;
}
