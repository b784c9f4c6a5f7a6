"""Writes launch manifests for the kernels of this folder, with results computed
in double precision. Usage: run.py FOLDER

Tolerances. Products of half precision are exact in single precision; a sum of k
products is cut off once for every 16 of them, by less than 2^-23 of it and 2^-25
of its largest term, so that with |a|, |b| <= 1 the error is at most about k / 16 *
(k * 2^-23 + 17 * 2^-25), rounded up in each case below."""

import json
import math
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MASK = (1 << 64) - 1


def random_bits(seed, i):
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def random_halves(seed, count):
    """As the manifest's random elements of type f16 in [-1, 1]."""
    reals = (-1 + 2 * ((random_bits(seed, i) >> 11) * 2.0**-53) for i in range(count))
    return [struct.unpack("<e", struct.pack("<e", x))[0] for x in reals]


def product(a, b, m, n, k):
    rows = [a[i * k:(i + 1) * k] for i in range(m)]
    columns = [b[j::n] for j in range(n)]
    return [sum(x * y for x, y in zip(row, column)) for row in rows for column in columns]


def matrix(name, seed, count):
    return {"buffer": name, "type": "f16", "count": count,
            "init": {"random": {"seed": seed, "low": -1, "high": 1}}}


def write(folder, name, module, entry, grid, block, args, results, tolerance, shared=0):
    data = struct.pack("<%df" % len(results), *results)
    with open(os.path.join(folder, name + ".bin"), "wb") as f:
        f.write(data)
    manifest = {"module": os.path.relpath(os.path.join(HERE, module), folder),
                "launches": [{"entry": entry, "grid": grid, "block": block, "shared_bytes": shared, "args": args}],
                "expect": [{"buffer": "c", "file": name + ".bin", "atol": tolerance}]}
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(manifest, f)


def tensor_map(rows, columns, box_rows, box_columns):
    """A matrix of halves with 128-byte swizzling: docs/tensor-maps.md. The address
    is put in by a kernel."""
    data = struct.pack("<QIBBBB", 0, 0x4D54, 6, 1, 0, 3)
    data += struct.pack("<5II", columns - 1, rows - 1, 0, 0, 0, 0)
    data += struct.pack("<4Q", 2 * columns, 0, 0, 0)
    data += struct.pack("<5I", box_columns - 1, box_rows - 1, 0, 0, 0) + bytes(20)
    return struct.unpack("<32I", data + bytes(16))


def tma_gemm(folder):
    m, n, k = 120, 80, 312
    a, b = random_halves(1, m * k), random_halves(2, n * k)
    turned = [b[j * k + i] for i in range(k) for j in range(n)]
    results = product(a, turned, m, n, k)
    with open(os.path.join(folder, "tma_gemm.bin"), "wb") as f:
        f.write(struct.pack("<%df" % len(results), *results))
    map_of = lambda name, words: {"buffer": name, "type": "u32", "count": 32, "init": {"bits": [hex(w) for w in words]}}
    launches = [
        {"entry": "set_address", "grid": [1], "block": [1], "args": [map_of("map_a", tensor_map(m, k, 64, 64)), matrix("a", 1, m * k)]},
        {"entry": "set_address", "grid": [1], "block": [1], "args": [map_of("map_b", tensor_map(n, k, 32, 64)), matrix("b", 2, n * k)]},
        {"entry": "tma_gemm", "grid": [2, 2], "block": [160], "shared_bytes": 4 * 16384 + 2048,
         "args": [{"buffer": "map_a"}, {"buffer": "map_b"}, {"buffer": "c", "type": "f32", "count": m * n}, scalar(m), scalar(n), scalar(k)]}]
    manifest = {"module": os.path.relpath(os.path.join(HERE, "tma_gemm.nvcc.sm_90a.ptx"), folder), "launches": launches,
                "expect": [{"buffer": "c", "file": "tma_gemm.bin", "atol": k / 16 * (k * 2.0**-23 + 17 * 2.0**-25)}]}
    with open(os.path.join(folder, "tma_gemm.json"), "w") as f:
        json.dump(manifest, f)


def random_bytes(seed, count, low, high):
    return [low + random_bits(seed, i) % (high - low + 1) for i in range(count)]


