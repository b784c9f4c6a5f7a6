"""A blur in two directions that Halide compiles to PTX itself, against NumPy."""
import sys

import halide as hl
import numpy

SIDE = 256


def main():
    image = numpy.random.default_rng(1).random((SIDE, SIDE), numpy.float32)
    x, y, tile_x, tile_y = (hl.Var(name) for name in ("x", "y", "tile_x", "tile_y"))
    clamped = hl.BoundaryConditions.repeat_edge(hl.Buffer(image))
    rows, both = hl.Func("rows"), hl.Func("both")
    rows[x, y] = (clamped[x - 1, y] + clamped[x, y] + clamped[x + 1, y]) / 3
    both[x, y] = (rows[x, y - 1] + rows[x, y] + rows[x, y + 1]) / 3
    both.gpu_tile(x, y, tile_x, tile_y, 16, 16)
    rows.compute_at(both, x).gpu_threads(x, y)
    target = hl.get_host_target().with_feature(hl.TargetFeature.CUDA)
    found = numpy.array(both.realize([SIDE, SIDE], target))
    padded = numpy.pad(image, 1, mode="edge")
    expected = sum(padded[i:i + SIDE, j:j + SIDE] for i in range(3) for j in range(3)) / 9
    is_right = numpy.allclose(found, expected, rtol=1e-5)
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
