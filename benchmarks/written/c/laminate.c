// The angles and thicknesses of the plies of a carbon laminate, light and far from failure.
// In: the angles, the thicknesses, then three forces and three moments for each load.
#include "program.h"
#include <math.h>

static const double E1 = 135, E2 = 10, G12 = 5, nu12 = 0.3, XT = 1.5, XC = 1.2, YT = 0.05, YC = 0.25, S = 0.07;
static const double sharp = 20, density = 0.16;

static double q[PLIES][3][3], top[PLIES], bottom[PLIES], index[CASES][2][PLIES];

// The inverse of a matrix of six rows, by elimination with pivoting.
static void inverse(double a[6][6], double x[6][6]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) x[i][j] = i == j;
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (best != k)
            for (int j = 0; j < 6; j++) {
                double t = a[k][j], u = x[k][j];
                a[k][j] = a[best][j];
                a[best][j] = t;
                x[k][j] = x[best][j];
                x[best][j] = u;
            }
        double f = 1 / a[k][k];
        for (int j = 0; j < 6; j++) {
            a[k][j] *= f;
            x[k][j] *= f;
        }
        for (int i = 0; i < 6; i++)
            if (i != k) {
                double f = a[i][k];
                for (int j = 0; j < 6; j++) {
                    a[i][j] -= f * a[k][j];
                    x[i][j] -= f * x[k][j];
                }
            }
    }
}

