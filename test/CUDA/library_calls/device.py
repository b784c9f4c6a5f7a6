"""Arrays on the device and calls of C functions, for tests of NVIDIA's libraries.

A call passes Python's numbers as int, NumPy's arrays as pointers to the host's
memory and Arrays as pointers to the device's. A status other than 0 is a Failure.
"""
import ctypes
import glob
import os

import numpy as np

# Letters of BLAS functions, and of types that NumPy lacks: bfloat16 (b), and the
# two of eight bits (e: 4 bits of exponent, f: 5).
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128,
         "h": np.float16, "b": np.uint16, "e": np.uint8, "f": np.uint8,
         "i": np.int32, "k": np.int8}
# cudaDataType_t.
DATA_TYPES = {"s": 0, "d": 1, "h": 2, "k": 3, "c": 4, "z": 5, "i": 10, "b": 14,
              "e": 28, "f": 29}
# What one rounding may do, relative to the largest value.
EPSILONS = {"s": 2.0**-23, "d": 2.0**-52, "c": 2.0**-23, "z": 2.0**-52, "h": 2.0**-10,
            "b": 2.0**-7, "e": 2.0**-3, "f": 2.0**-2, "i": 0.0, "k": 0.0}


class Failure(Exception):
    """A function returned a status that is not 0."""


class Wrong(Exception):
    """A result is not what the reference gives."""


def byte_table(exponent_bits):
    """The values of an 8-bit floating type by their bits."""
    mantissa_bits = 7 - exponent_bits
    bias = 2 ** (exponent_bits - 1) - 1
    values = np.zeros(256)
    for bits in range(256):
        exponent = (bits >> mantissa_bits) & (2**exponent_bits - 1)
        mantissa = (bits & (2**mantissa_bits - 1)) / 2**mantissa_bits
        scale = 2.0 ** (max(exponent, 1) - bias)
        values[bits] = (-1) ** (bits >> 7) * scale * (mantissa + (exponent > 0))
    return values


BYTE_TABLES = {"e": byte_table(4), "f": byte_table(5)}


def encode(values, letter):
    """Values as the type of a letter stores them."""
    values = np.asarray(values)
    if letter == "b":
        bits = values.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    if letter in BYTE_TABLES:
        finite = BYTE_TABLES[letter][:120]
        nearest = np.abs(np.abs(values)[..., None] - finite).argmin(axis=-1)
        return (nearest + 128 * (values < 0)).astype(np.uint8)
    return values.astype(TYPES[letter])


def decode(stored, letter):
    """The values of what encode stores, wide enough to compute with."""
    if letter == "b":
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if letter in BYTE_TABLES:
        return BYTE_TABLES[letter][stored]
    if letter in "cz":
        return stored.astype(np.complex128)
    return stored.astype(np.int64 if letter in "ik" else np.float64)


class Array:
    """An array on the device, in column-major order, with its values on the host."""

    def __init__(self, device, values, letter):
        self.device, self.letter = device, letter
        self.stored = np.asfortranarray(encode(values, letter))
        self.values = decode(self.stored, letter)
        self.address = device.put(self.stored)

    def get(self):
        """What the device has there now."""
        return decode(self.device.take(self.address, self.stored), self.letter)


class Handle:
    """A place that a library writes a pointer or a number to."""

    def __init__(self, kind=ctypes.c_void_p, value=None):
        self.cell = kind(value) if value is not None else kind()

    @property
    def value(self):
        return self.cell.value


class Long(int):
    """An argument of 64 bits."""


class Float(float):
    """A float that is passed by value."""


def argument(value):
    if isinstance(value, Long):
        return ctypes.c_int64(value)
    if isinstance(value, Float):
        return ctypes.c_float(value)
    if isinstance(value, (bool, int, np.integer)):
        return ctypes.c_int(int(value))
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, Array):
        return ctypes.c_void_p(value.address)
    if isinstance(value, Handle):
        return ctypes.byref(value.cell)
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return value


class Library:
    """A shared library whose functions return a status."""

    def __init__(self, path):
        self.loaded = ctypes.CDLL(path)

    def __call__(self, name, *arguments):
        status = self.raw(name, *arguments)
        if status:
            raise Failure("%s returns %d" % (name, status))

    def raw(self, name, *arguments):
        return getattr(self.loaded, name)(*map(argument, arguments))


def find_library(packages, pattern):
    """The newest file of a name below a folder of Python packages."""
    found = glob.glob(os.path.join(packages, "nvidia", "**", "lib", pattern), recursive=True)
    if not found:
        raise SystemExit("no %s below %s" % (pattern, packages))
    return sorted(found)[-1]


class Device:
    """The device's memory, by the runtime."""

    def __init__(self, packages):
        self.packages = packages
        self.runtime = Library("libcudart.so.13")
        self.random = np.random.default_rng(20)

    def library(self, pattern):
        return Library(find_library(self.packages, pattern))

    def allocate(self, size):
        place = Handle()
        self.runtime("cudaMalloc", place, Long(max(size, 16)))
        return place.value

    def put(self, stored):
        address = self.allocate(stored.nbytes)
        self.runtime("cudaMemcpy", ctypes.c_void_p(address), stored, Long(stored.nbytes), 1)
        return address

    def take(self, address, like):
        result = np.empty_like(like)
        self.runtime("cudaMemcpy", result, ctypes.c_void_p(address), Long(like.nbytes), 2)
        return result

    def array(self, values, letter):
        return Array(self, values, letter)

    def uniform(self, letter, *shape):
        """Random values of a type, between -1 and 1; small whole ones of integers."""
        if letter in "ik":
            return self.array(self.random.integers(-4, 5, shape), letter)
        values = self.random.uniform(-1, 1, shape)
        if letter in "cz":
            values = values + 1j * self.random.uniform(-1, 1, shape)
        return self.array(values, letter)

    def zeros(self, letter, *shape):
        return self.array(np.zeros(shape), letter)

    def pointers(self, arrays):
        """The addresses of arrays, on the device."""
        addresses = np.array([a.address for a in arrays], np.uint64)
        return ctypes.c_void_p(self.put(addresses))


def scalar(value, letter):
    """A number in the host's memory."""
    return encode(np.array([value]), letter)


def compare(name, got, expected, letter, roundings=32, scale=None):
    """Raises Wrong where a result is further off than so many roundings allow."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape:
        raise Wrong("%s has shape %s, not %s" % (name, got.shape, expected.shape))
    if not got.size:
        return
    if not np.isfinite(got).all():
        raise Wrong("%s is not finite" % name)
    size = max(np.abs(expected).max(), 1e-30) if scale is None else scale
    worst = np.abs(got - expected).max()
    if worst > roundings * EPSILONS[letter] * size:
        raise Wrong("%s is off by %g of %g" % (name, worst, size))
