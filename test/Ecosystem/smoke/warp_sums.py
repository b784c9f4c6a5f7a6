"""A kernel and a gradient of NVIDIA Warp, compared with NumPy."""
import sys

import numpy
import warp

warp.config.quiet = True


@warp.kernel
def squares(x: warp.array(dtype=float), out: warp.array(dtype=float)):
    i = warp.tid()
    warp.atomic_add(out, 0, x[i] * x[i])


def main():
    warp.init()
    numbers = numpy.linspace(-1, 1, 1000, dtype=numpy.float32)
    with warp.ScopedDevice("cuda:0"):
        x = warp.array(numbers, dtype=float, requires_grad=True)
        out = warp.zeros(1, dtype=float, requires_grad=True)
        with warp.Tape() as tape:
            warp.launch(squares, dim=len(numbers), inputs=[x], outputs=[out])
        tape.backward(out)
        is_right = (numpy.allclose(out.numpy()[0], numpy.sum(numbers**2), rtol=1e-4)
                    and numpy.allclose(x.grad.numpy(), 2 * numbers))
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
