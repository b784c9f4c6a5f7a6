"""Images, samplers and lookups by docs/isa/texture-objects.md, for the tests.

Written from the page alone: positions and weights are exact rationals, sums are
doubles (which is what the page prescribes), results are rounded to f32 by struct.
"""
import math
import random
import struct
from fractions import Fraction

FORMATS = {
    # name: (bits, kind)
    "u8": (8, "u"), "u16": (16, "u"), "u32": (32, "u"),
    "s8": (8, "s"), "s16": (16, "s"), "s32": (32, "s"),
    "unorm8": (8, "un"), "unorm16": (16, "un"),
    "snorm8": (8, "sn"), "snorm16": (16, "sn"),
    "f16": (16, "f"), "f32": (32, "f"),
}
DIMENSIONS = {"1d": 1, "a1d": 1, "3d": 3}
DATA_TYPES = {"u8": 0x10DA, "u16": 0x10DB, "u32": 0x10DC, "s8": 0x10D7, "s16": 0x10D8,
              "s32": 0x10D9, "unorm8": 0x10D2, "unorm16": 0x10D3, "snorm8": 0x10D0,
              "snorm16": 0x10D1, "f16": 0x10DD, "f32": 0x10DE}


def f32_bits(x):
    """Rounds to nearest even; NaN is the canonical one."""
    if math.isnan(x):
        return 0x7FFFFFFF
    try:
        return struct.unpack("<I", struct.pack("<f", x))[0]
    except OverflowError:
        return 0xFF800000 if x < 0 else 0x7F800000


def f32_value(bits):
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


def f32(x):
    return f32_value(f32_bits(x))


def align(n, to):
    return (n + to - 1) // to * to


