#!/usr/bin/env python3
"""Writes NAME.ptx, NAME.json and data: make-textures.py OUTPUT-FOLDER.

Textures in every geometry with every filter and address mode, in unified and in
independent mode, against texture_reference.py; surfaces and queries.
"""
import json
import os
import random
import struct
import sys

from texture_reference import (DATA_TYPES, DIMENSIONS, Image, Lookup, Sampler, align, f32_bits,
                               f32_value, round_to_f32)

THREADS = 128
SIZES = {"1d": (19,), "2d": (13, 7), "3d": (5, 6, 7), "a1d": (11, 1, 3), "a2d": (6, 5, 4),
         "cube": (6, 6, 6), "acube": (4, 4, 12), "2dms": (5, 4), "a2dms": (4, 3, 3)}
COORDS = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4,
          "a2dms": 4}
ARRAYS = ("a1d", "a2d", "acube", "a2dms")


class Suite:
    """Kernels that load operands for each thread, look up and store the result."""

    def __init__(self, folder, name, independent=False):
        self.folder, self.name, self.independent = folder, name, independent
        mode = "texmode_independent" if independent else "texmode_unified"
        self.ptx = [".version 8.8\n.target sm_90, %s\n.address_size 64\n" % mode]
        self.rng = random.Random(name)
        self.objects = {"buffers": [], "textures": [], "surfaces": [], "samplers": []}
        self.launches, self.expect = [], []
        self.files = 0

    def save(self, data):
        self.files += 1
        name = "%s-%d.bin" % (self.name, self.files)
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(bytes(data))
        return {"file": name}

    def buffer(self, data):
        name = "b%d" % len(self.objects["buffers"])
        data = bytes(data) + bytes(align(len(data), 16) - len(data))
        self.objects["buffers"].append({"buffer": name, "type": "u8", "count": len(data),
                                        "init": self.save(data)})
        return name

    def texture(self, image, sampler, symbol=None):
        name = "t%d" % len(self.objects["textures"])
        entry = {"texture": name, "image": image.manifest(self.buffer(image.data)),
                 **sampler.manifest()}
        if symbol:
            entry["symbol"] = symbol
        self.objects["textures"].append(entry)
        return name

    def sampler(self, sampler):
        name = "p%d" % len(self.objects["samplers"])
        self.objects["samplers"].append({"sampler": name, **sampler.manifest()})
        return name

    def surface(self, image, symbol=None):
        name = "s%d" % len(self.objects["surfaces"])
        buffer = self.buffer(image.data)
        entry = {"surface": name, "image": image.manifest(buffer)}
        if symbol:
            entry["symbol"] = symbol
        self.objects["surfaces"].append(entry)
        return name, buffer

    def kernel(self, body, operands, results, objects, declarations="", direct=""):
        """Launches `body` over rows of 32-bit operands in %%i0.. and expects the
        rows of results from %%o0...; objects are handles in %%h0.."""
        number = len(self.launches)
        width, out = len(operands[0]), len(results[0])
        lines = [declarations + ".visible .entry k%d(" % number + ", ".join(
            [".param .u64 in", ".param .u64 out"]
            + [".param .u64 h%d" % n for n in range(len(objects))]) + ") {",
            "  .reg .u64 %in, %out, %h<4>; .reg .u32 %t; .reg .b32 %i<24>; .reg .b32 %o<24>;",
            "  .reg .pred %p<2>; .reg .b16 %w<8>; .reg .b64 %q<8>;",
            "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;",
            "  mad.wide.u32 %%in, %%t, %d, %%in; mad.wide.u32 %%out, %%t, %d, %%out;"
            % (4 * width, 4 * out)]
        lines += ["  ld.param.u64 %%h%d, [h%d];" % (n, n) for n in range(len(objects))]
        lines += ["  ld.global.b32 %%i%d, [%%in+%d];" % (n, 4 * n) for n in range(width)]
        lines += ["  " + body]
        lines += ["  st.global.b32 [%%out+%d], %%o%d;" % (4 * n, n) for n in range(out)]
        self.ptx.append("\n".join(lines + ["  exit;", "}"]) + "\n")
        pack = lambda rows: b"".join(struct.pack("<I", v & 0xFFFFFFFF) for r in rows for v in r)
        self.launches.append({
            "entry": "k%d" % number, "grid": [1], "block": [len(operands)],
            "args": [{"buffer": "in%d" % number, "type": "b32", "count": len(operands) * width,
                      "init": self.save(pack(operands))},
                     {"buffer": "out%d" % number, "type": "b32", "count": len(results) * out,
                      "init": "zero"}] + objects})
        self.expect.append({"buffer": "out%d" % number, **self.save(pack(results))})

    def finish(self):
        with open(os.path.join(self.folder, self.name + ".ptx"), "w") as file:
            file.write("".join(self.ptx))
        with open(os.path.join(self.folder, self.name + ".json"), "w") as file:
            json.dump({"module": self.name + ".ptx", **self.objects, "launches": self.launches,
                       "expect": self.expect}, file)

    # Operands of lookups.

    def coordinates(self, image, integer):
        """A row of coordinates in PTX's order, padded as PTX wants them."""
        geometry, rng = image.geometry, self.rng
        row = []
        if geometry in ARRAYS:
            row.append(rng.randrange(0, image.size[2] + 1))
        if geometry in ("2dms", "a2dms"):
            row.append(rng.randrange(0, image.samples + 1))
        if geometry in ("cube", "acube"):
            return row + [f32_bits(rng.choice([rng.uniform(-1, 1), 1.0, -1.0]))
                          for _ in range(3)] + [0] * (4 - 3 - len(row))
        for n in range(DIMENSIONS.get(geometry, 2)):
            extent = image.size[n]
            if integer:
                row.append(rng.randrange(-2, extent + 2) & 0xFFFFFFFF)
                continue
            s = rng.choice([rng.uniform(-2, 3), rng.uniform(0, 1), rng.randrange(-3, 4),
                            (rng.randrange(-extent, 2 * extent) + 0.5) / extent,
                            rng.choice([float("inf"), float("-inf"), float("nan"), -0.0])])
            if not image.normalized:
                s *= extent
            row.append(f32_bits(s))
        return row + [0] * (COORDS[geometry] - len(row))

    def look_up(self, image, sampler, ty="f32", integer=False, level=None, gradients=False,
                offsets=False, depth=False, gather=None, bound=False):
        """One kernel of tex or tld4."""
        geometry = image.geometry
        dims = DIMENSIONS.get(geometry, 2)
        count = COORDS[geometry]
        # Vectors of three do not exist.
        wide = {1: 1, 2: 2, 3: 4}[dims]
        if geometry in ("cube", "acube"):
            wide = 4
        rows, results = [], []
        for _ in range(THREADS):
            coords = self.coordinates(image, integer)
            row, options = list(coords), {}
            if level:
                if integer:
                    options["level"] = self.rng.randrange(-1, image.levels + 1)
                    row.append(options["level"])
                else:
                    bits = f32_bits(self.rng.choice([self.rng.uniform(-2, image.levels + 1),
                                                     self.rng.randrange(-1, image.levels),
                                                     float("nan")]))
                    options["level"] = f32_value(bits)
                    row.append(bits)
            if gradients:
                lists = []
                for _ in range(2):
                    scale = 2.0 ** self.rng.uniform(-8, 1)
                    bits = [f32_bits(self.rng.uniform(-scale, scale)) for _ in range(wide)]
                    lists.append([f32_value(b) for b in bits])
                    row += bits
                options["gradients"] = lists
            if offsets:
                options["offsets"] = [self.rng.randrange(-8, 8) for _ in range(dims)]
                row += options["offsets"] + [0] * (wide - dims)
            if depth:
                bits = f32_bits(self.rng.uniform(-3, 3))
                options["depth"] = f32_value(bits)
                row.append(bits)
            rows.append(row)
            lookup = Lookup(image, sampler, coords, integer=integer, **options)
            results.append(lookup.gather("rgba".index(gather)) if gather else lookup.run())
        at = iter(range(24))
        take = lambda n: "{" + ", ".join("%%i%d" % next(at) for _ in range(n)) + "}"
        # A scalar needs no braces.
        scalar = lambda: "%%i%d" % next(at)
        symbol = "tex%d" % len(self.launches) if bound else None
        texture = self.texture(image, sampler, symbol)
        handle = symbol or "%h0"
        objects = [] if bound else [{"texture": texture}]
        if self.independent:
            # The texture's own sampler is another one than that which counts.
            self.objects["textures"][-1].update(Sampler(filter="linear").manifest())
            objects.append({"sampler": self.sampler(sampler)})
            handle += ", %%h%d" % (len(objects) - 1)
        text = "[%s, %s]" % (handle, take(count))
        if level:
            text += ", " + scalar()
        if gradients:
            text += ", %s, %s" % (take(wide), take(wide))
        if offsets:
            text += ", " + take(wide)
        if depth:
            text += ", " + scalar()
        ctype = "s32" if integer else "f32"
        if gather:
            name = "tld4.%s.%s.v4.%s.f32" % (gather, geometry, ty)
        else:
            mode = ".level" if level else ".grad" if gradients else ""
            name = "tex%s.%s.v4.%s.%s" % (mode, geometry, ty, ctype)
        body = "%s {%%o0, %%o1, %%o2, %%o3}, %s;" % (name, text)
        declarations = ".global .texref %s;\n" % symbol if bound else ""
        self.kernel(body, rows, results, objects, declarations)

    def initialized(self, image, sampler):
        """A sampler with an initial value, in tex and in queries."""
        rows = [self.coordinates(image, False) for _ in range(THREADS)]
        results = [Lookup(image, sampler, row).run() +
                   [int(sampler.filter == "linear"), int(sampler.unnormalized)] for row in rows]
        name = "initial%d" % len(self.launches)
        fields = ["addr_mode_%d = %s" % (n, sampler.address[n]) for n in range(3)]
        fields.append("filter_mode = " + sampler.filter)
        if sampler.unnormalized:
            fields.append("force_unnormalized_coords = 1")
        # What is not written is the default.
        fields = [f for f in fields if not f.endswith(("clamp_to_edge", "nearest"))]
        self.rng.shuffle(fields)
        declaration = ".global .samplerref %s = { %s };\n" % (name, ", ".join(fields)) \
            if fields else ".global .samplerref %s = { filter_mode = nearest };\n" % name
        self.kernel("tex.2d.v4.f32.f32 {%%o0, %%o1, %%o2, %%o3}, [%%h0, %s, {%%i0, %%i1}];\n"
                    "  txq.filter_mode.b32 %%o4, [%s];\n"
                    "  txq.force_unnormalized_coords.b32 %%o5, [%s];" % (name, name, name),
                    rows, results, [{"texture": self.texture(image, Sampler())}], declaration)

    def query(self, image, sampler):
        """txq of all attributes, and suq."""
        w, h, d = image.size
        depth = d if image.geometry == "3d" else 1
        layers = d // 6 if image.geometry == "acube" else d if image.geometry in ARRAYS else 0
        order = {1: 0x10B0, 2: 0x10B2, 4: 0x10B5}[image.channels]
        modes = ["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"]
        common = [("width", w), ("height", h), ("depth", depth),
                  ("channel_data_type", DATA_TYPES[image.format]), ("channel_order", order),
                  ("array_size", layers)]
        texture = common + [("normalized_coords", int(image.normalized)),
                            ("num_mipmap_levels", image.levels), ("num_samples", image.samples)]
        samples = [("filter_mode", int(sampler.filter == "linear"))] + \
            [("addr_mode_%d" % n, modes.index(sampler.address[n])) for n in range(3)]
        lines = []
        for name, _ in texture + samples:
            place = "%h1" if self.independent and (name, _) in samples else "%h0"
            lines.append("txq.%s.b32 %%o%d, [%s];" % (name, len(lines), place))
        expected = [v for _, v in texture + samples]
        if image.levels:
            for name, v in (("width", image.extents(1)[0]), ("height", image.extents(1)[1])):
                lines.append("txq.level.%s.b32 %%o%d, [%%h0], 1;" % (name, len(lines)))
                expected.append(v)
        objects = [{"texture": self.texture(image, sampler)}]
        if self.independent:
            objects.append({"sampler": self.sampler(sampler)})
        self.kernel("\n  ".join(lines), [[0]], [expected], objects)
        if image.samples or image.geometry in ("cube", "acube"):
            return
        surface, _ = self.surface(image)
        lines = ["suq.%s.b32 %%o%d, [%%h0];" % (name, n)
                 for n, (name, _) in enumerate(common + [("memory_layout", 0)])]
        self.kernel("\n  ".join(lines), [[0]], [[v for _, v in common] + [0]],
                    [{"surface": surface}])


