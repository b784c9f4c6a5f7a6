#!/usr/bin/env python3
"""Manifests of kernels that nobody looked at while the tuner was written.

usage: hecbench.py HECBENCH FOLDER

HECBENCH is a checkout of github.com/zjin-lcf/HeCBench. The rule: of the programs
src/*-cuda in alphabetical order the first 12 whose first kernel takes numbers and
arrays of numbers only, and which nvcc alone compiles; that kernel, with the
program's own block. Sizes are those of a few CTAs for each core of hd10; where they are
constants of the source, these are replaced. Other blocks are allowed where the source works
with any.

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


VOLUME = 8 * 32 * 64
ELEMENTS, POINTS, CUBATURE = 8, 512, 4096

# Program: source, kernel, what is replaced in the source, more options of nvcc,
# and the manifest.
KERNELS = {
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


def compile_ptx(folder, name, source, replacements, options, output):
    text = (folder / source).read_text(errors="replace")
    for old, new in replacements.items():
        if old not in text:
            sys.exit(f"{name}: its source has no '{old}'")
        text = text.replace(old, new)
    changed = output.with_suffix(".cu")
    changed.write_text(text)
    subprocess.run(["nvcc", "-ptx", "-arch=sm_90", "-O3", "-I", str(folder), "-I",
                    str(folder.parent / "include"), *options,
                    str(changed), "-o", str(output)], check=True)


def entry_of(ptx, kernel):
    """The first kernel with that name, and the threads that its name says."""
    for entry in re.findall(r"\.entry\s+(\w+)", ptx):
        if re.search(rf"(^|\d){kernel}(I|P|i|v|$)", entry):
            return entry
    sys.exit(f"no kernel '{kernel}'")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    suite, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (source, kernel, replacements, options, launch) in KERNELS.items():
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
