/* Hand tracking: how far measured points are from a hand in a pose, and the Jacobian, along the chains of bones.

   ints: vertices, triangles (0: points are on vertices), points, 1 if mirrored; 22 parents (-1: none), 3 corners of
   each triangle, and the triangle, or the vertex, of each point.
   numbers: a pose of 26 (turn, shift, 4 angles of each finger), 2 of each point (where on its triangle, if there are
   any), then 22 matrices from bones to parents, 22 from the hand to bones, 4 of each vertex, 22 weights of each, and 3
   of each point.
   Bones: wrist, four of each finger, forearm. The second, third and fourth of a finger have 2, 1 and 1 angles. */
#include <math.h>
#include <string.h>

enum { BONES = 22, FINGERS = 5, POSE = 26 };
typedef double affine[3][4]; /* a matrix without its last row, 0 0 0 1 */
typedef double matrix[4][4];

struct hand {
    int vertices, triangles, points, mirrored;
    const int *parents, *corners, *on;
    const double *pose, *u;
    const matrix *relatives, *inverses;
    const double (*x)[4], (*weights)[BONES], (*measured)[3];
};

static struct hand given(const int *ints, const double *numbers) {
    struct hand h = {ints[0], ints[1], ints[2], ints[3], ints + 4};
    h.corners = h.parents + BONES, h.on = h.corners + 3 * h.triangles;
    h.pose = numbers, h.u = numbers + POSE;
    h.relatives = (const matrix *)(h.u + (h.triangles ? 2 * h.points : 0)), h.inverses = h.relatives + BONES;
    h.x = (const double (*)[4])(h.inverses + BONES), h.weights = (const double (*)[BONES])(h.x + h.vertices);
    h.measured = (const double (*)[3])(h.weights + h.vertices);
    return h;
}

static void times(const affine a, const matrix b, affine c) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j] + a[i][3] * b[3][j];
}

/* The turn by z and then x, and its derivatives by them. */
static void angles(double x, double z, matrix m, matrix by_x, matrix by_z) {
    double cx = cos(x), sx = sin(x), cz = cos(z), sz = sin(z);
    matrix all[3] = {
        {{cz, -sz * cx, sz * sx}, {sz, cz * cx, -cz * sx}, {0, sx, cx}, {0, 0, 0, 1}},
        {{0, sz * sx, sz * cx}, {0, -cz * sx, -cz * cx}, {0, cx, -sx}},
        {{-sz, -cz * cx, cz * sx}, {cz, -sz * cx, sz * sx}},
    };
    memcpy(m, all[0], sizeof all[0]), memcpy(by_x, all[1], sizeof all[1]), memcpy(by_z, all[2], sizeof all[2]);
}