def filters(suite):
    """Geometries, filters and address modes in unified mode."""
    modes = ("wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border")
    seed = 0
    for geometry in ("1d", "2d", "3d", "a1d", "a2d"):
        for filter in ("nearest", "linear"):
            for normalized in (False, True):
                for n, mode in enumerate(modes):
                    seed += 1
                    fmt, channels = (("f32", 1), ("unorm8", 4), ("f16", 2), ("snorm16", 2),
                                     ("f32", 4))[n]
                    image = Image(geometry, fmt, channels, SIZES[geometry], seed,
                                  normalized=normalized)
                    address = (mode, modes[(n + 1) % 5], modes[(n + 2) % 5])
                    suite.look_up(image, Sampler(filter, address, border=(1, -2, 0.5, 3)))
    for geometry in ("cube", "acube"):
        for filter in ("nearest", "linear"):
            image = Image(geometry, "f32", 4, SIZES[geometry], seed + 1, normalized=True)
            suite.look_up(image, Sampler(filter))


def formats(suite):
    for n, fmt in enumerate(("u8", "u16", "u32", "s8", "s16", "s32", "unorm8", "unorm16",
                             "snorm8", "snorm16", "f16", "f32")):
        ty = fmt[0] + "32" if fmt[:2] in ("u8", "u1", "u3", "s8", "s1", "s3") else "f32"
        for channels in (1, 2, 4):
            image = Image("2d", fmt, channels, (5, 4), 100 + 3 * n + channels)
            suite.look_up(image, Sampler("linear"), ty)
            suite.look_up(image, Sampler(), ty, integer=True)


