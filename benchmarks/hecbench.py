#!/usr/bin/env python3
"""Manifests of kernels that nobody looked at while the tuner was written.

usage: hecbench.py [--first] HECBENCH FOLDER

HECBENCH is a checkout of github.com/zjin-lcf/HeCBench. The rule: of the programs
src/*-cuda in alphabetical order those whose first kernel takes numbers and arrays of
numbers only, and which nvcc alone compiles; that kernel, with the program's own block
and, of a template, the type that the program begins with. The first 12 were looked at
since (--first); these are the 12 that come next. Sizes are those of a few waves of CTAs
on hd10; where they are constants of the source, these are replaced. Other blocks are
allowed where the source works with any.

Writes PTX and manifests to FOLDER and prints the manifests' paths, for tuning.py.
"""
import json
import pathlib
import re
import subprocess
import sys


def scalar(kind, value):
    return {"type": kind, "value": value}


def array(name, kind, count, low=0, high=1, seed=1):
    return {"buffer": name, "type": kind, "count": count,
            "init": {"random": {"seed": seed, "low": low, "high": high}}}


def zeros(name, kind, count):
    return {"buffer": name, "type": kind, "count": count, "init": "zero"}


def flat(*sizes):
    return {"blocks": [[size] for size in sizes]}


def filled(name, kind, count, value):
    return {"buffer": name, "type": kind, "count": count, "init": {"fill": value}}


def listed(name, kind, values):
    return {"buffer": name, "type": kind, "count": len(values), "init": {"values": values}}


def laplacian(side):
    """The matrix of seven points on a cube of that side, with 6 and -1, in rows; the
    diagonal comes first. With the right side that belongs to 1 everywhere, on which
    steps that read what others write all agree."""
    starts, columns, values, right = [0], [], [], []
    for z in range(side):
        for y in range(side):
            for x in range(side):
                place = (z * side + y) * side + x
                near = [place + step for step, inside in (
                    (-side * side, z > 0), (-side, y > 0), (-1, x > 0), (1, x < side - 1),
                    (side, y < side - 1), (side * side, z < side - 1)) if inside]
                columns += [place] + near
                values += [6.0] + [-1.0] * len(near)
                starts.append(len(columns))
                right.append(6.0 - len(near))
    count = side ** 3
    return [listed("a_data", "f64", values), listed("a_i", "s32", starts),
            listed("a_j", "s32", columns), filled("u", "f64", count, 1.0),
            listed("f", "f64", right), scalar("s32", count)]


