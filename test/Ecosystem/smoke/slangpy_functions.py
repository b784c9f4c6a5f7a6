"""A function in Slang, its derivative, which NVRTC compiles."""
import sys

import numpy
import slangpy

SOURCE = """
float polynomial(float x, float a) { return sin(x) * a + x * x; }
[Differentiable] float damped(float x) { return exp(-x) * x; }
float slope(float x) { return bwd_diff_of(x); }
float bwd_diff_of(float x) { DifferentialPair<float> p = diffPair(x, 0.f); bwd_diff(damped)(p, 1.f); return p.d; }
"""


def main():
    device = slangpy.create_device(type=slangpy.DeviceType.cuda)
    module = slangpy.Module(device.load_module_from_source("functions", SOURCE))
    x = numpy.linspace(0, 3, 1000, dtype=numpy.float32)
    values = slangpy.Tensor.from_numpy(device, x)
    is_right = (
        numpy.allclose(module.polynomial(values, 2.0, _result="numpy"), 2 * numpy.sin(x) + x * x, rtol=1e-5)
        and numpy.allclose(module.slope(values, _result="numpy"), numpy.exp(-x) * (1 - x), atol=1e-6))
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