def integers(suite):
    for geometry in SIZES:
        if geometry in ("cube", "acube"):
            continue
        samples = 4 if "ms" in geometry else 0
        image = Image(geometry, "u32", 2, SIZES[geometry], 200, samples=samples)
        suite.look_up(image, Sampler(), "u32", integer=True)
        suite.look_up(image, Sampler(), "u32", integer=True, offsets=True)
    mipmap = Image("2d", "s16", 1, (8, 4), 201, levels=4)
    suite.look_up(mipmap, Sampler(), "s32", integer=True, level=True)


def mipmaps(suite):
    for geometry, size in (("1d", (32,)), ("2d", (16, 8)), ("3d", (8, 8, 4)), ("a1d", (16, 1, 3)),
                           ("a2d", (8, 8, 2)), ("cube", (8, 8, 6)), ("acube", (4, 4, 12))):
        levels = max(size[:2]).bit_length()
        for filter, mip in (("nearest", "nearest"), ("linear", "nearest"), ("linear", "linear"),
                            ("nearest", "linear")):
            image = Image(geometry, "f32", 2, size, 300, levels=levels, normalized=True)
            sampler = Sampler(filter, ("wrap", "mirror", "clamp_to_edge"), mip,
                              lod=(0.25, levels - 1.5), bias=0.125)
            suite.look_up(image, sampler, level=True)
            suite.look_up(image, sampler, gradients=True)