/* The rotation about an axis, and its derivatives by the three numbers of the axis. */
static void rotation(const double *r, double m[3][3], double by[3][3][3]) {
    double norm = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    memset(by, 0, 27 * sizeof(double));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = i == j;
    if (norm < 1e-4) return;
    double a[3] = {r[0] / norm, r[1] / norm, r[2] / norm}, c = cos(norm), s = sin(norm);
    double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = a[i] * a[j] * (1 - c) + cross[i][j] * s + c * (i == j);
    for (int k = 0; k < 3; k++) {
        double d[3]; /* of the axis of length 1; the angle has a[k] */
        for (int i = 0; i < 3; i++) d[i] = ((i == k) - a[i] * a[k]) / norm;
        double turn[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                by[k][i][j] = (d[i] * a[j] + a[i] * d[j]) * (1 - c) + turn[i][j] * s
                            + a[k] * (a[i] * a[j] * s + cross[i][j] * c - s * (i == j));
    }
}

/* How bones move vertices; with `by`, also the derivatives by the 4 angles of a finger, of its 3 bones that move. */
static void bones(const struct hand *h, affine *moves, affine (*by)[3][4]) {
    affine at[BONES], relative, d[4];
    matrix turn, by_x, by_z;
    for (int b = 0; b < BONES; b++) {
        int part = b == 0 || b == BONES - 1 ? 0 : (b - 1) % 4, g = (b - 1) / 4, known = 0;
        if (h->parents[b] >= 0) {
            times(at[h->parents[b]], h->relatives[b], relative);
        } else {
            memcpy(relative, h->relatives[b], sizeof relative);
            for (int j = 0; h->mirrored && j < 4; j++) relative[0][j] = -relative[0][j];
        }
        if (part == 0) {
            memcpy(at[b], relative, sizeof relative);
        } else {
            const double *a = h->pose + 6 + 4 * g;
            angles(part == 1 ? a[0] : a[part], part == 1 ? a[1] : 0, turn, by_x, by_z);
            times(relative, turn, at[b]);
            if (by) {
                for (; part > 1 && known < part; known++) {
                    affine moved;
                    times(d[known], h->relatives[b], moved), times(moved, turn, d[known]);
                }
                times(relative, by_x, d[known++]);
                if (part == 1) times(relative, by_z, d[known++]);
                for (int k = 0; k < 4; k++)
                    if (k < known) times(d[k], h->inverses[b], by[g][part - 1][k]);
                    else memset(by[g][part - 1][k], 0, sizeof(affine));
            }
        }
        times(at[b], h->inverses[b], moves[b]);
    }
}

/* Each vertex goes with the weighted mean of its bones. */
static void skin(const struct hand *h, const affine *moves, double (*restrict local)[3]) {
    for (int v = 0; v < h->vertices; v++) {
        double m[12] = {0};
        const double *x = h->x[v], *move = (const double *)moves;
        for (int b = 0; b < BONES; b++, move += 12)
            for (int k = 0; k < 12; k++) m[k] += h->weights[v][b] * move[k];
        for (int i = 0; i < 3; i++)
            local[v][i] = m[4 * i] * x[0] + m[4 * i + 1] * x[1] + m[4 * i + 2] * x[2] + m[4 * i + 3] * x[3];
    }
}

/* The derivatives of each vertex by the angles of fingers, turned as a whole. */
static void skin_d(const struct hand *h, const double by[FINGERS][3][3][4][4], double (*restrict moved)[3][20]) {
    for (int v = 0; v < h->vertices; v++) {
        const double *x = h->x[v], *w = h->weights[v];
        for (int g = 0; g < FINGERS; g++) {
            double wx[3][4];
            for (int b = 0; b < 3; b++)
                for (int j = 0; j < 4; j++) wx[b][j] = w[4 * g + 2 + b] * x[j];
            for (int i = 0; i < 3; i++) {
                double y[4] = {0, 0, 0, 0};
                for (int b = 0; b < 3; b++)
                    for (int j = 0; j < 4; j++)
                        for (int k = 0; k < 4; k++) y[k] += by[g][b][i][j][k] * wx[b][j];
                for (int k = 0; k < 4; k++) moved[v][i][4 * g + k] = y[k];
            }
        }
    }
}

/* The vertices that a point is between, and how much it has of each. */
static void place(const struct hand *h, int p, int corners[3], double parts[3]) {
    if (h->triangles) {
        const double *u = h->u + 2 * p;
        memcpy(corners, h->corners + 3 * h->on[p], 3 * sizeof(int));
        parts[0] = u[0], parts[1] = u[1], parts[2] = 1 - u[0] - u[1];
    } else {
        for (int c = 0; c < 3; c++) corners[c] = h->on[p], parts[c] = c == 0;
    }
}

/* out: 3 errors of each point. */
void objective(const int *ints, const double *numbers, double *out, double *work) {
    struct hand h = given(ints, numbers);
    affine moves[BONES];
    double turn[3][3], by[3][3][3], (*local)[3] = (double (*)[3])work, parts[3];
    bones(&h, moves, 0), rotation(h.pose, turn, by), skin(&h, moves, local);
    for (int v = 0; v < h.vertices; v++) {
        double *y = local[v], x[3] = {y[0], y[1], y[2]};
        for (int i = 0; i < 3; i++)
            y[i] = turn[i][0] * x[0] + turn[i][1] * x[1] + turn[i][2] * x[2] + h.pose[3 + i];
    }
    for (int p = 0; p < h.points; p++) {
        int c[3];
        place(&h, p, c, parts);
        for (int i = 0; i < 3; i++)
            out[3 * p + i] = h.measured[p][i]
                           - (parts[0] * local[c[0]][i] + parts[1] * local[c[1]][i] + parts[2] * local[c[2]][i]);
    }
}

/* out: a row of 2 + 26 numbers for each error; of 26, where points are on vertices. */
void jacobian(const int *ints, const double *numbers, double *restrict out, double *work) {
    struct hand h = given(ints, numbers);
    affine moves[BONES], by[FINGERS][3][4];
    double turn[3][3], turning[3][3][3], turned[FINGERS][3][3][4][4], parts[3];
    double (*restrict local)[3] = (double (*)[3])work;
    double (*restrict moved)[3][20] = (double (*)[3][20])(local + h.vertices);
    bones(&h, moves, by), rotation(h.pose, turn, turning), skin(&h, moves, local);
    for (int g = 0; g < FINGERS; g++)
        for (int b = 0; b < 3; b++)
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 4; j++)
                        turned[g][b][i][j][k] = turn[i][0] * by[g][b][k][0][j] + turn[i][1] * by[g][b][k][1][j]
                                              + turn[i][2] * by[g][b][k][2][j];
    skin_d(&h, turned, moved);
    for (int p = 0; p < h.points; p++) {
        int c[3];
        place(&h, p, c, parts);
        const double *x = local[c[0]], *y = local[c[1]], *z = local[c[2]];
        double at[3];
        for (int j = 0; j < 3; j++) at[j] = parts[0] * x[j] + parts[1] * y[j] + parts[2] * z[j];
        for (int i = 0; i < 3; i++) {
            if (h.triangles) {
                const double *t = turn[i];
                *out++ = t[0] * (z[0] - x[0]) + t[1] * (z[1] - x[1]) + t[2] * (z[2] - x[2]);
                *out++ = t[0] * (z[0] - y[0]) + t[1] * (z[1] - y[1]) + t[2] * (z[2] - y[2]);
            }
            for (int k = 0; k < 3; k++, out++) {
                const double *t = turning[k][i];
                out[0] = -(t[0] * at[0] + t[1] * at[1] + t[2] * at[2]);
                out[3] = i == k ? -1 : 0;
            }
            out += 3;
            const double *d = moved[c[0]][i], *e = moved[c[1]][i], *f = moved[c[2]][i];
            for (int k = 0; k < 20; k++) out[k] = -(parts[0] * d[k] + parts[1] * e[k] + parts[2] * f[k]);
            out += 20;
        }
    }
}