def decoding_table(states):
    """Of a code whose symbols have half, a quarter and so on of the states: for each
    state the next one before bits are taken, the symbol, and the bits."""
    counts = [states >> (n + 1) for n in range(7)]
    counts.append(states - sum(counts))
    symbols, place = [0] * states, 0
    for symbol, count in enumerate(counts):
        for _ in range(count):
            symbols[place] = symbol
            place = (place + states * 5 // 8 + 3) % states
    table, used = [], list(counts)
    for symbol in symbols:
        state, bits = used[symbol], 0
        used[symbol] += 1
        while state << bits < states:
            bits += 1
        table.append(bits << 24 | symbol << 16 | state)
    return table


def random_reals(seed, count, low, high):
    """As docs/launch-manifest.md has them, without the rounding to single precision."""
    reals, mask = [], 2**64 - 1
    for i in range(count):
        z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        reals.append(low + (high - low) * ((z ^ (z >> 31)) >> 11) * 2.0**-53)
    return reals


def box_weights(side, threshold, most):
    """What smoothingFilter adds up in any order: for each element the sum over the
    boxes that it is in of 1 / elements. A box grows until the sum of the image in it
    reaches the threshold."""
    image = random_reals(1, side * side, 0, 255)
    weights = [0.0] * (side * side)
    for j in range(side):
        for i in range(side):
            total, q, s, count = 0.0, 1, 1, 0
            while total < threshold and q < most:
                s, total, count = q, 0.0, 0
                if i >= s and i + s < side and j >= s and j + s < side:
                    for row in range(j - s, j + s + 1):
                        total += sum(image[row * side + i - s:row * side + i + s + 1])
                    count = (2 * s + 1) ** 2
                q += 1
            for row in range(j - s, j + s + 1) if count else ():
                for column in range(i - s, i + s + 1):
                    weights[row * side + column] += 1.0 / count
    return weights


VOLUME = 8 * 32 * 64
ELEMENTS, POINTS, CUBATURE = 8, 512, 4096

# Program: source, kernel, what is replaced in the source, more options of nvcc,
# and the manifest.
FIRST = {
    "accuracy": ("main.cu", "accuracy_kernel", {}, [], {
        "grid": [64], "block": [256], "args": [
            scalar("s32", 256), scalar("s32", 1000), scalar("s32", 10),
            array("data", "f32", 256 * 1000), array("labels", "s32", 256, 0, 999),
            zeros("count", "s32", 1)]}),
    "ace": ("main.cu", "calculateForce",
            {"DATAXSIZE 400": "DATAXSIZE 8", "DATAYSIZE 400": "DATAYSIZE 32",
             "DATAZSIZE 400": "DATAZSIZE 64"}, [], {
        "grid": [8, 4, 2], "block": [8, 8, 4], "args": [
            array("phi", "f64", VOLUME, -1), zeros("fx", "f64", VOLUME),
            zeros("fy", "f64", VOLUME), zeros("fz", "f64", VOLUME), scalar("f64", 0.4),
            scalar("f64", 0.4), scalar("f64", 0.4), scalar("f64", 0.02), scalar("f64", 1.0),
            scalar("f64", 1.0)],
        "choice": {"blocks": [[16, 4, 4], [32, 4, 2], [32, 2, 2], [64, 2, 2], [64, 1, 1],
                              [64, 2, 1], [32, 4, 1], [8, 8, 1]]}}),
    "adam": ("main.cu", "adam", {}, [], {
        "grid": [64], "block": [256], "args": [
            array("p", "f32", 1 << 14), array("m", "f32", 1 << 14), array("v", "f32", 1 << 14),
            array("g", "f32", 1 << 14), scalar("f32", 0.9), scalar("f32", 0.999),
            scalar("f32", 1e-8), scalar("f32", 256.0), scalar("f32", 1e-3), scalar("s32", 4),
            scalar("u64", 1 << 14), scalar("u32", 0), scalar("f32", 0.5)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "adamw": ("main.cu", "fused_4bit_kernel", {}, [], {
        "grid": [128], "block": [64], "args": [
            array("p", "f32", 1 << 14), array("g", "f32", 1 << 14),
            array("mscale", "f32", 1 << 14), array("vscale", "f32", 1 << 14),
            array("m", "s8", 1 << 13, -128, 127), array("v", "s8", 1 << 13, -128, 127),
            scalar("f32", 0.9), scalar("f32", 0.999), scalar("f32", 1e-3), scalar("f32", 0.1),
            scalar("f32", 1e-8), scalar("f32", 1.0), scalar("s64", 1 << 13),
            scalar("f32", 0.1), scalar("f32", 0.0316), scalar("f32", 0.01),
            scalar("f32", 0.9999), scalar("f32", 0.1), scalar("f32", 0.001)]}),
    "addBiasResidualLayerNorm": ("main.cu", "addBiasResidualPostLayerNormV2", {}, [], {
        "grid": [128], "block": [128], "args": [
            zeros("out", "f32", 128 * 1024), array("in", "f32", 128 * 1024),
            array("bias", "f32", 1024), array("gamma", "f32", 1024), array("beta", "f32", 1024),
            scalar("f32", 1e-6), scalar("s32", 1024)]}),
    "adjacent": ("main.cu", "BlockAdjDiffKernel", {}, [], {
        "grid": [64], "block": [0], "args": [
            array("in", "s32", 64 * 4 * 1024, 0, 16), zeros("out", "s32", 64 * 4 * 1024),
            scalar("u8", 1)]}),
    "adv": ("main.cu", "advCubatureHex3D", {}, ["-Ddfloat=double", "-Ddlong=int"], {
        "grid": [ELEMENTS], "block": [16, 16], "args": [
            scalar("s32", ELEMENTS), array("vgeo", "f64", POINTS * ELEMENTS * 12),
            array("cubvgeo", "f64", CUBATURE * ELEMENTS * 12),
            array("cubd", "f64", 3 * CUBATURE), array("interpolate", "f64", CUBATURE),
            scalar("s32", ELEMENTS * POINTS), array("u", "f64", 3 * POINTS * ELEMENTS),
            zeros("nu", "f64", 3 * POINTS * ELEMENTS)]}),
    "aes": ("main.cu", "AESEncrypt", {}, [], {
        "grid": [8, 8], "block": [1, 4], "args": [
            zeros("out", "u8", 32 * 32), array("in", "u8", 32 * 32, 0, 255),
            array("keys", "u8", 11 * 16, 0, 255), array("box", "u8", 256, 0, 255),
            scalar("u32", 32), scalar("u32", 10)]}),
    "affine": ("main.cu", "affine", {}, [], {
        "grid": [16, 8], "block": [16, 16], "args": [
            array("in", "u16", 512 * 512, 0, 65535), zeros("out", "u16", 512 * 512)],
        "choice": {"blocks": [[32, 8], [32, 4], [32, 2], [64, 4], [64, 2], [128, 2], [128, 1],
                              [256, 1], [32, 16], [16, 8]]}}),
    "aidw": ("main.cu", "AIDW_Kernel", {}, [], {
        "grid": [32], "block": [256], "args": [
            array("dx", "f32", 48, 0, 100), array("dy", "f32", 48, 0, 100, 2),
            array("dz", "f32", 48, 0, 100, 3), scalar("s32", 48),
            array("ix", "f32", 8192, 0, 100, 4), array("iy", "f32", 8192, 0, 100, 5),
            zeros("iz", "f32", 8192), scalar("s32", 8192), scalar("f32", 10000.0),
            array("distance", "f32", 8192, 0, 3, 6)],
        "choice": flat(32, 64, 128, 512)}),
    "aligned-types": ("main.cu", "testKernel", {}, [], {
        "grid": [256], "block": [256], "args": [
            zeros("out", "u8", 1 << 16), array("in", "u8", 1 << 16, 0, 255),
            scalar("s32", 1 << 16)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "all-pairs-distance": ("main.cu", "k1", {}, [], {
        "grid": [16, 8], "block": [128], "args": [
            array("data", "u8", 224 * 4096, 0, 2), zeros("distance", "s32", 224 * 224)]}),
}

MANY = 256 * 256  # threads

# What was not looked at before the tuner was finished.
NEXT = {
    "amgmk": ("main.cu", "relax", {}, [], {
        "grid": [250], "block": [256], "args": laplacian(40),
        "choice": flat(32, 64, 128, 512, 1024)}),
    "ans": ("src/multians_gpu_decoder.cu", "phase1_decode_subseq", {}, [], {
        "grid": [32], "block": [128], "args": [
            scalar("u32", 4), scalar("u32", 32 * 128 * 4), scalar("u32", 7),
            array("in", "u32", 32 * 128 * 16 + 16, 0, 2**32 - 1),
            listed("table", "u32", decoding_table(16)),
            zeros("sync_points", "u32", 32 * 128 * 16), scalar("u32", 32),
            scalar("u32", 16), scalar("u32", 16), scalar("u32", 32)]}),
    "asmooth": ("main.cu", "smoothingFilter", {}, [], {
        "grid": [12, 12], "block": [16, 16], "args": [
            scalar("s32", 192), scalar("s32", 192), scalar("s32", 2000), scalar("s32", 9),
            array("image", "f32", 192 * 192, 0, 255), zeros("box", "s32", 192 * 192),
            zeros("norm", "f32", 192 * 192)],
        "expect": [{"buffer": "norm", "rtol": 1e-4, "atol": 1e-5,
                    "values": box_weights(192, 2000, 9)}],
        "choice": {"blocks": [[32, 8], [32, 4], [16, 8], [8, 8], [32, 16], [64, 4], [32, 32]]}}),
    "assert": ("main.cu", "testKernel", {}, [], {
        "grid": [512], "block": [32], "args": [scalar("s32", 512 * 32)],
        "choice": flat(64, 128, 256, 512, 1024)}),
    "asta": ("main.cu", "PTTWAC_soa_asta", {}, [], {
        "grid": [16], "block": [64], "args": [
            scalar("s32", 197), scalar("s32", 16), scalar("s32", 32),
            array("input", "f32", 197 * 16 * 32), zeros("finished", "s32", 197 * 16),
            zeros("head", "s32", 1)]}),
    "atan2": ("main.cu", "compute_f", {}, [], {
        "grid": [256], "block": [256], "args": [
            scalar("s32", MANY), array("x", "f32", MANY, -100, 100),
            array("y", "f32", MANY, -100, 100, 2), zeros("r", "f32", MANY)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "atomicAggregate": ("main.cu", "k", {}, [], {
        "grid": [256], "block": [256], "args": [zeros("d", "s32", 32), scalar("s32", 32)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "atomicCAS": ("main.cu", "atomicMinDerivedIy", {}, [], {
        "grid": [256], "block": [256], "args": [filled("res", "u64", 1, 2**40)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "atomicCost": ("main.cu", "woAtomicOnGlobalMemId", {}, [], {
        "grid": [256], "block": [256], "args": [
            zeros("result", "f64", MANY), scalar("s32", 16)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "atomicIntrinsics": ("main.cu", "testKernelIi", {}, [], {
        "grid": [256], "block": [256], "args": [
            filled("data", "s32", 9, 0xff), scalar("u64", MANY)],
        "choice": flat(32, 64, 128, 512, 1024)}),
    "atomicPerf": ("main.cu", "BlockRangeAtomicOnGlobalMemId", {}, [], {
        "grid": [256], "block": [256], "args": [
            zeros("data", "f64", 1024), scalar("s32", MANY)]}),
    "atomicReduction": ("reduction.cu", "atomic_reduction", {}, [], {
        "grid": [256], "block": [256], "args": [
            array("in", "s32", 16 * MANY, 0, 9), zeros("out", "s32", 1),
            scalar("s32", 16 * MANY)],
        "choice": flat(32, 64, 128, 512, 1024)}),
}


def compile_ptx(folder, name, source, replacements, options, output):
    text = (folder / source).read_text(errors="replace")
    for old, new in replacements.items():
        if old not in text:
            sys.exit(f"{name}: its source has no '{old}'")
        text = text.replace(old, new)
    changed = output.with_suffix(".cu")
    changed.write_text(text)
    subprocess.run(["nvcc", "-ptx", "-arch=sm_90", "-O3", "-I", str(folder), "-I",
                    str(folder / "include"), "-I", str(folder / "src"), "-I",
                    str(folder.parent / "include"), *options,
                    str(changed), "-o", str(output)], check=True)


def entry_of(ptx, kernel):
    """The first kernel with that name, and the threads that its name says."""
    for entry in re.findall(r"\.entry\s+(\w+)", ptx):
        if re.search(rf"(^|\d){kernel}([IPijvE]|$)", entry):
            return entry
    sys.exit(f"no kernel '{kernel}'")


def main():
    kernels = FIRST if sys.argv[1:2] == ["--first"] else NEXT
    if len(sys.argv) != (4 if kernels is FIRST else 3):
        sys.exit(__doc__)
    suite, folder = map(pathlib.Path, sys.argv[-2:])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (source, kernel, replacements, options, launch) in kernels.items():
        ptx = folder / (name + ".ptx")
        if not ptx.exists():
            compile_ptx(suite / "src" / (name + "-cuda"), name, source, replacements, options, ptx)
        entry = entry_of(ptx.read_text(), kernel)
        if launch["block"] == [0]:  # a template's argument
            launch["block"] = [int(re.search(r"ILi(\d+)E", entry).group(1))]
        manifest = folder / (name + ".json")
        manifest.write_text(json.dumps({"module": ptx.name, "entry": entry, **launch}, indent=1))
        print(manifest, flush=True)


main()