def extras(suite):
    """Offsets, comparison with depths, gathers."""
    for geometry in ("1d", "2d", "3d", "a1d", "a2d"):
        image = Image(geometry, "f32", 1, SIZES[geometry], 400, normalized=True)
        suite.look_up(image, Sampler("linear", ("wrap",) * 3), offsets=True)
    for geometry in ("1d", "2d", "a1d", "a2d", "cube", "acube"):
        image = Image(geometry, "f32", 1, SIZES[geometry], 401, normalized=True)
        for compare in ("never", "lt", "eq", "le", "gt", "ne", "ge", "always"):
            suite.look_up(image, Sampler("linear", compare=compare), depth=True)
    mipmap = Image("2d", "f32", 1, (8, 8), 402, levels=4, normalized=True)
    suite.look_up(mipmap, Sampler("linear", ("wrap",) * 3), level=True, offsets=True, depth=True)
    suite.look_up(mipmap, Sampler("linear", ("wrap",) * 3), gradients=True, offsets=True,
                  depth=True)
    for geometry in ("2d", "a2d", "cube", "acube"):
        for fmt, ty in (("f32", "f32"), ("u16", "u32"), ("s8", "s32")):
            image = Image(geometry, fmt, 4, SIZES[geometry], 403, normalized=True)
            for component in "rgba":
                suite.look_up(image, Sampler(), ty, gather=component)
    image = Image("2d", "f32", 1, (6, 5), 404, normalized=True)
    suite.look_up(image, Sampler(address=("clamp_to_border",) * 3, border=(2, 0, 0, 0)),
                  gather="r", offsets=True)
    suite.look_up(image, Sampler(compare="ge"), gather="r", depth=True)
    suite.look_up(image, Sampler(compare="ge"), gather="r", depth=True, offsets=True)


