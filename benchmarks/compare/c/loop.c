// Calls an adjoint many times, from a file of its own, so that no compiler sees through the call.
typedef void Adjoint(const double *, double *);

void loop(Adjoint *f, const double *in, double *out, int n) {
    for (int i = 0; i < n; i++) f(in, out);
}