class Image:
    """Texels of a seeded random image, level by level, in the page's layout."""

    def __init__(self, geometry, fmt, channels, size, seed, levels=0, samples=0,
                 normalized=False):
        self.geometry, self.format, self.channels = geometry, fmt, channels
        self.size = tuple(size) + (1,) * (3 - len(size))
        self.levels, self.samples, self.normalized = levels, samples, normalized
        self.bits, self.kind = FORMATS[fmt]
        rng = random.Random(seed)
        self.data = bytearray()
        self.places = []
        for level in range(max(levels, 1)):
            w, h, d = self.extents(level)
            row = w * max(samples, 1) * self.texel_bytes()
            if level:
                self.data += bytes(align(len(self.data), 256) - len(self.data))
                row = align(row, 32)
            self.places.append((len(self.data), row, row * h))
            for _ in range(row * h * d // (self.bits // 8)):
                self.data += self.random_component(rng)

    def random_component(self, rng):
        if self.format == "f32":
            return struct.pack("<f", rng.choice([rng.uniform(-4, 4), rng.randrange(-8, 8)]))
        if self.format == "f16":
            return struct.pack("<e", rng.uniform(-4, 4))
        return rng.getrandbits(self.bits).to_bytes(self.bits // 8, "little")

    def texel_bytes(self):
        return self.bits // 8 * self.channels

    def extents(self, level):
        w, h, d = self.size
        half = lambda n: max(n >> level, 1)
        return half(w), half(h), half(d) if self.geometry == "3d" else d

    def is_integer(self):
        return self.kind in "us"

    def decode(self, raw):
        if self.format == "f32":
            return raw
        if self.format == "f16":
            return f32_bits(struct.unpack("<e", struct.pack("<H", raw))[0])
        signed = raw - (1 << self.bits) if raw >> (self.bits - 1) else raw
        if self.kind == "u":
            return raw
        if self.kind == "s":
            return signed & 0xFFFFFFFF
        if self.kind == "un":
            return f32_bits(round_to_f32(Fraction(raw, (1 << self.bits) - 1)))
        return f32_bits(round_to_f32(max(Fraction(signed, (1 << (self.bits - 1)) - 1),
                                         Fraction(-1))))

    def texel(self, level, x, y, z, sample=0):
        base, row, layer = self.places[level]
        at = base + z * layer + y * row + (x * max(self.samples, 1) + sample) * self.texel_bytes()
        result = [0, 0, 0, 1 if self.is_integer() else 0x3F800000]
        size = self.bits // 8
        for n in range(self.channels):
            raw = int.from_bytes(self.data[at + n * size:at + (n + 1) * size], "little")
            result[n] = self.decode(raw)
        return result

    def manifest(self, buffer):
        return {"buffer": buffer, "geometry": self.geometry, "format": self.format,
                "channels": self.channels, "size": list(self.size), "levels": self.levels,
                "samples": self.samples, "normalized": self.normalized}


def round_to_f32(x):
    """A Fraction in [-1, 1] to the nearest f32, ties to even."""
    if x == 0:
        return 0.0
    exponent = 0
    while abs(x) * Fraction(2) ** -exponent < 1:
        exponent -= 1
    while abs(x) * Fraction(2) ** -exponent >= 2:
        exponent += 1
    unit = Fraction(2) ** (exponent - 23)
    return float(round(x / unit) * unit)


class Sampler:
    def __init__(self, filter="nearest", address=("clamp_to_edge",) * 3, mip_filter="nearest",
                 compare="le", border=(0, 0, 0, 0), lod=(0, 255), bias=0, unnormalized=False):
        self.filter, self.address = filter, tuple(address)
        self.mip_filter, self.compare, self.border = mip_filter, compare, border
        self.lod, self.bias, self.unnormalized = lod, bias, unnormalized

    def manifest(self):
        return {"filter": self.filter, "address": list(self.address),
                "mip_filter": self.mip_filter, "compare": self.compare,
                "border": ["0x%08x" % f32_bits(b) for b in self.border],
                "lod": list(self.lod), "bias": self.bias, "unnormalized": self.unnormalized}


def position(s, n, mode, linear, normalized, offset):
    """(first texel, weight of the next, addressing) along an axis."""
    if math.isnan(s):
        s = 0.0
    if normalized:
        u = Fraction(s) * n if math.isfinite(s) else math.copysign(2 ** 40, s)
    else:
        u = Fraction(s) if math.isfinite(s) else math.copysign(2 ** 40, s)
        if mode in ("wrap", "mirror"):
            mode = "clamp_to_edge"
    u = max(min(Fraction(u), Fraction(2 ** 31 - 1)), Fraction(-2 ** 31))
    if mode == "clamp_ogl":
        u = max(min(u, Fraction(n)), Fraction(0))
        mode = "clamp_to_border" if linear else "clamp_to_edge"
    if not linear:
        return math.floor(u) + offset, Fraction(0), mode
    v = math.floor((u - Fraction(1, 2)) * 256 + Fraction(1, 2))
    return v // 256 + offset, Fraction(v % 256, 256), mode


def address(i, n, mode):
    if mode == "wrap":
        return i % n
    if mode == "mirror":
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if mode == "clamp_to_edge":
        return min(max(i, 0), n - 1)
    return i if 0 <= i < n else None


COMPARISONS = {"never": lambda a, b: False, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b,
               "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
               "ne": lambda a, b: a < b or a > b, "ge": lambda a, b: a >= b,
               "always": lambda a, b: not (math.isnan(a) or math.isnan(b))}


class Lookup:
    def __init__(self, image, sampler, coords, integer=False, level=None, gradients=None,
                 offsets=(), depth=None):
        """coords in PTX's order: integers, or the bits of f32."""
        self.image, self.sampler, self.integer = image, sampler, integer
        self.level, self.gradients, self.offsets, self.depth = level, gradients, offsets, depth
        coords = list(coords)
        geometry = image.geometry
        self.layer = self.sample = 0
        cube = geometry in ("cube", "acube")
        if geometry in ("a1d", "a2d", "acube", "a2dms"):
            self.layer = coords.pop(0)
        if geometry in ("2dms", "a2dms"):
            self.sample = coords.pop(0)
        self.dims = DIMENSIONS.get(geometry, 2)
        unit = 6 if cube else 1
        self.layer = min(self.layer, max(image.size[2] // unit, 1) - 1) * unit \
            if geometry != "3d" else 0
        self.modes = sampler.address + ("clamp_to_edge",) * 3
        self.normalized = image.normalized and not sampler.unnormalized
        if cube:
            self.project([f32_value(c) for c in coords[:3]])
            self.modes, self.normalized = ("clamp_to_edge",) * 3, True
        elif integer:
            self.place = [c - (1 << 32) if c >> 31 else c for c in coords]
        else:
            self.place = [f32_value(c) for c in coords]

    def project(self, p):
        magnitudes = [abs(c) for c in p]
        axis = max((2, 1, 0), key=lambda n: magnitudes[n])
        negative = math.copysign(1, p[axis]) < 0
        face = 2 * axis + negative
        self.layer += face

        def on_face(v):
            x, y, z = v[:3]
            table = {0: (-z, -y, x), 1: (z, -y, -x), 2: (x, z, y), 3: (x, -z, -y),
                     4: (x, -y, z), 5: (-x, -y, -z)}
            return table[face]

        sc, tc, m = on_face(p)
        self.place = [f32(f32(f32(c / m) + 1) / 2) for c in (sc, tc)]
        if self.gradients:
            projected = []
            for gradient in self.gradients:
                dsc, dtc, dm = on_face(gradient)
                square = f32(m * m)
                projected.append([
                    f32(f32(f32(f32(d * m) - f32(c * dm)) / square) / 2)
                    for d, c in ((dsc, sc), (dtc, tc))])
            self.gradients = projected

    def offset(self, n):
        return self.offsets[n] if n < len(self.offsets) else 0

    def compared(self, texel):
        if self.depth is None:
            return texel
        passes = COMPARISONS[self.sampler.compare](self.depth, f32_value(texel[0]))
        return [0x3F800000 if passes else 0] * 4

    def corner(self, level, axes, bits):
        extents = self.image.extents(level)
        index = [0, 0, self.layer]
        for n, (first, _, mode) in enumerate(axes):
            index[n] = address(first + (bits >> n & 1), extents[n], mode)
            if index[n] is None:
                return self.compared([f32_bits(b) for b in self.sampler.border])
        return self.compared(self.image.texel(level, *index))

    def axes(self, level, linear):
        extents = self.image.extents(level)
        return [position(self.place[n], extents[n], self.modes[n], linear, self.normalized,
                         self.offset(n)) for n in range(self.dims)]

    def filtered(self, level):
        linear = self.sampler.filter == "linear"
        axes = self.axes(level, linear)
        total = [0.0] * 4
        for bits in range(1 << self.dims if linear else 1):
            weight = Fraction(1)
            for n, (_, fraction, _) in enumerate(axes):
                weight *= fraction if bits >> n & 1 else 1 - fraction
            if weight == 0:
                continue
            texel = self.corner(level, axes, bits)
            for n in range(4):
                total[n] += f32_value(texel[n]) * float(weight)
        return total

    def level_of_detail(self):
        if self.level is not None:
            fixed = 0 if math.isnan(self.level) else \
                round(Fraction(max(min(self.level, 4096.0), -4096.0)) * 256)
        else:
            largest = 0.0
            for gradient in self.gradients:
                total = 0.0
                for n in range(self.dims):
                    g = f32(gradient[n] * self.image.size[n]) if self.normalized else gradient[n]
                    total = f32(total + f32(g * g))
                largest = max(largest, total)
            if largest <= 0:
                fixed = -10 ** 6
            elif math.isinf(largest):
                fixed = 10 ** 6
            else:
                fixed = math.floor(128 * math.log2(largest))
        fixed += round(self.sampler.bias * 256)
        low, high = (round(l * 256) for l in self.sampler.lod)
        fixed = min(max(fixed, low), high)
        return min(max(fixed, 0), (max(self.image.levels, 1) - 1) * 256)

    def run(self):
        if self.integer:
            return self.fetch()
        fixed = 0 if self.level is None and not self.gradients else self.level_of_detail()
        blends = self.sampler.mip_filter == "linear" and not self.image.is_integer()
        level = fixed >> 8 if blends else (fixed + 128) >> 8
        rest = Fraction(fixed % 256, 256) if blends else 0
        if self.image.is_integer() or (self.sampler.filter == "nearest" and rest == 0):
            return self.corner(level, self.axes(level, False), 0)
        total = self.filtered(level)
        if rest:
            other = self.filtered(level + 1)
            total = [a * float(1 - rest) + b * float(rest) for a, b in zip(total, other)]
        return [f32_bits(t) for t in total]

    def fetch(self):
        level = self.level or 0
        if not 0 <= level < max(self.image.levels, 1):
            return [0] * 4
        extents = self.image.extents(level)
        index = [0, 0, self.layer]
        for n in range(self.dims):
            index[n] = self.place[n] + self.offset(n)
            if not 0 <= index[n] < extents[n]:
                return [0] * 4
        if self.sample >= max(self.image.samples, 1):
            return [0] * 4
        return self.image.texel(level, *index, self.sample)

    def gather(self, component):
        axes = self.axes(0, True)
        return [self.corner(0, axes, bits)[component] for bits in (2, 3, 1, 0)]