def modes(suite):
    """Variables bound by name, independent samplers, queries."""
    for geometry in ("1d", "2d", "3d", "a2d", "cube"):
        image = Image(geometry, "f32", 4, SIZES[geometry], 500, normalized=True)
        sampler = Sampler("nearest", ("mirror", "wrap", "clamp_to_border"), border=(1, 2, 3, 4))
        suite.look_up(image, sampler)
        suite.look_up(image, sampler, bound=True)
        suite.query(image, sampler)
    suite.look_up(Image("2d", "f32", 1, (6, 5), 501, normalized=True),
                  Sampler("linear", unnormalized=suite.independent))
    for geometry, samples in (("a1d", 0), ("acube", 0), ("2dms", 4), ("a2dms", 2)):
        suite.query(Image(geometry, "unorm16", 2, SIZES[geometry], 502, samples=samples),
                    Sampler("linear", ("wrap", "mirror", "clamp_ogl")))
    suite.query(Image("2d", "s8", 1, (16, 8), 503, levels=5, normalized=True), Sampler())


def halves(suite):
    """Results in half precision."""
    image = Image("2d", "unorm16", 4, (5, 4), 600)
    rows, words = [], []
    for _ in range(THREADS):
        row = suite.coordinates(image, False)
        texel = Lookup(image, Sampler(), row).run()
        half = [int.from_bytes(struct.pack("<e", f32_value(t)), "little") for t in texel]
        rows.append(row)
        words.append([half[0] | half[1] << 16, half[2] | half[3] << 16] * 2)
    body = ("tex.2d.v4.f16.f32 {%w0, %w1, %w2, %w3}, [%h0, {%i0, %i1}];\n"
            "  mov.b32 %o0, {%w0, %w1}; mov.b32 %o1, {%w2, %w3};\n"
            "  tex.2d.v2.f16x2.f32 {%o2, %o3}, [%h0, {%i0, %i1}];")
    suite.kernel(body, rows, words, [{"texture": suite.texture(image, Sampler())}])
    rows, words = [], []
    for _ in range(THREADS):
        row = suite.coordinates(image, True)
        texel = Lookup(image, Sampler(), row, integer=True).run()
        half = [int.from_bytes(struct.pack("<e", f32_value(t)), "little") for t in texel]
        rows.append(row)
        words.append([half[0] | half[1] << 16, half[2] | half[3] << 16] * 2)
    suite.kernel(body.replace(".f32", ".s32"), rows, words,
                 [{"texture": suite.texture(image, Sampler())}])
    # The predicate says that all is resident; a handle knows what it is of.
    body = ("tex.1d.v4.u32.s32 {%o0, %o1, %o2, %o3}|%p0, [%h0, {%i0}];\n"
            "  selp.u32 %o0, 1, 0, %p0; istypep.texref %p0, %h0; selp.u32 %o1, 1, 0, %p0;\n"
            "  istypep.surfref %p0, %h0; selp.u32 %o2, 1, 0, %p0;\n"
            "  istypep.samplerref %p0, %h0; selp.u32 %o3, 1, 0, %p0;")
    suite.kernel(body, [[0]], [[1, 1, 0, 0]],
                 [{"texture": suite.texture(Image("1d", "u8", 1, (4,), 1), Sampler())}])


