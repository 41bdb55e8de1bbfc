// How a gene that nobody has seen makes people ill, from the illnesses in families, by peeling.
// In: six numbers of the disease, then the age and the sex of each person, and who is ill. FIRST is the first child of
// each family, and PASSES how probable a genotype is by those of the parents.
#include "program.h"
#include <math.h>

static double p[PEOPLE][3], chance[PEOPLE][3], d_chance[PEOPLE][3];

void adjoint(const double *restrict in, double *restrict out) {
    const double *age = in + 6, *sex = age + PEOPLE, *ill = sex + PEOPLE;
    const double base = in[1], additive = in[2], dominance = in[3], q = 1 / (1 + exp(-in[0]));
    const double prior[3] = {(1 - q) * (1 - q), 2 * q * (1 - q), q * q};
    const double gene[3] = {0, additive + dominance, 2 * additive};
    double value = 0, d_prior[3] = {0}, *g = out + 1;
    for (int k = 0; k < 6; k++) g[k] = 0;
    for (int i = 0; i < PEOPLE; i++)
        for (int c = 0; c < 3; c++) {
            p[i][c] = 1 / (1 + exp(-(base + gene[c] + in[4] * age[i] + in[5] * sex[i])));
            chance[i][c] = ill[i] > 0.5 ? p[i][c] : 1 - p[i][c];
            d_chance[i][c] = 0;
        }
    for (int f = 0; f < FAMILIES; f++) {
        int from = FIRST[f], count = FIRST[f + 1] - from;
        double likelihood = 0, each[3][3][16], children[3][3];
        const double *father = chance[2 * f], *mother = chance[2 * f + 1];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                const double *passes = PASSES + (a * 3 + b) * 3;
                children[a][b] = 1;
                for (int i = 0; i < count; i++) {
                    double s = 0;
                    for (int c = 0; c < 3; c++) s += passes[c] * chance[from + i][c];
                    each[a][b][i] = s;
                    children[a][b] *= s;
                }
                likelihood += prior[a] * father[a] * prior[b] * mother[b] * children[a][b];
            }
        value -= log(likelihood);
        double d = -1 / likelihood;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                const double *passes = PASSES + (a * 3 + b) * 3;
                double parents = prior[a] * father[a] * prior[b] * mother[b], dc = d * children[a][b];
                d_prior[a] += dc * father[a] * prior[b] * mother[b];
                d_prior[b] += dc * prior[a] * father[a] * mother[b];
                d_chance[2 * f][a] += dc * prior[a] * prior[b] * mother[b];
                d_chance[2 * f + 1][b] += dc * prior[a] * father[a] * prior[b];
                double before[16], behind = d * parents;
                before[0] = 1;
                for (int i = 1; i < count; i++) before[i] = before[i - 1] * each[a][b][i - 1];
                for (int i = count - 1; i >= 0; i--) {
                    double ds = behind * before[i];
                    behind *= each[a][b][i];
                    for (int c = 0; c < 3; c++) d_chance[from + i][c] += ds * passes[c];
                }
            }
    }
    for (int i = 0; i < PEOPLE; i++)
        for (int c = 0; c < 3; c++) {
            double d = (ill[i] > 0.5 ? d_chance[i][c] : -d_chance[i][c]) * p[i][c] * (1 - p[i][c]);
            g[1] += d;
            g[2] += c * d;
            if (c == 1) g[3] += d;
            g[4] += d * age[i];
            g[5] += d * sex[i];
        }
    g[0] = (2 * (q - 1) * d_prior[0] + 2 * (1 - 2 * q) * d_prior[1] + 2 * q * d_prior[2]) * q * (1 - q);
    out[0] = value;
}
