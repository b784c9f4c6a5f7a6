"""Inputs for the kernels of benchmarks/inputs/pgo: what is profiled and what is
measured differ in their data, their shares of rare cases and often their sizes.
"""
import json
import os
import random
import struct


def words(values):
    return struct.pack("<%dI" % len(values), *values)


def floats(values):
    return struct.pack("<%df" % len(values), *values)


class Input:
    """A launch manifest and its files, in a folder."""

    def __init__(self, folder, kernel, threads, block=128, grid_y=1):
        self.folder, self.kernel, self.arguments = folder, kernel, []
        self.grid, self.block = [-(-threads // block), grid_y, 1], [block, 1, 1]
        self.outputs = []

    def scalar(self, value, kind="u32"):
        self.arguments.append({"type": kind, "value": value})
        return self

    def data(self, name, content, kind="u32"):
        file = os.path.join(self.folder, name + ".bin")
        with open(file, "wb") as out:
            out.write(content)
        size = {"u8": 1, "u32": 4, "f32": 4}[kind]
        self.arguments.append({"buffer": name, "type": kind, "count": len(content) // size,
                               "init": {"file": os.path.basename(file)}})
        return self

    def result(self, name, kind, count):
        self.arguments.append({"buffer": name, "type": kind, "count": count, "init": "zero"})
        self.outputs.append(name)
        return self

    def write(self, module):
        """The manifest's path."""
        path = os.path.join(self.folder, "run.json")
        with open(path, "w", encoding="ascii") as out:
            json.dump({"module": module, "entry": self.kernel, "grid": self.grid,
                       "block": self.block, "args": self.arguments, "expect": []}, out)
        return path


# Each function makes one input; the numbers that differ between profiling and
# measuring are its arguments.

def patches(folder, r, channels, height, width):
    kernel, stride, pad = 3, 1, 1
    count = channels * height * width * kernel * kernel
    image = [r.uniform(-1, 1) for _ in range(channels * height * width)]
    return (Input(folder, "patches", 16384).data("image", floats(image), "f32")
            .result("rows", "f32", count).scalar(channels).scalar(height).scalar(width)
            .scalar(kernel).scalar(stride).scalar(pad).scalar(count))


def pooling(folder, r, width, height):
    window, stride = 3, 2
    out_width, out_height = (width - window) // stride + 1, (height - window) // stride + 1
    image = [r.uniform(-1, 1) for _ in range(width * height)]
    return (Input(folder, "pooling", out_width, grid_y=out_height)
            .data("in", floats(image), "f32").result("out", "f32", out_width * out_height)
            .scalar(width).scalar(out_width).scalar(out_height).scalar(window).scalar(stride))


def rows(folder, r, count, long_share):
    start = [0]
    for _ in range(count):
        long = r.random() < long_share
        start.append(start[-1] + (r.randint(20, 200) if long else r.choice((1, 1, 1, 2))))
    columns = [r.randrange(count) for _ in range(start[-1])]
    values = [r.uniform(-1, 1) for _ in range(start[-1])]
    x = [r.uniform(-1, 1) for _ in range(count)]
    return (Input(folder, "rows", count).data("start", words(start))
            .data("column", words(columns)).data("value", floats(values), "f32")
            .data("x", floats(x), "f32").result("y", "f32", count).scalar(count))


def shapes(folder, r, count, spheres):
    places = [r.uniform(-4, 4) if i % 4 < 3 else r.uniform(0.1, 1) for i in range(4 * count)]
    kinds = [0 if r.random() < spheres else r.choice((1, 2)) for _ in range(count)]
    points = [r.uniform(-2, 2) for _ in range(4096)]
    return (Input(folder, "shapes", 4096).data("places", floats(places), "f32")
            .data("kinds", words(kinds)).data("points", floats(points), "f32")
            .result("out", "f32", 4096).scalar(count))


def filters(folder, r, steps, common):
    chain = [0 if r.random() < common else r.choice((1, 2, 3)) for _ in range(steps)]
    pixels = [r.uniform(-2, 2) for _ in range(8000)]
    return (Input(folder, "filters", 8000).data("in", floats(pixels), "f32")
            .result("out", "f32", 8000).data("steps", words(chain)).scalar(steps).scalar(8000))


def lookup(folder, r, slots, load, missing):
    table, keys = [0] * slots, []
    for _ in range(int(slots * load)):
        key = r.randrange(1, 2**32)
        slot = ((key * 2654435761 & 0xffffffff) >> 7) % slots
        while table[slot]:
            slot = (slot + 1) % slots
        table[slot] = key
        keys.append(key)
    asked = [r.randrange(1, 2**32) if r.random() < missing else r.choice(keys)
             for _ in range(40000)]
    return (Input(folder, "lookup", 8192).data("keys", words(asked)).data("table", words(table))
            .result("found", "u32", len(asked)).scalar(slots).scalar(len(asked)))


def tokens(folder, r, length, rare):
    threads = 2048
    text = bytearray()
    while len(text) < threads * length:
        if r.random() < rare:
            text += r.choice((b"12.5 ", b"777 ", b"# note\n", b"a\\b "))
        else:
            text += bytes(r.randrange(97, 123) for _ in range(r.randint(8, 24))) + b" "
    return (Input(folder, "tokens", threads).data("text", bytes(text[:threads * length]), "u8")
            .result("out", "u32", 4 * threads).scalar(length).scalar(length))


def boxes(folder, r, count, size):
    low, high = [], []
    for _ in range(count):
        corner = [r.uniform(-60, 60) for _ in range(3)]
        low += corner + [r.random()]
        high += [c + r.uniform(0, size) for c in corner] + [r.random()]
    rays = [r.uniform(-2, 2) for _ in range(3 * 4096)]
    return (Input(folder, "boxes", 4096).data("low", floats(low), "f32")
            .data("high", floats(high), "f32").data("rays", floats(rays), "f32")
            .result("out", "f32", 4096).scalar(count, "s32").scalar(4, "s32"))


def records(folder, r, count, wrong):
    fields, limit = 6, 1000
    values = [r.randrange(limit) + (limit + 1 if r.random() < wrong else 0)
              for _ in range(fields * count)]
    return (Input(folder, "records", 8192).data("in", words(values))
            .result("sums", "u32", count).result("errors", "f64", count)
            .scalar(fields).scalar(count).scalar(limit))


def machine(folder, r, length, rare):
    code = []
    for _ in range(length):
        operation = r.randrange(2, 11) if r.random() < rare else r.choice((0, 0, 0, 1))
        code.append(r.randrange(1, 9000) << 8 | operation)
    return (Input(folder, "machine", 4096).data("code", words(code))
            .data("in", floats([r.uniform(-1, 1) for _ in range(4096)]), "f32")
            .result("out", "f32", 4096).scalar(length))


def roots(folder, r, count, far):
    values = [r.uniform(1, 8) for _ in range(count)]
    guesses = [1e-4 if r.random() < far else v ** (1 / 3) * r.uniform(0.99, 1.01) for v in values]
    return (Input(folder, "roots", 8192).data("in", floats(values), "f32")
            .data("guess", floats(guesses), "f32").result("out", "f32", count)
            .scalar(count).scalar(1e-3, "f32").scalar(8, "s32"))


def numbers(folder, r, count, long_share):
    threads, stride, modulus = 2048, 5 * count, 1000003
    content = bytearray()
    for _ in range(threads):
        stream = bytearray()
        for _ in range(count):
            more = r.randint(2, 4) if r.random() < long_share else r.choice((0, 0, 0, 1))
            stream += bytes(r.randrange(128, 256) for _ in range(more))
            stream.append(r.randrange(128))
        content += stream.ljust(stride, b"\0")
    return (Input(folder, "numbers", threads).data("bytes", bytes(content), "u8")
            .result("sums", "u32", threads).scalar(count).scalar(stride).scalar(modulus))


def cells(folder, r, count, others, points):
    """Runs of cells with four corners among those with eight."""
    corners = []
    while len(corners) < count:
        corners += [4 if r.random() < others else 8] * r.randint(100, 400)
    corners = corners[:count]
    first = [0]
    for n in corners:
        first.append(first[-1] + n)
    corner = [r.randrange(points) for _ in range(first[-1])]
    x, y = ([r.uniform(-1, 1) for _ in range(points)] for _ in range(2))
    return (Input(folder, "cells", count).data("first", words(first[:-1]))
            .data("corners", words(corners)).data("corner", words(corner))
            .data("x", floats(x), "f32").data("y", floats(y), "f32")
            .result("out", "f32", 3 * count).scalar(count))


def fits(folder, r, threads, steps, rare):
    slots, run = 65536, 32
    values = [r.uniform(0, 1) for _ in range(slots)]
    # Neighbours stay neighbours.
    links = [r.randrange(slots // run) * run for _ in range(slots // run)]
    links = [links[i // run] + i % run for i in range(slots)]
    far = [r.uniform(100, 200) if r.random() < rare / steps else v for v in values]
    return (Input(folder, "fits", threads).data("next", words(links))
            .data("value", floats(far), "f32").result("out", "f32", threads)
            .scalar(float(2 * steps), "f32").scalar(steps).scalar(slots - 1))


# By kernel: what is profiled, what is measured.
INPUTS = {
    "boxes": (boxes, (150, 2), (220, 4)),
    "cells": (cells, (60000, 0.03, 3000), (160000, 0.05, 5000)),
    "filters": (filters, (40, 0.9), (60, 0.85)),
    "fits": (fits, (196608, 24, 0.0005), (262144, 24, 0.001)),
    "lookup": (lookup, (16384, 0.3, 0.1), (16384, 0.4, 0.05)),
    "machine": (machine, (150, 0.06), (240, 0.1)),
    "numbers": (numbers, (40, 0.01), (60, 0.02)),
    "patches": (patches, (8, 32, 32), (8, 32, 32)),
    "pooling": (pooling, (258, 66), (386, 98)),
    "records": (records, (20000, 0.001), (30000, 0.002)),
    "roots": (roots, (40000, 0.0005), (60000, 0.001)),
    "rows": (rows, (16000, 0.005), (24000, 0.01)),
    "shapes": (shapes, (100, 0.95), (150, 0.9)),
    "tokens": (tokens, (160, 0.01), (240, 0.02)),
}


def make(kernel, profiled, folder, module):
    """Writes an input of a kernel into a folder. Returns the manifest's path and
    the names of the buffers with results."""
    function, profile_with, measure_with = INPUTS[kernel]
    made = function(folder, random.Random(kernel + ("-profile" if profiled else "-measure")),
                    *(profile_with if profiled else measure_with))
    return made.write(module), made.outputs