#===-----------------------------------------------------------------------===//
# Surfaces
#===-----------------------------------------------------------------------===//

class SurfaceModel:
    """Bytes of a surface and the rules for what is outside."""

    def __init__(self, image):
        self.image, self.data = image, bytearray(image.data)

    def place(self, coords, size, clamp, by_texels):
        """The offset of an access, or None if it does nothing."""
        image = self.image
        signed = [c - (1 << 32) if c >> 31 else c for c in coords]
        if image.geometry in ("a1d", "a2d"):
            x, y, z = signed[1], signed[2] if image.geometry == "a2d" else 0, coords[0]
        else:
            x, y, z = (signed + [0, 0])[:3]
            if image.geometry == "1d":
                y = z = 0
            if image.geometry == "2d":
                z = 0
        if by_texels:
            x *= size
        w, h, d = image.size
        limits = (w * image.texel_bytes() - size, h - 1, d - 1)
        inside = [min(max(v, 0), l) for v, l in zip((x, y, z), limits)]
        if inside != [x, y, z] and clamp == "zero":
            return None
        base, row, layer = image.places[0]
        return base + inside[2] * layer + inside[1] * row + inside[0]


def surface_rows(suite, image, unit, outside):
    """A different place for each thread, so that order does not matter; some are
    outside of the surface."""
    w, h, d = image.size
    bytes_in_row = w * image.texel_bytes()
    spots = [(x, y, z) for z in range(d) for y in range(h) for x in range(0, bytes_in_row, unit)]
    suite.rng.shuffle(spots)
    rows = []
    for n, (x, y, z) in enumerate(spots[:THREADS]):
        if outside and n % 4 == 0:
            x, y = suite.rng.choice([(x - bytes_in_row, y), (x + bytes_in_row, y), (x, y - h),
                                     (x, y + h)])
            if image.geometry in ("1d", "a1d"):
                y = 0
                x = x if not 0 <= x < bytes_in_row else x + bytes_in_row
        row = {"1d": [x], "2d": [x, y], "3d": [x, y, z, 0], "a1d": [z, x],
               "a2d": [z, x, y, 0]}[image.geometry]
        rows.append([v & 0xFFFFFFFF for v in row])
    return rows


def vector(prefix, first, count):
    regs = ["%%%s%d" % (prefix, first + n) for n in range(count)]
    return regs[0] if count == 1 else "{" + ", ".join(regs) + "}"