def fp4_gemm(folder, name, entry, per_scale, low, high, scale):
    """Numbers of 4 bits, a scale for each per_scale of them in [low, high]."""
    m, n, k = 48, 24, 192
    number = lambda x: (-1 if x & 8 else 1) * (0, 0.5, 1, 1.5, 2, 3, 4, 6)[x & 7]
    limits = {"a": (7, m * k // 2, 0, 255), "b": (8, n * k // 2, 0, 255),
              "sa": (9, m * k // per_scale, low, high), "sb": (10, n * k // per_scale, low, high)}
    data = {x: random_bytes(*limit) for x, limit in limits.items()}

    def rows(x, s, count):
        for i in range(count):
            yield [number(data[x][(i * k + j) // 2] >> 4 * (j % 2) & 15) * scale(data[s][(i * k + j) // per_scale]) for j in range(k)]

    columns = list(rows("b", "sb", n))
    terms = [[x * y for x, y in zip(row, column)] for row in rows("a", "sa", m) for column in columns]
    results = [sum(t) for t in terms]
    largest = max(abs(x) for t in terms for x in t)
    reach = max(sum(abs(x) for x in t) for t in terms)
    buffers = [{"buffer": x, "type": "u8", "count": count, "init": {"random": {"seed": seed, "low": least, "high": most}}}
               for x, (seed, count, least, most) in limits.items()]
    # Three sums of 64 products, each cut off 25 bits below the largest term.
    write(folder, entry, name, entry, [n // 8, m // 16], [32],
          buffers + [{"buffer": "c", "type": "f32", "count": m * n}, scalar(n), scalar(k)],
          results, 3 * (65 * largest * 2.0**-25 + reach * 2.0**-23))


def ue4m3(x):
    return (x & 7) / 8 * 2.0**-6 if x < 8 else (1 + (x & 7) / 8) * 2.0 ** ((x >> 3) - 7)


def cutlass_gemm(folder, sm, m, n, k, block, tile, shared, maps=False):
    """C = A B^T by parts of CUTLASS. With maps the tiles come by TMA."""
    a, b = random_halves(1, m * k), random_halves(2, n * k)
    turned = [b[j * k + i] for i in range(k) for j in range(n)]
    name = "cutlass_gemm_sm%s" % sm
    results = product(a, turned, m, n, k)
    grid = [-(-n // tile[1]), -(-m // tile[0])]
    if sm == 80:
        grid.reverse()  # The first number is that of the rows.
    operands = [matrix("a", 1, m * k), matrix("b", 2, n * k)]
    sizes = [scalar(m), scalar(n), scalar(k)] if sm == 80 else [scalar(n), scalar(k)]
    c = {"buffer": "c", "type": "f32", "count": m * n}
    launches = []
    if maps:
        for x, rows, side in (("a", m, tile[0]), ("b", n, tile[1])):
            words = tensor_map(rows, k, side, 64)
            arg = {"buffer": "map_" + x, "type": "u32", "count": 32, "init": {"bits": [hex(w) for w in words]}}
            launches.append({"entry": "set_address", "grid": [1], "block": [1], "args": [arg, operands["ab".index(x)]]})
        operands = [{"buffer": "map_a"}, {"buffer": "map_b"}]
    launches.append({"entry": name, "grid": grid, "block": block, "shared_bytes": shared, "args": operands + [c] + sizes})
    target = {80: "80", 90: "90a", 100: "100a"}[sm]
    module = "%s.nvcc.sm_%s.ptx" % (name, target)
    with open(os.path.join(folder, name + ".bin"), "wb") as f:
        f.write(struct.pack("<%df" % len(results), *results))
    manifest = {"module": os.path.relpath(os.path.join(HERE, module), folder), "launches": launches,
                "expect": [{"buffer": "c", "file": name + ".bin", "atol": k / 16 * (k * 2.0**-23 + 17 * 2.0**-25)}]}
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(manifest, f)


def cutlass_scaled_gemm(folder):
    """Numbers of 4 bits with scales that are powers of two or such with a fraction,
    by CUTLASS's main loop for sm_120a; tiles of 128 x 128 x 128."""
    name, m, n, k, per_scale = "cutlass_gemm_sm120", 128, 256, 384, 16
    number = lambda x: (-1 if x & 8 else 1) * (0, 0.5, 1, 1.5, 2, 3, 4, 6)[x & 7]
    limits = {"a": (7, m * k // 2, 0, 255), "b": (8, n * k // 2, 0, 255),
              "sa": (9, m * k // per_scale, 52, 62), "sb": (10, n * k // per_scale, 52, 62)}
    data = {x: random_bytes(*limit) for x, limit in limits.items()}

    def place(i, s):
        """Where the scale s of row i is: blocks of 128 rows by four scales, in each
        of which row r has its four behind those of row r - 32 and r + 1."""
        row, block = i % 128, i // 128 * (k // per_scale // 4) + s // 4
        return block * 512 + row % 32 * 16 + row // 32 * 4 + s % 4

    def rows(x, s, count):
        for i in range(count):
            scales = [ue4m3(data[s][place(i, j)]) for j in range(k // per_scale)]
            yield [number(data[x][(i * k + j) // 2] >> 4 * (j % 2) & 15) * scales[j // per_scale] for j in range(k)]

    columns = list(rows("b", "sb", n))
    terms = ([x * y for x, y in zip(row, column)] for row in rows("a", "sa", m) for column in columns)
    results, largest, reach = [], 0, 0
    for t in terms:
        results.append(sum(t))
        largest = max(largest, max(map(abs, t)))
        reach = max(reach, sum(map(abs, t)))
    buffers = {x: {"buffer": x, "type": "u8", "count": count, "init": {"random": {"seed": seed, "low": least, "high": most}}}
               for x, (seed, count, least, most) in limits.items()}
    launches = []
    for x, count in (("a", m), ("b", n)):
        # Rows of bytes, swizzled by 64 of them.
        words = struct.pack("<QIBBBB5II", 0, 0x4D54, 0, 1, 0, 2, k // 2 - 1, count - 1, 0, 0, 0, 0)
        words += struct.pack("<4Q5I", k // 2, 0, 0, 0, 63, 127, 0, 0, 0) + bytes(36)
        arg = {"buffer": "map_" + x, "type": "u32", "count": 32, "init": {"bits": [hex(w) for w in struct.unpack("<32I", words)]}}
        launches.append({"entry": "set_address", "grid": [1], "block": [1], "args": [arg, buffers[x]]})
    operands = [{"buffer": "map_a"}, {"buffer": "map_b"}, buffers["sa"], buffers["sb"],
                {"buffer": "c", "type": "f32", "count": m * n}, scalar(n), scalar(k)]
    launches.append({"entry": name, "grid": [n // 128, m // 128], "block": [384], "shared_bytes": 3 * (2 * 8192 + 2 * 1024) + 1024,
                     "args": operands})
    with open(os.path.join(folder, name + ".bin"), "wb") as f:
        f.write(struct.pack("<%df" % len(results), *results))
    # Six sums of 64 products, each cut off 25 bits below the largest term.
    manifest = {"module": os.path.relpath(os.path.join(HERE, name + ".nvcc.sm_120a.ptx"), folder), "launches": launches,
                "expect": [{"buffer": "c", "file": name + ".bin", "atol": k // 64 * (65 * largest * 2.0**-25 + reach * 2.0**-23)}]}
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(manifest, f)


def float_of(x, ty):
    """x rounded to a type."""
    return struct.unpack(ty, struct.pack(ty, x))[0]


def scratch():
    """Triton's kernels take two pointers more, which these do not use."""
    return [{"type": "u64", "value": 0}] * 2


def triton_matmul(folder, sm, shared):
    m, n, k = 100, 80, 112
    a, b = random_halves(1, m * k), random_halves(2, k * n)
    write(folder, "triton_matmul.%d" % sm, "triton_matmul.sm_%d.ptx" % sm, "matmul", [2, 2], [128],
          [matrix("a", 1, m * k), matrix("b", 2, k * n), {"buffer": "c", "type": "f32", "count": m * n},
           scalar(m), scalar(n), scalar(k)] + scratch(),
          product(a, b, m, n, k), k / 16 * (k * 2.0**-23 + 17 * 2.0**-25), shared)


def triton_softmax(folder, sm, shared):
    rows, columns = 5, 208
    reals = [-4 + 8 * ((random_bits(3, i) >> 11) * 2.0**-53) for i in range(rows * columns)]
    x = [float_of(v, "<f") for v in reals]
    results = []
    for r in range(rows):
        row = x[r * columns:(r + 1) * columns]
        e = [math.exp(v - max(row)) for v in row]
        results += [v / sum(e) for v in e]
    # ex2.approx is good to 2 units in the last place, its argument is rounded
    # twice; probabilities are at most 1.
    write(folder, "triton_softmax.%d" % sm, "triton_softmax.sm_%d.ptx" % sm, "softmax", [rows], [128],
          [{"buffer": "x", "type": "f32", "count": rows * columns, "init": {"random": {"seed": 3, "low": -4, "high": 4}}},
           {"buffer": "c", "type": "f32", "count": rows * columns}, scalar(columns)] + scratch(),
          results, 2.0**-19, shared)


def triton_attention(folder, sm, shared):
    length, d, scale = 90, 32, 0.25
    q, k, v = (random_halves(seed, length * d) for seed in (4, 5, 6))
    row = lambda x, i: x[i * d:(i + 1) * d]
    results = []
    for i in range(length):
        s = [sum(x * y for x, y in zip(row(q, i), row(k, j))) * scale for j in range(length)]
        e = [math.exp(x - max(s)) for x in s]
        results += [sum(p * v[j * d + c] for j, p in enumerate(e)) / sum(e) for c in range(d)]
    # Probabilities are rounded to half precision, each by up to 2^-11 of itself;
    # they sum to 1 and |v| <= 1.
    write(folder, "triton_attention.%d" % sm, "triton_attention.sm_%d.ptx" % sm, "attention", [2], [128],
          [matrix("q", 4, length * d), matrix("k", 5, length * d), matrix("v", 6, length * d),
           {"buffer": "c", "type": "f32", "count": length * d}, scalar(length), {"type": "f32", "value": scale}] + scratch(),
          results, 1.25 * 2.0**-11, shared)


def shared_bytes(name):
    """What the kernel's first line says."""
    with open(os.path.join(HERE, name)) as f:
        return int(f.readline().split(";")[1].split()[0])


def scalar(value):
    return {"type": "s32", "value": value}


def gemm(folder, name, module, entry, m, n, k, grid, block, scale=1.0, start=0.0):
    a, b = random_halves(1, m * k), random_halves(2, k * n)
    results = [(start + x) * scale for x in product(a, b, m, n, k)]
    c = {"buffer": "c", "type": "f32", "count": m * n, "init": {"fill": start}}
    write(folder, name, module, entry, grid, block,
          [matrix("a", 1, m * k), matrix("b", 2, k * n), c, scalar(m), scalar(n), scalar(k)],
          results, k / 16 * (k * 2.0**-23 + 17 * 2.0**-25))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    m, n, k = 64, 48, 80
    gemm(folder, "wmma_gemm", "wmma_gemm.nvcc.sm_80.ptx", "wmma_gemm", m, n, k,
         [(m // 16 * (n // 16) + 3) // 4], [128], scale=0.5, start=3.0)
    m, n, k = 120, 136, 104
    gemm(folder, "mma_gemm", "mma_gemm.nvcc.sm_80.ptx", "mma_gemm", m, n, k,
         [-(-n // 64), -(-m // 64)], [128])
    tma_gemm(folder)
    fp4_gemm(folder, "mxf4_gemm.nvcc.sm_120a.ptx", "mxf4_gemm", 32, 120, 130, lambda x: 2.0 ** (x - 127))
    cutlass_gemm(folder, 80, 120, 136, 104, [128], (64, 64), 49152)
    cutlass_gemm(folder, 90, 128, 64, 320, [256], (64, 64), 4 * 16384 + 1024, maps=True)
    cutlass_scaled_gemm(folder)
    cutlass_gemm(folder, 100, 128, 64, 128, [128], (128, 64), 25600)
    for sm in (80, 90):
        for make in (triton_matmul, triton_softmax, triton_attention):
            make(folder, sm, shared_bytes("%s.sm_%d.ptx" % (make.__name__, sm)))


if __name__ == "__main__":
    main()
