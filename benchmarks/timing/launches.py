#!/usr/bin/env python3
"""Launches of the kernels of benchmarks/inputs/kernels at sizes that fill a data centre
GPU: what the timing model is compared with a real one by.

`launches.py FOLDER` writes a manifest for each there and prints their paths."""

import json
import os
import pathlib
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "inputs" / "kernels"

MEGA = 1 << 20


def buffer(name, kind, count, init="zero"):
    return {"buffer": name, "type": kind, "count": count, "init": init}


def scalar(kind, value):
    return {"type": kind, "value": value}


def u32(value):
    return scalar("u32", value)


def s32(value):
    return scalar("s32", value)


def f32(value):
    return scalar("f32", value)


def random(low=-1, high=1, seed=1):
    return {"random": {"seed": seed, "low": low, "high": high}}


def floats(name, count, low=-1, high=1):
    return buffer(name, "f32", count, random(low, high))


def iota(start, step):
    return {"iota": [start, step]}


def blocks(count, size=256):
    return [-(-count // size)]


def tiles(width, height, x=32, y=8):
    return [-(-width // x), -(-height // y)]


def graph(vertices, degree):
    """Starts and edges of a random graph in which all degrees are the same."""
    return [buffer("starts", "s32", vertices + 1, iota(0, degree)),
            buffer("edges", "s32", vertices * degree, random(0, vertices - 1))]


# Name: group, grid, block, arguments, and more keys of the manifest.
LAUNCHES = {
    "gemm_tile": ("gemm", [16, 16], [256], [
        floats("a", 1024 * 128), floats("b", 128 * 1024), buffer("c", "f32", MEGA),
        u32(1024), u32(1024), u32(128)]),
    "gemm_bytes": ("gemm", tiles(1024, 1024), [32, 8], [
        buffer("a", "s32", 1024 * 32, random(-1000, 1000)),
        buffer("b", "s32", 1024 * 32, random(-1000, 1000)),
        buffer("c", "s32", MEGA), u32(1024), u32(32)]),
    "bfs_level": ("graph", blocks(MEGA), [256], graph(MEGA, 8) + [
        buffer("levels", "s32", MEGA, random(-1, 0)), buffer("changed", "s32", 1),
        s32(0), s32(MEGA)]),
    "page_rank": ("graph", blocks(MEGA), [256], graph(MEGA, 8) + [
        buffer("ranks", "f32", MEGA, {"fill": 1.0}), buffer("degrees", "s32", MEGA, {"fill": 8}),
        buffer("next", "f32", MEGA), s32(MEGA), f32(0.85)]),
    "edit_distance": ("graph", [1], [256], [
        buffer("a", "u8", 1024, random(0, 3)), buffer("b", "u8", 1024, random(0, 3, 2)),
        u32(1024), u32(1024), buffer("result", "u32", 1)], {"shared_bytes": 3 * 4 * 1025}),
    "kmeans": ("graph", blocks(MEGA // 4), [256], [
        floats("points", 2 * MEGA), floats("centers", 16 * 8),
        buffer("nearest", "s32", MEGA // 4), s32(MEGA // 4), s32(16), s32(8)]),
    "sha256": ("hash", blocks(MEGA // 8), [256], [
        buffer("blocks", "u32", 2 * MEGA, random(0, 2**32 - 1)), buffer("digests", "u32", MEGA),
        u32(MEGA // 8)],
        {"symbols": [{"symbol": "RoundConstants", "type": "u32", "count": 64,
                      "init": random(0, 2**32 - 1)}]}),
    "murmur": ("hash", blocks(MEGA), [256], [
        buffer("keys", "u32", 4 * MEGA, random(0, 2**32 - 1)), buffer("hashes", "u32", MEGA),
        u32(MEGA), u32(4)]),
    "crc32": ("hash", blocks(MEGA // 32, 128), [128], [
        buffer("text", "u8", 2 * MEGA, random(0, 255)),
        buffer("starts", "u32", MEGA // 32 + 1, iota(0, 64)), buffer("sums", "u32", MEGA // 32),
        u32(MEGA // 32)]),
    "philox": ("hash", blocks(2 * MEGA), [256], [
        buffer("out", "u32", 8 * MEGA), scalar("u64", 0x123456789ABCDEF), u32(2 * MEGA)]),
    "to_gray": ("image", blocks(4 * MEGA), [256], [
        buffer("in", "u32", 4 * MEGA, random(0, 2**32 - 1)), buffer("out", "u8", 4 * MEGA),
        u32(4 * MEGA)]),
    "sobel": ("image", tiles(2048, 2048), [32, 8], [
        buffer("in", "u8", 4 * MEGA, random(0, 255)), buffer("out", "u8", 4 * MEGA),
        s32(2048), s32(2048)]),
    "median3": ("image", tiles(2048, 1024), [32, 8], [
        buffer("in", "s32", 2 * MEGA, random(0, 255)), buffer("out", "s32", 2 * MEGA),
        s32(2048), s32(1024)]),
    "bilinear": ("image", tiles(2048, 2048), [32, 8], [
        floats("in", MEGA), buffer("out", "f32", 4 * MEGA),
        s32(1024), s32(1024), s32(2048), s32(2048)]),
    "rays": ("image", tiles(512, 512), [32, 8], [
        floats("spheres", 4 * 64, -4, 4), s32(64), buffer("pixels", "f32", MEGA),
        s32(512), s32(512)]),
    "layer_norm": ("network", [4096], [32], [
        floats("in", 4 * MEGA), floats("gain", 1024), floats("bias", 1024),
        buffer("out", "f32", 4 * MEGA), u32(1024), f32(1e-5)]),
    "gelu": ("network", blocks(8 * MEGA), [256], [
        floats("in", 8 * MEGA, -4, 4), buffer("out", "f32", 8 * MEGA), u32(8 * MEGA)]),
    "quantize": ("network", blocks(MEGA), [256], [
        floats("in", 4 * MEGA), buffer("out", "u32", MEGA), floats("scales", MEGA, 0.1, 1),
        u32(MEGA)]),
    "adamw": ("network", blocks(4 * MEGA), [256], [
        floats("weights", 4 * MEGA), floats("gradients", 4 * MEGA),
        buffer("first", "f32", 4 * MEGA), buffer("second", "f32", 4 * MEGA), u32(4 * MEGA),
        f32(1e-3), f32(0.9), f32(0.999), f32(1e-8), f32(0.01), f32(0.1), f32(0.001)]),
    "attention": ("network", [512], [64], [
        floats("query", 512 * 64), floats("keys", 128 * 64), floats("values", 128 * 64),
        buffer("out", "f32", 512 * 64), u32(128), f32(0.125)]),
    "embedding": ("network", [16384], [64], [
        buffer("tokens", "s32", 16384, random(0, 32767)),
        buffer("table", "u32", 32768 * 64 * 4, random(0, 2**32 - 1)),
        buffer("out", "u32", 16384 * 64 * 4), u32(64)]),
    "lattice": ("physics", tiles(1024, 1024), [32, 8], [
        floats("in", 9 * MEGA, 0.1, 1), buffer("out", "f32", 9 * MEGA),
        u32(1024), u32(1024), f32(0.6)]),
    "lennard_jones": ("physics", blocks(MEGA // 8), [256], [
        floats("places", MEGA // 2, 0, 8)] + graph(MEGA // 8, 32) + [
        buffer("forces", "f32", MEGA // 2), u32(MEGA // 8), f32(25.0)]),
    "wave3d": ("physics", tiles(254, 254), [32, 8], [
        buffer("now", "f64", 256 * 256 * 32, random()),
        buffer("before", "f64", 256 * 256 * 32, random()),
        buffer("next", "f64", 256 * 256 * 32), s32(256), s32(256), s32(32),
        scalar("f64", 0.1)]),
    "integrate": ("physics", blocks(MEGA), [256], [
        buffer("place", "f64", 2 * MEGA, random()), buffer("speed", "f64", 2 * MEGA, random()),
        buffer("force", "f64", 2 * MEGA, random()), u32(MEGA), scalar("f64", 0.01)]),
    "fft_pass": ("signal", blocks(MEGA), [256], [
        floats("in", 8 * MEGA), buffer("out", "f32", 8 * MEGA), u32(4 * MEGA), u32(1024)]),
    "fir": ("signal", blocks(4 * MEGA), [256], [
        floats("in", 4 * MEGA), buffer("out", "f32", 4 * MEGA), s32(4 * MEGA)],
        {"symbols": [{"symbol": "Taps", "type": "f32", "count": 32, "init": random()}]}),
    "hadamard": ("signal", [8192], [256], [floats("data", 4 * MEGA)]),
    "dot": ("signal", [528], [256], [
        buffer("a", "f64", 4 * MEGA, random()), buffer("b", "f64", 4 * MEGA, random()),
        buffer("out", "f64", 1), u32(4 * MEGA)]),
    "iir": ("signal", blocks(MEGA // 32, 128), [128], [
        floats("in", 2 * MEGA), buffer("out", "f32", 2 * MEGA), u32(MEGA // 32), u32(64),
        f32(0.2), f32(0.4), f32(0.2), f32(-0.3), f32(0.1)]),
    "radix_count": ("sort", [264], [256], [
        buffer("keys", "u32", 4 * MEGA, random(0, 2**32 - 1)),
        buffer("counts", "u32", 16 * 264), u32(4 * MEGA), u32(4)]),
    # There is room for what 30 launches scatter.
    "radix_scatter": ("sort", blocks(MEGA // 4), [256], [
        buffer("keys", "u32", MEGA // 4, random(0, 2**32 - 1)),
        buffer("out", "u32", 16 * MEGA // 2), buffer("places", "u32", 16, iota(0, MEGA // 2)),
        u32(MEGA // 4), u32(4)]),
    "lower_bound": ("sort", blocks(MEGA), [256], [
        buffer("sorted", "f64", MEGA, iota(0, 1)), u32(MEGA),
        buffer("wanted", "f64", MEGA, random(0, MEGA)), buffer("found", "u32", MEGA), u32(MEGA)]),
    "odd_even": ("sort", blocks(4 * MEGA), [256], [
        buffer("data", "s32", 8 * MEGA, random(-2**31, 2**31 - 1)), u32(8 * MEGA), u32(0)]),
    "transpose_tile": ("transpose", [64, 64], [32, 8], [
        floats("in", 4 * MEGA), buffer("out", "f32", 4 * MEGA), u32(2048), u32(2048)]),
    "copy_vector": ("transpose", [1056], [256], [
        floats("in", 16 * MEGA), buffer("out", "f32", 16 * MEGA), scalar("u64", 4 * MEGA)]),
}


def write(folder):
    """Writes all manifests; returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (group, grid, block, arguments, *more) in LAUNCHES.items():
        module = KERNELS / group / f"{group}.nvcc.sm_90.ptx"
        manifest = {"module": os.path.relpath(module, folder), "entry": name,
                    "grid": grid, "block": block, "args": arguments, **(more[0] if more else {})}
        path = folder / f"{name}.json"
        path.write_text(json.dumps(manifest, indent=1) + "\n")
        paths.append(path)
    return paths


if __name__ == "__main__":
    print(*write(sys.argv[1]), sep="\n")