def surfaces(suite):
    geometries = {"1d": (64,), "2d": (16, 6), "3d": (8, 4, 3), "a1d": (32, 1, 3),
                  "a2d": (8, 5, 3)}
    for geometry, size in geometries.items():
        for clamp in ("trap", "clamp", "zero"):
            for count, bits in ((1, 8), (1, 16), (1, 32), (2, 32), (4, 32), (1, 64), (2, 64),
                                (2, 16), (4, 8)):
                unit = count * bits // 8
                image = Image(geometry, "u32", 4, size, 700 + count * bits)
                model = SurfaceModel(image)
                rows = surface_rows(suite, image, unit, clamp != "trap")
                n = len(rows[0])
                coords = "{" + ", ".join("%%i%d" % i for i in range(n)) + "}"
                prefix = {8: "w", 16: "w", 32: "o", 64: "q"}[bits]
                vec = "" if count == 1 else ".v%d" % count
                tail = ".%s%s.b%d.%s" % (geometry, vec, bits, clamp)
                unpack = []
                for e in range(count):
                    if prefix == "w":
                        unpack.append("cvt.u32.u16 %%o%d, %%w%d;" % (e, e))
                    if prefix == "q":
                        unpack.append("mov.b64 {%%o%d, %%o%d}, %%q%d;" % (2 * e, 2 * e + 1, e))
                results = []
                for row in rows:
                    at = model.place(row, unit, clamp, False)
                    raw = bytes(unit) if at is None else model.data[at:at + unit]
                    step = min(bits, 32) // 8
                    results.append([int.from_bytes(raw[i:i + step], "little")
                                    for i in range(0, unit, step)])
                surface, _ = suite.surface(image)
                suite.kernel("suld.b%s %s, [%%h0, %s];\n  %s" % (
                    tail, vector(prefix, 0, count), coords, " ".join(unpack)),
                    rows, results, [{"surface": surface}])
                store(suite, image, rows, clamp, count, bits, tail, coords)
    formatted(suite)
    reductions(suite)


def store(suite, image, rows, clamp, count, bits, tail, coords):
    """sust.b of values that tell the thread, clamped stores only where no two
    threads meet."""
    if clamp == "clamp":
        return
    unit = count * bits // 8
    model = SurfaceModel(image)
    n = len(rows[0])
    words = max(bits // 32, 1) * count
    operands = []
    for t, row in enumerate(rows):
        data = [(0x01010101 * (t + 1) + 0x1000 * i) & ((1 << min(bits, 32)) - 1)
                for i in range(words)]
        operands.append(row + data)
        at = model.place(row, unit, clamp, False)
        if at is not None:
            step = min(bits, 32) // 8
            model.data[at:at + unit] = b"".join(d.to_bytes(step, "little") for d in data)
    pack, prefix, first = [], "i", n
    if bits < 32:
        prefix, first = "w", 0
        pack = ["cvt.u16.u32 %%w%d, %%i%d;" % (e, n + e) for e in range(count)]
    if bits == 64:
        prefix, first = "q", 0
        pack = ["mov.b64 %%q%d, {%%i%d, %%i%d};" % (e, n + 2 * e, n + 2 * e + 1)
                for e in range(count)]
    surface, buffer = suite.surface(image)
    suite.kernel("%s sust.b%s [%%h0, %s], %s;\n  mov.u32 %%o0, %%i0;" % (
        " ".join(pack), tail, coords, vector(prefix, first, count)),
        operands, [[o[0]] for o in operands], [{"surface": surface}])
    suite.expect.append({"buffer": buffer, **suite.save(model.data)})


def clamp_int(v, bits, is_signed):
    value = v - (1 << 32) if is_signed and v >> 31 else v
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(value, low), high) & ((1 << bits) - 1)


def encode(image, word):
    """A component of sust.p in the image's format."""
    if image.kind in "us":
        return clamp_int(word, image.bits, image.kind == "s")
    x = f32_value(word)
    if image.format == "f32":
        return word
    if image.format == "f16":
        return int.from_bytes(struct.pack("<e", x), "little")
    low, top = (0.0, (1 << image.bits) - 1) if image.kind == "un" else \
        (-1.0, (1 << image.bits - 1) - 1)
    return round(min(max(x, low), 1.0) * top) & ((1 << image.bits) - 1)


