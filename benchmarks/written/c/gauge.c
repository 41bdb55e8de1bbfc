// The action of an SU(2) gauge field on a lattice in four dimensions, with Iwasaki's improvement.
// In: a quaternion for each site and direction. AHEAD has the site one step ahead, by site and direction.
#include "program.h"
#include <math.h>

typedef struct {
    double w, x, y, z;
} Quaternion;

static const double beta = 2.3, c1 = -0.331;
static Quaternion unit[SITES * 4], d_unit[SITES * 4];

static Quaternion times(Quaternion p, Quaternion q) {
    return (Quaternion){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

static Quaternion dagger(Quaternion q) { return (Quaternion){q.w, -q.x, -q.y, -q.z}; }

// The real part of the product of links, of which the last `back` are gone through backwards; d is its cotangent.
static double loop(const int *links, int count, int back, double d) {
    Quaternion q[6], before[6];
    for (int i = 0; i < count; i++) {
        q[i] = i < count - back ? unit[links[i]] : dagger(unit[links[i]]);
        before[i] = i ? times(before[i - 1], q[i]) : q[0];
    }
    Quaternion behind = {d, 0, 0, 0};  // the cotangent of `before[i]`
    for (int i = count - 1; i >= 0; i--) {
        Quaternion dq = i ? times(dagger(before[i - 1]), behind) : behind;
        if (i) behind = times(behind, dagger(q[i]));
        if (i >= count - back) dq = dagger(dq);
        Quaternion *to = d_unit + links[i];
        to->w += dq.w;
        to->x += dq.x;
        to->y += dq.y;
        to->z += dq.z;
    }
    return before[count - 1].w;
}

static double plaquette(int s, int m, int n, double d) {
    int a = AHEAD[4 * s + m], b = AHEAD[4 * s + n];
    return loop((int[]){4 * s + m, 4 * a + n, 4 * b + m, 4 * s + n}, 4, 2, d);
}

static double rectangle(int s, int m, int n, double d) {
    int a = AHEAD[4 * s + m], b = AHEAD[4 * s + n], c = AHEAD[4 * a + m], e = AHEAD[4 * b + m];
    return loop((int[]){4 * s + m, 4 * a + m, 4 * c + n, 4 * e + m, 4 * b + m, 4 * s + n}, 6, 3, d);
}

void adjoint(const double *restrict in, double *restrict out) {
    const Quaternion *links = (const Quaternion *)in;
    Quaternion *g = (Quaternion *)(out + 1);
    double value = 0;
    for (int k = 0; k < 4 * SITES; k++) {
        Quaternion q = links[k];
        double r = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        unit[k] = (Quaternion){q.w * r, q.x * r, q.y * r, q.z * r};
        d_unit[k] = (Quaternion){0, 0, 0, 0};
    }
    for (int s = 0; s < SITES; s++)
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < m; n++) {
                value += (1 - 8 * c1) * (1 - plaquette(s, m, n, -beta * (1 - 8 * c1)));
                value += c1 * (2 - rectangle(s, m, n, -beta * c1) - rectangle(s, n, m, -beta * c1));
            }
    for (int k = 0; k < 4 * SITES; k++) {
        Quaternion q = links[k], u = unit[k], d = d_unit[k];
        double r = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        double along = u.w * d.w + u.x * d.x + u.y * d.y + u.z * d.z;
        g[k] = (Quaternion){r * (d.w - along * u.w), r * (d.x - along * u.x), r * (d.y - along * u.y),
                            r * (d.z - along * u.z)};
    }
    out[0] = beta * value;
}
