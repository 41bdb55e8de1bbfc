// An image of Gaussian splats in the plane, painted from front to back and compared with another.
// In: of each splat its centre, the logarithms of its scales, angle, opacity and colour, then the target.
#include "program.h"
#include <math.h>

typedef struct {
    double x, y, log_u, log_v, angle, opacity, colour[3];
} Splat;

typedef struct {
    double a, b, c, opacity;
} Conic;

static Conic conics[SPLATS], d_conics[SPLATS];

void adjoint(const double *restrict in, double *restrict out) {
    const Splat *splats = (const Splat *)in;
    const double *target = in + 9 * SPLATS;
    Splat *g = (Splat *)(out + 1);
    double value = 0;
    for (int k = 0; k < SPLATS; k++) {
        const Splat *s = splats + k;
        double u = exp(-2 * s->log_u), v = exp(-2 * s->log_v), c = cos(s->angle), d = sin(s->angle);
        conics[k] = (Conic){u * c * c + v * d * d, (u - v) * c * d, u * d * d + v * c * c, 1 / (1 + exp(-s->opacity))};
        d_conics[k] = (Conic){0};
        g[k] = (Splat){0};
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            double x = (j + 0.5) / SIZE, y = (i + 0.5) / SIZE, light = 1, colour[3] = {0}, d_colour[3];
            double lights[SPLATS], falls[SPLATS];
            for (int k = 0; k < SPLATS; k++) {
                const Splat *s = splats + k;
                const Conic *q = conics + k;
                double dx = x - s->x, dy = y - s->y;
                falls[k] = exp(-0.5 * (q->a * dx * dx + 2 * q->b * dx * dy + q->c * dy * dy));
                double alpha = q->opacity * falls[k];
                lights[k] = light;
                for (int n = 0; n < 3; n++) colour[n] += light * alpha * s->colour[n];
                light *= 1 - alpha;
            }
            for (int n = 0; n < 3; n++) {
                double e = colour[n] - target[3 * (i * SIZE + j) + n];
                value += e * e;
                d_colour[n] = 2 * e / (3 * SIZE * SIZE);
            }
            double d_light = 0;
            for (int k = SPLATS - 1; k >= 0; k--) {
                const Splat *s = splats + k;
                const Conic *q = conics + k;
                double alpha = q->opacity * falls[k], along = 0, dx = x - s->x, dy = y - s->y;
                for (int n = 0; n < 3; n++) {
                    g[k].colour[n] += d_colour[n] * lights[k] * alpha;
                    along += d_colour[n] * s->colour[n];
                }
                double d_alpha = lights[k] * (along - d_light), d_form = -0.5 * d_alpha * alpha;
                d_light = d_light * (1 - alpha) + along * alpha;
                d_conics[k].opacity += d_alpha * falls[k];
                d_conics[k].a += d_form * dx * dx;
                d_conics[k].b += 2 * d_form * dx * dy;
                d_conics[k].c += d_form * dy * dy;
                g[k].x -= 2 * d_form * (q->a * dx + q->b * dy);
                g[k].y -= 2 * d_form * (q->b * dx + q->c * dy);
            }
        }
    }
    for (int k = 0; k < SPLATS; k++) {
        const Splat *s = splats + k;
        const Conic *q = conics + k, *d = d_conics + k;
        double u = exp(-2 * s->log_u), v = exp(-2 * s->log_v), c = cos(s->angle), e = sin(s->angle);
        g[k].log_u = -2 * u * (d->a * c * c + d->b * c * e + d->c * e * e);
        g[k].log_v = -2 * v * (d->a * e * e - d->b * c * e + d->c * c * c);
        g[k].angle = (u - v) * (2 * (d->c - d->a) * c * e + d->b * (c * c - e * e));
        g[k].opacity = d->opacity * q->opacity * (1 - q->opacity);
    }
    out[0] = value / (3 * SIZE * SIZE);
}