def formatted(suite):
    for fmt in ("u8", "s16", "u32", "unorm8", "snorm8", "unorm16", "f16", "f32"):
        image = Image("2d", fmt, 4, (12, 8), 800)
        model = SurfaceModel(image)
        unit = image.texel_bytes()
        rows = [[r[0] // unit if r[0] < 1 << 31 else (r[0] - (1 << 32)) // unit & 0xFFFFFFFF, r[1]]
                for r in surface_rows(suite, image, unit, True)]
        operands = []
        for row in rows:
            if image.kind in "us":
                data = [suite.rng.getrandbits(32) if suite.rng.random() < 0.5
                        else suite.rng.randrange(256) for _ in range(4)]
            else:
                data = [f32_bits(suite.rng.uniform(-1.5, 1.5)) for _ in range(4)]
            operands.append(row + data)
            at = model.place(row, unit, "zero", True)
            if at is not None:
                size = image.bits // 8
                model.data[at:at + unit] = b"".join(
                    encode(image, d).to_bytes(size, "little") for d in data)
        surface, buffer = suite.surface(image)
        suite.kernel("sust.p.2d.v4.b32.zero [%h0, {%i0, %i1}], {%i2, %i3, %i4, %i5};\n"
                     "  mov.u32 %o0, %i0;", operands, [[o[0]] for o in operands],
                     [{"surface": surface}])
        suite.expect.append({"buffer": buffer, **suite.save(model.data)})


def reductions(suite):
    compute = {"add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b,
               "or": lambda a, b: a | b}
    cases = [("b", op, ty) for op in ("add", "min", "max") for ty in ("u32", "s32")]
    cases += [("b", op, "b32") for op in ("and", "or")]
    cases += [("b", "add", "u64")] + [("b", op, ty) for op in ("min", "max")
                                      for ty in ("u64", "s64")]
    cases += [("p", op, "b32") for op in ("add", "min", "max", "and", "or")]
    cases += [("p", op, "b64") for op in ("min", "max")]
    for form, op, ty in cases:
        for fmt in ("u32", "s32") if form == "p" else ("u32",):
            size = int(ty[1:]) // 8
            # A sample of 64 bits is a pair.
            channels = 2 if ty == "b64" else 1
            image = Image("2d", fmt, channels, (16 // channels, 4), 900)
            data = bytearray(image.data)
            is_signed = ty[0] == "s" or (form == "p" and fmt == "s32")
            operands = []
            for t in range(THREADS):
                # Many threads meet in a place: the operations commute.
                x, y = suite.rng.randrange(16 * 4 // size), suite.rng.randrange(4)
                value = suite.rng.getrandbits(8 * size)
                at = y * 64 + x * size
                old = int.from_bytes(data[at:at + size], "little")
                wide = lambda v: v - (1 << 8 * size) if is_signed and v >> (8 * size - 1) else v
                new = compute[op](wide(old), wide(value)) & ((1 << 8 * size) - 1)
                data[at:at + size] = new.to_bytes(size, "little")
                operands.append([x if form == "p" else x * size, y, value & 0xFFFFFFFF,
                                 value >> 32])
            register = "%i2"
            pack = ""
            if size == 8:
                pack, register = "mov.b64 %q0, {%i2, %i3}; ", "%q0"
            surface, buffer = suite.surface(image)
            suite.kernel("%ssured.%s.%s.2d.%s.trap [%%h0, {%%i0, %%i1}], %s;\n"
                         "  mov.u32 %%o0, %%i0;" % (pack, form, op, ty, register),
                         operands, [[o[0]] for o in operands], [{"surface": surface}])
            suite.expect.append({"buffer": buffer, **suite.save(data)})


def main():
    for name, fill in (("filters", filters), ("formats", formats), ("integers", integers),
                       ("mipmaps", mipmaps), ("extras", extras), ("modes", modes),
                       ("halves", halves), ("surfaces", surfaces)):
        suite = Suite(sys.argv[1], name)
        fill(suite)
        suite.finish()
    suite = Suite(sys.argv[1], "independent", independent=True)
    modes(suite)
    addresses = ("wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border")
    for n in range(5):
        suite.initialized(Image("2d", "f32", 4, SIZES["2d"], 504, normalized=True),
                          Sampler(("nearest", "linear")[n % 2],
                                  (addresses[n], addresses[(n + 1) % 5], "wrap"),
                                  unnormalized=n == 3))
    suite.initialized(Image("2d", "f32", 1, SIZES["2d"], 505, normalized=True), Sampler())
    suite.finish()


main()
