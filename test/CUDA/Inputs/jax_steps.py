"""A few programs of JAX, each against what NumPy says. Usage: jax_steps.py"""

import sys

import jax
import jax.numpy as jnp
import numpy as np


def main():
    device = jax.devices()[0]
    print("device:", device.platform, device.device_kind)
    x = np.arange(8, dtype=np.float32)
    y = np.array([3, 1, 2, 5, 4])
    steps = {
        "jit": (jax.jit(lambda v: jnp.sin(v) * 2 + v)(x), np.sin(x) * 2 + x),
        "grad": (jax.grad(lambda v: (v**3).sum())(x), 3 * x**2),
        "sort": (jnp.sort(y), np.sort(y)),
        "product": (jnp.outer(x, x) @ x, np.outer(x, x) @ x),
        "where": (jnp.where(x > 3, x, -x), np.where(x > 3, x, -x)),
    }
    wrong = [name for name, (ours, theirs) in steps.items()
             if not np.allclose(ours, theirs, rtol=1e-5)]
    print("FAIL: %s" % " ".join(wrong) if wrong else "PASS")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
