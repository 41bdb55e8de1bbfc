// A graph of poses in the plane: odometry, and places seen again by Huber's loss.
// In: the poses, then what was seen of the second pose from the first of each edge.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    double value = 0, *g = out + 1;
    for (int k = 0; k < 3 * POSES; k++) g[k] = 0;
    for (int k = 0; k < EDGES; k++) {
        const double *a = in + 3 * first[k], *b = in + 3 * second[k], *seen = in + 3 * POSES + 3 * k;
        double *ga = g + 3 * first[k], *gb = g + 3 * second[k];
        double c = cos(a[2]), s = sin(a[2]), dx = b[0] - a[0], dy = b[1] - a[1];
        double ex = c * dx + s * dy - seen[0], ey = c * dy - s * dx - seen[1], turn = b[2] - a[2] - seen[2];
        turn = atan2(sin(turn), cos(turn));
        double square = 50 * (ex * ex + ey * ey) + 200 * turn * turn, d = 0.5;
        if (k >= POSES - 1 && square >= 1) {
            double root = sqrt(square);
            value += 2 * root - 1;
            d /= root;
        } else {
            value += square;
        }
        double d_ex = 100 * d * ex, d_ey = 100 * d * ey, d_turn = 400 * d * turn;
        double d_dx = c * d_ex - s * d_ey, d_dy = s * d_ex + c * d_ey;
        gb[0] += d_dx;
        gb[1] += d_dy;
        gb[2] += d_turn;
        ga[0] -= d_dx;
        ga[1] -= d_dy;
        ga[2] += d_ex * (c * dy - s * dx) - d_ey * (c * dx + s * dy) - d_turn;
    }
    double start = 0;
    for (int k = 0; k < 3; k++) {
        start += in[k] * in[k];
        g[k] += 1000 * in[k];
    }
    out[0] = 0.5 * value + 500 * start;
}
