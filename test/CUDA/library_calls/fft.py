"""Calls of cuFFT: transforms of all types, batched, of one to three dimensions."""
import ctypes

import numpy as np

from .cases import calls
from .device import Handle, Library, compare

# cufftType: from and to, which NumPy's transform it is, and the letters of its types.
KINDS = {"C2C": (0x29, "fftn", "c", "c"), "R2C": (0x2A, "rfftn", "s", "c"), "C2R": (0x2C, "irfftn", "c", "s"),
         "Z2Z": (0x69, "fftn", "z", "z"), "D2Z": (0x6A, "rfftn", "d", "z"), "Z2D": (0x6C, "irfftn", "z", "d")}
ALL = "C2C R2C C2R Z2Z D2Z Z2D"
FORWARD, INVERSE = -1, 1
BATCHES = 3


def transform(device, kind, shape, direction=FORWARD):
    """A batch of transforms against NumPy's in double precision."""
    number, name, source, target = KINDS[kind]
    if direction == INVERSE:
        name = "ifftn"
    # Ours takes the place of NVIDIA's by its name.
    call, plan = Library("libcufft.so.12"), Handle(ctypes.c_int)
    half = (*shape[:-1], shape[-1] // 2 + 1)
    sizes = half if name == "irfftn" else shape
    given = device.uniform(source, BATCHES * int(np.prod(sizes)))
    values = given.values.reshape(BATCHES, *sizes)
    axes = tuple(range(1, len(shape) + 1))
    if name == "irfftn":  # What the spectrum of real numbers cannot have is not looked at.
        values = np.fft.rfftn(np.fft.irfftn(values, shape, axes), None, axes)
        given = device.array(values.reshape(-1), source)
        values = given.values.reshape(BATCHES, *sizes)
    expected = getattr(np.fft, name)(values, shape if name == "irfftn" else None, axes)
    if name in ("ifftn", "irfftn"):
        expected = expected * np.prod(shape)
    made = device.zeros(target, expected.size)
    place = np.array(shape, np.int32)
    call("cufftPlanMany", plan, len(shape), place, None, 1, 0, None, 1, 0, number, BATCHES)
    to = [direction] if kind in ("C2C", "Z2Z") else []
    call("cufftExec" + kind, plan.cell, given, made, *to)
    device.runtime("cudaDeviceSynchronize")
    call("cufftDestroy", plan.cell)
    compare("the transform", made.get().reshape(expected.shape), expected, target)


@calls("cuFFT", "Exec<t>, 256", ALL)
def power_of_two(device, kind):
    transform(device, kind, (256,))


@calls("cuFFT", "Exec<t>, 210", ALL)
def small_primes(device, kind):
    transform(device, kind, (210,))


@calls("cuFFT", "Exec<t>, 1009", ALL)
def prime(device, kind):
    transform(device, kind, (1009,))


@calls("cuFFT", "Exec<t>, 12000", ALL)
def long(device, kind):
    transform(device, kind, (12000,))


@calls("cuFFT", "Exec<t>, 12 x 17", ALL)
def plane(device, kind):
    transform(device, kind, (12, 17))


@calls("cuFFT", "Exec<t>, 6 x 5 x 8", ALL)
def space(device, kind):
    transform(device, kind, (6, 5, 8))


@calls("cuFFT", "Exec<t>, 60, inverse", "C2C Z2Z")
def inverse(device, kind):
    transform(device, kind, (60,), INVERSE)
