"""autograd: NumPy, with a tape that each call records anew."""

from __future__ import annotations

import arrays
import autograd
import autograd.numpy as anp
import numpy as np


def gradient(make):
    def of(p):
        f, data = make(p)
        return autograd.value_and_grad(f), [np.array(xs) for xs in (p["params"], *data)]

    return of


def hessian(make):
    def of(p):
        f, _ = make(p)
        second = autograd.hessian(f)
        return (lambda x: (f(x), second(x))), [np.array(p["params"])]

    return of


FORMS = {
    source: {form: (hessian if source == "hessian" else gradient)(make) for form, make in forms.items()}
    for source, forms in arrays.functions(anp).items()
}
