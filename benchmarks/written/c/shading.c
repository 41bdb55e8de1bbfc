// A relief, its albedo and its gloss from photographs under three lights.
// In: heights, albedo, the strength of highlights, the logarithm of the gloss, then the photographs.
#include "program.h"
#include <math.h>

enum { COUNT = SIZE * SIZE };

static double normal[COUNT][3], length[COUNT], d_dx[COUNT], d_dy[COUNT], d_rough[COUNT];

void adjoint(const double *restrict in, double *restrict out) {
    const double *z = in, *albedo = in + COUNT, *photos = in + 2 * COUNT + 2;
    const double specular = in[2 * COUNT], gloss = exp(in[2 * COUNT + 1]);
    double *g_z = out + 1, *g_albedo = g_z + COUNT, value = 0, rough = 0, d_specular = 0, d_gloss = 0;
    for (int i = 0; i < SIZE; i++) {
        int up = (i + SIZE - 1) % SIZE * SIZE, down = (i + 1) % SIZE * SIZE;
        for (int j = 0; j < SIZE; j++) {
            int k = i * SIZE + j, left = (j + SIZE - 1) % SIZE, right = (j + 1) % SIZE;
            double dx = 0.5 * (z[i * SIZE + right] - z[i * SIZE + left]), dy = 0.5 * (z[down + j] - z[up + j]);
            double r = z[i * SIZE + left] + z[i * SIZE + right] + z[up + j] + z[down + j] - 4 * z[k];
            double d_normal[3] = {0}, d_albedo = 0;
            length[k] = sqrt(1 + dx * dx + dy * dy);
            normal[k][0] = -dx / length[k];
            normal[k][1] = -dy / length[k];
            normal[k][2] = 1 / length[k];
            for (int n = 0; n < 3; n++) {
                const double *l = lights + 3 * n, *h = half + 3 * n;
                double facing = normal[k][0] * l[0] + normal[k][1] * l[1] + normal[k][2] * l[2];
                double shine = normal[k][0] * h[0] + normal[k][1] * h[1] + normal[k][2] * h[2];
                double diffuse = facing > 0 ? facing : 0, base = shine > 1e-4 ? shine : 1e-4;
                double highlight = pow(base, gloss), e = albedo[k] * diffuse + specular * highlight - photos[3 * k + n];
                double d = 2 * e / (3 * COUNT), d_highlight = d * specular;
                value += e * e;
                d_albedo += d * diffuse;
                d_specular += d * highlight;
                d_gloss += d_highlight * highlight * log(base);
                double d_facing = facing > 0 ? d * albedo[k] : 0;
                double d_shine = shine > 1e-4 ? d_highlight * gloss * highlight / base : 0;
                for (int c = 0; c < 3; c++) d_normal[c] += d_facing * l[c] + d_shine * h[c];
            }
            double along = normal[k][0] * d_normal[0] + normal[k][1] * d_normal[1] + normal[k][2] * d_normal[2];
            d_dx[k] = -(d_normal[0] - along * normal[k][0]) / length[k];
            d_dy[k] = -(d_normal[1] - along * normal[k][1]) / length[k];
            d_rough[k] = 0.02 * r / COUNT;
            g_albedo[k] = d_albedo;
            rough += r * r;
        }
    }
    for (int k = 0; k < COUNT; k++) g_z[k] = -4 * d_rough[k];
    for (int i = 0; i < SIZE; i++) {
        int up = (i + SIZE - 1) % SIZE * SIZE, down = (i + 1) % SIZE * SIZE;
        for (int j = 0; j < SIZE; j++) {
            int k = i * SIZE + j, left = i * SIZE + (j + SIZE - 1) % SIZE, right = i * SIZE + (j + 1) % SIZE;
            g_z[left] += d_rough[k] - 0.5 * d_dx[k];
            g_z[right] += d_rough[k] + 0.5 * d_dx[k];
            g_z[up + j] += d_rough[k] - 0.5 * d_dy[k];
            g_z[down + j] += d_rough[k] + 0.5 * d_dy[k];
        }
    }
    out[0] = value / (3 * COUNT) + 0.01 * rough / COUNT;
    out[1 + 2 * COUNT] = d_specular;
    out[2 + 2 * COUNT] = d_gloss * gloss;
}
