// The energy of a chain of spins in the state that a quantum circuit makes, a variational eigensolver.
// In: the angles by layer and qubit, then the amplitudes at the start. The first qubit is the highest bit.
// SIGNS are those of a chain of controlled signs, and NEIGHBOURS the sum of the products of spins, by state.
#include "program.h"
#include <math.h>

enum { STATES = 1 << QUBITS };

static double before[LAYERS + 1][QUBITS][STATES];  // each rotation

void adjoint(const double *restrict in, double *restrict out) {
    const double *start = in + (LAYERS + 1) * QUBITS, field = 0.9;
    static double state[STATES], d[STATES];
    double bonds = 0, fields = 0, *g = out + 1;
    for (int k = 0; k < STATES; k++) state[k] = start[k];
    for (int layer = 0; layer <= LAYERS; layer++) {
        if (layer > 0)
            for (int k = 0; k < STATES; k++) state[k] *= SIGNS[k];
        for (int q = 0; q < QUBITS; q++) {
            double half = in[layer * QUBITS + q] / 2, c = cos(half), s = sin(half);
            int stride = 1 << (QUBITS - 1 - q);
            for (int k = 0; k < STATES; k++) before[layer][q][k] = state[k];
            for (int i = 0; i < STATES; i += 2 * stride)
                for (int k = i; k < i + stride; k++) {
                    double down = state[k], up = state[k + stride];
                    state[k] = c * down - s * up;
                    state[k + stride] = s * down + c * up;
                }
        }
    }
    for (int k = 0; k < STATES; k++) {
        double others = 0;
        for (int q = 0; q < QUBITS; q++) others += state[k ^ 1 << q];
        bonds += NEIGHBOURS[k] * state[k] * state[k];
        fields += state[k] * others;
        d[k] = -2 * NEIGHBOURS[k] * state[k] - 2 * field * others;
    }
    out[0] = -bonds - field * fields;
    for (int layer = LAYERS; layer >= 0; layer--) {
        for (int q = QUBITS - 1; q >= 0; q--) {
            double half = in[layer * QUBITS + q] / 2, c = cos(half), s = sin(half), dc = 0, ds = 0;
            const double *b = before[layer][q];
            int stride = 1 << (QUBITS - 1 - q);
            for (int i = 0; i < STATES; i += 2 * stride)
                for (int k = i; k < i + stride; k++) {
                    double d_down = d[k], d_up = d[k + stride], down = b[k], up = b[k + stride];
                    dc += d_down * down + d_up * up;
                    ds += d_up * down - d_down * up;
                    d[k] = c * d_down + s * d_up;
                    d[k + stride] = c * d_up - s * d_down;
                }
            g[layer * QUBITS + q] = 0.5 * (ds * c - dc * s);
        }
        if (layer > 0)
            for (int k = 0; k < STATES; k++) d[k] *= SIGNS[k];
    }
}