void adjoint(const double *restrict in, double *restrict out) {
    const double *angle = in, *thickness = in + PLIES, *loads = in + 2 * PLIES;
    const double nu21 = nu12 * E2 / E1, Q11 = E1 / (1 - nu12 * nu21), Q22 = E2 / (1 - nu12 * nu21);
    const double Q12 = nu12 * E2 / (1 - nu12 * nu21), Q66 = G12;
    const double U1 = (3 * Q11 + 3 * Q22 + 2 * Q12 + 4 * Q66) / 8, U2 = (Q11 - Q22) / 2;
    const double U3 = (Q11 + Q22 - 2 * Q12 - 4 * Q66) / 8, U4 = (Q11 + Q22 + 6 * Q12 - 4 * Q66) / 8;
    const double U5 = (Q11 + Q22 - 2 * Q12 + 4 * Q66) / 8;
    const double F1 = 1 / XT - 1 / XC, F2 = 1 / YT - 1 / YC, F11 = 1 / (XT * XC), F22 = 1 / (YT * YC);
    const double F66 = 1 / (S * S), F12 = -0.5 * sqrt(F11 * F22);
    double *d_angle = out + 1, *d_thickness = out + 1 + PLIES, all = 0;
    double m[6][6] = {{0}}, x[6][6], response[CASES][6], d_response[CASES][6] = {{0}};
    double d_top[PLIES] = {0}, d_bottom[PLIES] = {0}, most = -INFINITY, total = 0;
    for (int k = 0; k < PLIES; k++) all += thickness[k];
    for (int k = 0; k < PLIES; k++) {
        bottom[k] = k ? top[k - 1] : -0.5 * all;
        top[k] = bottom[k] + thickness[k];
        double c2 = cos(2 * angle[k]), s2 = sin(2 * angle[k]), c4 = cos(4 * angle[k]), s4 = sin(4 * angle[k]);
        q[k][0][0] = U1 + U2 * c2 + U3 * c4;
        q[k][1][1] = U1 - U2 * c2 + U3 * c4;
        q[k][0][1] = q[k][1][0] = U4 - U3 * c4;
        q[k][2][2] = U5 - U3 * c4;
        q[k][0][2] = q[k][2][0] = 0.5 * U2 * s2 + U3 * s4;
        q[k][1][2] = q[k][2][1] = 0.5 * U2 * s2 - U3 * s4;
        double w0 = thickness[k], w1 = (top[k] * top[k] - bottom[k] * bottom[k]) / 2;
        double w2 = (top[k] * top[k] * top[k] - bottom[k] * bottom[k] * bottom[k]) / 3;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                m[i][j] += w0 * q[k][i][j];
                m[i][j + 3] += w1 * q[k][i][j];
                m[i + 3][j] += w1 * q[k][i][j];
                m[i + 3][j + 3] += w2 * q[k][i][j];
            }
    }
    inverse(m, x);
    for (int n = 0; n < CASES; n++)
        for (int j = 0; j < 6; j++) {
            response[n][j] = 0;
            for (int i = 0; i < 6; i++) response[n][j] += loads[6 * n + i] * x[i][j];
        }
    for (int k = 0; k < PLIES; k++) {
        double c = cos(angle[k]), s = sin(angle[k]);
        for (int n = 0; n < CASES; n++)
            for (int f = 0; f < 2; f++) {
                double z = f ? top[k] : bottom[k], *e = response[n];
                double ex = e[0] + z * e[3], ey = e[1] + z * e[4], gxy = e[2] + z * e[5];
                double e1 = c * c * ex + s * s * ey + c * s * gxy, e2 = s * s * ex + c * c * ey - c * s * gxy;
                double g12 = 2 * c * s * (ey - ex) + (c * c - s * s) * gxy;
                double s1 = Q11 * e1 + Q12 * e2, s2 = Q12 * e1 + Q22 * e2, s12 = Q66 * g12;
                index[n][f][k] = F1 * s1 + F2 * s2 + F11 * s1 * s1 + F22 * s2 * s2 + F66 * s12 * s12
                    + 2 * F12 * s1 * s2;
                most = fmax(most, index[n][f][k]);
            }
    }
    for (int n = 0; n < CASES; n++)
        for (int f = 0; f < 2; f++)
            for (int k = 0; k < PLIES; k++) {
                index[n][f][k] = exp(sharp * (index[n][f][k] - most));
                total += index[n][f][k];
            }
    out[0] = density * all + most + log(total) / sharp;

    for (int k = 0; k < PLIES; k++) {
        double c = cos(angle[k]), s = sin(angle[k]), dc = 0, ds = 0;
        for (int n = 0; n < CASES; n++)
            for (int f = 0; f < 2; f++) {
                double z = f ? top[k] : bottom[k], *e = response[n], d = index[n][f][k] / total;
                double ex = e[0] + z * e[3], ey = e[1] + z * e[4], gxy = e[2] + z * e[5];
                double e1 = c * c * ex + s * s * ey + c * s * gxy, e2 = s * s * ex + c * c * ey - c * s * gxy;
                double g12 = 2 * c * s * (ey - ex) + (c * c - s * s) * gxy;
                double s1 = Q11 * e1 + Q12 * e2, s2 = Q12 * e1 + Q22 * e2, s12 = Q66 * g12;
                double d_s1 = d * (F1 + 2 * F11 * s1 + 2 * F12 * s2), d_s2 = d * (F2 + 2 * F22 * s2 + 2 * F12 * s1);
                double d_e1 = Q11 * d_s1 + Q12 * d_s2, d_e2 = Q12 * d_s1 + Q22 * d_s2, d_g = 2 * d * F66 * s12 * Q66;
                double d_ex = c * c * d_e1 + s * s * d_e2 - 2 * c * s * d_g;
                double d_ey = s * s * d_e1 + c * c * d_e2 + 2 * c * s * d_g;
                double d_gxy = c * s * (d_e1 - d_e2) + (c * c - s * s) * d_g;
                dc += d_e1 * (2 * c * ex + s * gxy) + d_e2 * (2 * c * ey - s * gxy)
                    + d_g * (2 * s * (ey - ex) + 2 * c * gxy);
                ds += d_e1 * (2 * s * ey + c * gxy) + d_e2 * (2 * s * ex - c * gxy)
                    + d_g * (2 * c * (ey - ex) - 2 * s * gxy);
                d_response[n][0] += d_ex;
                d_response[n][1] += d_ey;
                d_response[n][2] += d_gxy;
                d_response[n][3] += z * d_ex;
                d_response[n][4] += z * d_ey;
                d_response[n][5] += z * d_gxy;
                *(f ? d_top + k : d_bottom + k) += d_ex * e[3] + d_ey * e[4] + d_gxy * e[5];
            }
        d_angle[k] = ds * c - dc * s;
    }
    // The cotangent of the inverse is the outer product of loads and responses; that of the matrix -x' (..) x'.
    double dx[6][6] = {{0}}, half[6][6], dm[6][6];
    for (int n = 0; n < CASES; n++)
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) dx[i][j] += loads[6 * n + i] * d_response[n][j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            half[i][j] = 0;
            for (int l = 0; l < 6; l++) half[i][j] += x[l][i] * dx[l][j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            dm[i][j] = 0;
            for (int l = 0; l < 6; l++) dm[i][j] -= half[i][l] * x[j][l];
        }
    double d_all = density;
    for (int k = PLIES - 1; k >= 0; k--) {
        double w0 = thickness[k], w1 = (top[k] * top[k] - bottom[k] * bottom[k]) / 2, dw0 = 0, dw1 = 0, dw2 = 0;
        double w2 = (top[k] * top[k] * top[k] - bottom[k] * bottom[k] * bottom[k]) / 3, dq[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double a = dm[i][j], b = dm[i][j + 3] + dm[i + 3][j], d = dm[i + 3][j + 3];
                dw0 += a * q[k][i][j];
                dw1 += b * q[k][i][j];
                dw2 += d * q[k][i][j];
                dq[i][j] = a * w0 + b * w1 + d * w2;
            }
        d_top[k] += dw1 * top[k] + dw2 * top[k] * top[k];
        d_bottom[k] -= dw1 * bottom[k] + dw2 * bottom[k] * bottom[k];
        double c2 = cos(2 * angle[k]), s2 = sin(2 * angle[k]), c4 = cos(4 * angle[k]), s4 = sin(4 * angle[k]);
        double d12 = dq[0][1] + dq[1][0], d16 = dq[0][2] + dq[2][0], d26 = dq[1][2] + dq[2][1];
        double dc2 = U2 * (dq[0][0] - dq[1][1]), dc4 = U3 * (dq[0][0] + dq[1][1] - d12 - dq[2][2]);
        double ds2 = 0.5 * U2 * (d16 + d26), ds4 = U3 * (d16 - d26);
        d_angle[k] += 2 * (ds2 * c2 - dc2 * s2) + 4 * (ds4 * c4 - dc4 * s4);
        d_thickness[k] = dw0 + d_top[k];
        d_bottom[k] += d_top[k];
        if (k) d_top[k - 1] += d_bottom[k];
        else d_all -= 0.5 * d_bottom[0];
    }
    for (int k = 0; k < PLIES; k++) d_thickness[k] += d_all;
}
