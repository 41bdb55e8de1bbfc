// A filter of coils and capacitors that shall pass some frequencies and stop others.
// In: the logarithms of the coils and of the capacitors, then the frequencies, what is wanted there, and the weights.
#include "program.h"
#include <math.h>

void adjoint(const double *restrict in, double *restrict out) {
    const double *frequencies = in + 2 * SECTIONS, *wanted = frequencies + POINTS, *weights = wanted + POINTS;
    const double quality = 120, decibel = 10 / log(10);
    double coil[SECTIONS], capacitor[SECTIONS], value = 0, *d_coil = out + 1, *d_capacitor = out + 1 + SECTIONS;
    double v_re[SECTIONS], v_im[SECTIONS], a_re[SECTIONS], a_im[SECTIONS];  // before the capacitor, and behind it
    for (int k = 0; k < SECTIONS; k++) {
        coil[k] = exp(in[k]);
        capacitor[k] = exp(in[SECTIONS + k]);
        d_coil[k] = d_capacitor[k] = 0;
    }
    for (int i = 0; i < POINTS; i++) {
        double w = frequencies[i], vr = 1, vi = 0, ar = 1, ai = 0;
        for (int k = SECTIONS - 1; k >= 0; k--) {
            double y = w * capacitor[k], r = coil[k] / quality, z = w * coil[k];
            v_re[k] = vr;
            v_im[k] = vi;
            ar -= y * vi;
            ai += y * vr;
            a_re[k] = ar;
            a_im[k] = ai;
            vr += r * ar - z * ai;
            vi += r * ai + z * ar;
        }
        double re = vr + ar, im = vi + ai, power = re * re + im * im;
        double over = decibel * log(4 / power) - wanted[i];
        if (wanted[i] < -3) over = fmax(over, 0);
        value += weights[i] * over * over;
        double d_power = -2 * weights[i] * over * decibel / power / POINTS;
        double dvr = 2 * d_power * re, dvi = 2 * d_power * im, dar = dvr, dai = dvi;
        for (int k = 0; k < SECTIONS; k++) {
            double y = w * capacitor[k], r = coil[k] / quality, z = w * coil[k];
            double dr = dvr * a_re[k] + dvi * a_im[k], dz = dvi * a_re[k] - dvr * a_im[k];
            dar += r * dvr + z * dvi;
            dai += r * dvi - z * dvr;
            double dy = dai * v_re[k] - dar * v_im[k];
            dvr += y * dai;
            dvi -= y * dar;
            d_coil[k] += dr / quality + dz * w;
            d_capacitor[k] += dy * w;
        }
    }
    for (int k = 0; k < SECTIONS; k++) {
        d_coil[k] *= coil[k];
        d_capacitor[k] *= capacitor[k];
    }
    out[0] = value / POINTS;
}
