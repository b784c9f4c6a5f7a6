"""Writes launch manifests for the kernels of this folder, with results computed
in double precision. Usage: run.py FOLDER

Tolerances. Products of half precision are exact in single precision; a sum of k
products is cut off once for every 16 of them, by less than 2^-23 of it and 2^-25
of its largest term, so that with |a|, |b| <= 1 the error is at most about k / 16 *
(k * 2^-23 + 17 * 2^-25), rounded up in each case below."""

import json
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


if __name__ == "__main__":
    main()
