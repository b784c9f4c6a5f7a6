"""Fields of Taichi, whose kernels its own compiler makes: functions, atomics and a fractal, each on both processors."""
import sys

import numpy
import taichi as ti

COUNT, SIDE, BINS = 1000, 96, 16


def results(processor):
    ti.init(arch=processor, default_fp=ti.f64, log_level=ti.ERROR)
    values, bins = ti.field(ti.f64, COUNT), ti.field(ti.i32, BINS)
    picture = ti.field(ti.i32, (SIDE, SIDE))

    @ti.kernel
    def fill():
        for i in values:
            values[i] = ti.sin(0.1 * i) + ti.sqrt(ti.cast(i, ti.f64))
            ti.atomic_add(bins[i % BINS], i)

    @ti.kernel
    def total() -> ti.f64:
        result = ti.cast(0, ti.f64)
        for i in values:
            result += values[i]
        return result

    @ti.kernel
    def paint():
        for i, j in picture:
            point = ti.Vector([i * 3.0 / SIDE - 2, j * 2.0 / SIDE - 1], ti.f64)
            z, steps = ti.Vector([0.0, 0.0], ti.f64), 0
            while z.norm_sqr() < 4 and steps < 40:
                z = ti.Vector([z[0] ** 2 - z[1] ** 2, 2 * z[0] * z[1]], ti.f64) + point
                steps += 1
            picture[i, j] = steps

    fill()
    paint()
    return [values.to_numpy(), bins.to_numpy(), numpy.array(total()), picture.to_numpy()]


def main():
    device, host = results(ti.cuda), results(ti.cpu)
    places = numpy.arange(COUNT)
    is_right = (numpy.allclose(device[0], numpy.sin(0.1 * places) + numpy.sqrt(places), rtol=1e-12)
                and numpy.array_equal(device[1], host[1]) and numpy.allclose(device[2], host[2], rtol=1e-12)
                and (device[3] == host[3]).mean() > 0.999)
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
