// Plants by their sizes, year by year, with an integral projection model.
// In: twelve coefficients, then the plants of the first year by size, then the counts of each year.
#include "program.h"
#include <math.h>

static double raw[MESH][MESH], k[MESH][MESH], dk[MESH][MESH], n[YEARS + 1][MESH], dn[YEARS + 1][MESH];
static double column[MESH], survival[MESH], flowers[MESH], seeds[MESH], newborn[MESH], d_newborn[MESH];

void adjoint(const double *restrict in, double *restrict out) {
    const double *p = in, *first = in + 12, *counts = first + MESH, width = 6.0 / MESH, root = sqrt(2 * acos(-1.0));
    const double g_spread = exp(p[4]), r_spread = exp(p[11]), recruits = exp(p[9]);
    double value = 0, *g = out + 1;
    for (int c = 0; c < 12; c++) g[c] = 0;
    for (int j = 0; j < MESH; j++) {
        double z = (j + 0.5) * width, mean = p[2] + p[3] * z;
        column[j] = 0;
        for (int i = 0; i < MESH; i++) {
            double u = ((i + 0.5) * width - mean) / g_spread;
            raw[i][j] = exp(-0.5 * u * u) / (g_spread * root);
            column[j] += raw[i][j];
        }
        column[j] *= width;
        survival[j] = 1 / (1 + exp(-(p[0] + p[1] * z)));
        flowers[j] = 1 / (1 + exp(-(p[5] + p[6] * z)));
        seeds[j] = flowers[j] * exp(p[7] + p[8] * z);
        double u = (z - p[10]) / r_spread;
        newborn[j] = recruits * exp(-0.5 * u * u) / (r_spread * root);
        d_newborn[j] = 0;
    }
    for (int i = 0; i < MESH; i++)
        for (int j = 0; j < MESH; j++) {
            k[i][j] = width * (survival[j] * raw[i][j] / column[j] + seeds[j] * newborn[i]);
            dk[i][j] = 0;
        }
    for (int i = 0; i < MESH; i++) n[0][i] = first[i];
    for (int t = 0; t < YEARS; t++)
        for (int i = 0; i < MESH; i++) {
            double s = 0;
            for (int j = 0; j < MESH; j++) s += k[i][j] * n[t][j];
            n[t + 1][i] = s;
        }
    for (int t = 1; t <= YEARS; t++) {
        const double *seen = counts + (t - 1) * MESH;
        double all = 0, counted = 0, d_all = 0;
        for (int i = 0; i < MESH; i++) {
            all += n[t][i];
            counted += seen[i];
        }
        for (int i = 0; i < MESH; i++) {
            double share = n[t][i] / all;
            value -= seen[i] * log(share + 1e-9) / YEARS;
            double d_share = -seen[i] / (share + 1e-9) / YEARS;
            dn[t][i] = d_share / all;
            d_all -= d_share * share / all;
        }
        double e = log(all) - log(counted);
        value += 50 * e * e / YEARS;
        d_all += 100 * e / all / YEARS;
        for (int i = 0; i < MESH; i++) dn[t][i] += d_all;
    }
    for (int t = YEARS - 1; t >= 0; t--)
        for (int i = 0; i < MESH; i++)
            for (int j = 0; j < MESH; j++) {
                dk[i][j] += dn[t + 1][i] * n[t][j];
                if (t > 0) dn[t][j] += dn[t + 1][i] * k[i][j];
            }
    for (int j = 0; j < MESH; j++) {
        double z = (j + 0.5) * width, mean = p[2] + p[3] * z, d_growth[MESH], d_column = 0;
        double d_survival = 0, d_seeds = 0, d_mean = 0;
        for (int i = 0; i < MESH; i++) {
            double d = width * dk[i][j], growth = raw[i][j] / column[j];
            d_survival += d * growth;
            d_seeds += d * newborn[i];
            d_newborn[i] += d * seeds[j];
            d_growth[i] = d * survival[j];
            d_column -= d_growth[i] * growth / column[j];
        }
        for (int i = 0; i < MESH; i++) {
            double u = ((i + 0.5) * width - mean) / g_spread;
            double d = (d_growth[i] / column[j] + d_column * width) * raw[i][j];
            d_mean += d * u / g_spread;
            g[4] += d * (u * u - 1);
        }
        g[2] += d_mean;
        g[3] += d_mean * z;
        double ds = d_survival * survival[j] * (1 - survival[j]), d_log = d_seeds * seeds[j];
        double df = d_log * (1 - flowers[j]);
        g[0] += ds;
        g[1] += ds * z;
        g[5] += df;
        g[6] += df * z;
        g[7] += d_log;
        g[8] += d_log * z;
    }
    for (int i = 0; i < MESH; i++) {
        double u = ((i + 0.5) * width - p[10]) / r_spread, d = d_newborn[i] * newborn[i];
        g[9] += d;
        g[10] += d * u / r_spread;
        g[11] += d * (u * u - 1);
    }
    out[0] = value;
}
