"""The first program of the web site: the energy of a spring that hangs in the plane, and its gradient."""

import rose
from rose import Real, Vec, fn


@fn
def spring(p: Vec[2]) -> Real:
    """The energy of a spring from 0 to p, of length 1 at rest."""
    return (rose.norm(p) - 1) ** 2


slope = rose.grad(spring)

if __name__ == "__main__":
    module = rose.compile({"spring": spring, "slope": slope})
    print(module.spring([3, 4]), module.slope([3, 4]), len(module.wasm), "bytes")
