"""The problems that Heddle and OpenCL solve: buffers, launches, and what comes out.

A problem is made from its name and size alone, the same in every process. The tiny
ones have what must come out, by plain Python in double precision; the full ones are
compared with another system.
"""
import array
import cmath
import collections
import hashlib
import math
import random
import struct


class Problem:
    """`buffers`: their first content, or the size of zeros. `launches`: entry, grid,
    block, and arguments, of which strings name buffers. `outputs`: the elements' type
    as `array` has it and how far two systems may be apart, by themselves and for each
    unit of the greatest one. `expected`: values of the outputs that have a reference."""

    def __init__(self, source, buffers, launches, outputs, expected=None):
        self.source, self.buffers, self.launches = source, buffers, launches
        self.outputs = outputs
        self.expected = expected or {}


EXACT = 0.0
MAKERS = collections.OrderedDict()


def maker(function):
    MAKERS[function.__name__] = function
    return function


def make(name, tiny):
    return MAKERS[name](tiny)


PERIOD = 65521  # The greatest prime of 16 bits: no power of two meets itself again.


def repeated(values, count):
    """So many elements, from an array of fewer."""
    whole = values * (count // len(values) + 1)
    return whole[:count]


def floats(count, low=-1.0, high=1.0, seed=1):
    draw = random.Random(seed)
    values = array.array("f", [draw.uniform(low, high) for _ in range(min(count, PERIOD))])
    return repeated(values, count)


def words(count, seed=1):
    values = array.array("I", random.Random(seed).randbytes(4 * min(count, PERIOD)))
    return repeated(values, count)


def blocks(count, width):
    return -(-count // width)


def ints(values):
    return array.array("i", values)


@maker
def saxpy(tiny):
    count = 1000 if tiny else 1 << 24
    x, y = floats(count), floats(count, seed=2)
    expected = [2.5 * a + b for a, b in zip(x, y)] if tiny else None
    return Problem("elementwise", {"x": x.tobytes(), "y": y.tobytes(), "out": 4 * count},
                   [("saxpy", [blocks(count, 256)], [256], count, 2.5, "x", "y", "out")],
                   {"out": ("f", 1e-6)}, tiny and {"out": expected})


@maker
def bias_relu(tiny):
    columns, rows = (200, 3) if tiny else (4096, 2048)
    values, bias = floats(columns * rows), floats(columns, seed=2)
    expected = [max(v + bias[i % columns], 0) for i, v in enumerate(values)] if tiny else None
    return Problem("elementwise",
                   {"in": values.tobytes(), "bias": bias.tobytes(), "out": 4 * columns * rows},
                   [("biasRelu", [blocks(columns // 4, 256), rows], [256], columns // 4, rows,
                     "in", "bias", "out")],
                   {"out": ("f", 1e-6)}, tiny and {"out": expected})


@maker
def cast(tiny):
    count = 1000 if tiny else 1 << 23
    values = floats(count, -100, 100)
    expected = [struct.unpack("<H", struct.pack("<e", v))[0] for v in values] if tiny else None
    return Problem("elementwise", {"in": values.tobytes(), "out": 2 * count},
                   [("cast", [blocks(count, 256)], [256], count, "in", "out")],
                   {"out": ("H", EXACT)}, tiny and {"out": expected})


@maker
def gather(tiny):
    count, size = (1000, 300) if tiny else (1 << 22, 1 << 20)
    places = array.array("I", [w % size for w in words(min(count, 1 << 20))])
    places = repeated(places, count)
    table = floats(size, seed=2)
    expected = [table[p] for p in places] if tiny else None
    return Problem("elementwise",
                   {"places": places.tobytes(), "table": table.tobytes(), "out": 4 * count},
                   [("gather", [blocks(count, 256)], [256], count, "places", "table", "out")],
                   {"out": ("f", EXACT)}, tiny and {"out": expected})


@maker
def reduce(tiny):
    count, width = (5000, 4) if tiny else (1 << 24, 256)
    values = floats(count, 0, 1)
    expected = [math.fsum(values)] if tiny else None
    return Problem("reduction", {"in": values.tobytes(), "sums": 4 * width, "out": 4},
                   [("reduce", [width], [256], count, "in", "sums"),
                    ("reduce", [1], [256], width, "sums", "out")],
                   {"out": ("f", 1e-5)}, tiny and {"out": expected})


@maker
def scan(tiny):
    count = 1000 if tiny else 1 << 22
    values = array.array("I", [w & 0xFFFF for w in words(min(count, PERIOD))])
    values = repeated(values, count)
    buffers, launches, back = {"in": values.tobytes(), "out": 4 * count}, [], []
    source, place, left, level = "in", "out", count, 0
    while True:
        sums = "sums%d" % level
        buffers[sums] = 4 * blocks(left, 256)
        launches.append(("scanBlocks", [blocks(left, 256)], [256], left, source, place, sums))
        if left <= 256:
            break
        up_to = "up%d" % level
        buffers[up_to] = buffers[sums]
        back.insert(0, ("scanAdd", [blocks(left, 256)], [256], left, up_to, place))
        source, place, left, level = sums, up_to, blocks(left, 256), level + 1
    expected, total = [], 0
    for value in values if tiny else []:
        total = (total + value) & 0xFFFFFFFF
        expected.append(total)
    return Problem("reduction", buffers, launches + back, {"out": ("I", EXACT)},
                   tiny and {"out": expected})


@maker
def histogram(tiny):
    count, width = (3000, 2) if tiny else (1 << 22, 256)
    values = words(count)
    counts = collections.Counter(values.tobytes()) if tiny else {}
    return Problem("reduction", {"in": values.tobytes(), "bins": 1024},
                   [("zero", [1], [256], 256, "bins"),
                    ("histogram", [width], [256], count, "in", "bins")],
                   {"bins": ("I", EXACT)}, tiny and {"bins": [counts[i] for i in range(256)]})


@maker
def stencil2d(tiny):
    width, height = (70, 20) if tiny else (2048, 2048)
    v = floats(width * height)
    expected = [0.0] * (width * height)
    for y in range(1, height - 1) if tiny else []:
        for i in range(y * width + 1, y * width + width - 1):
            expected[i] = 0.125 * (v[i - 1] + v[i + 1] + v[i - width] + v[i + width]) + 0.5 * v[i]
    return Problem("stencil", {"in": v.tobytes(), "out": 4 * width * height},
                   [("stencil2d", [blocks(width, 32), blocks(height, 8)], [32, 8], width, height,
                     "in", "out")],
                   {"out": ("f", 1e-6)}, tiny and {"out": expected})


@maker
def stencil3d(tiny):
    width, height, depth = (40, 12, 5) if tiny else (256, 256, 64)
    plane = width * height
    v = floats(plane * depth)
    expected = [0.0] * (plane * depth)
    for z in range(1, depth - 1) if tiny else []:
        for y in range(1, height - 1):
            for x in range(1, width - 1):
                i = z * plane + y * width + x
                around = sum(v[i + d] for d in (-1, 1, -width, width, -plane, plane))
                expected[i] = 0.0625 * around + 0.625 * v[i]
    return Problem("stencil", {"in": v.tobytes(), "out": 4 * plane * depth},
                   [("stencil3d", [blocks(width, 32), blocks(height, 8)], [32, 8], width, height,
                     depth, "in", "out")],
                   {"out": ("f", 1e-6)}, tiny and {"out": expected})


@maker
def transpose(tiny):
    width, height = (64, 32) if tiny else (2048, 2048)
    v = floats(width * height)
    expected = [v[y * width + x] for x in range(width) for y in range(height)] if tiny else None
    return Problem("stencil", {"in": v.tobytes(), "out": 4 * width * height},
                   [("transpose", [width // 32, height // 32], [32, 8], width, height,
                     "in", "out")],
                   {"out": ("f", EXACT)}, tiny and {"out": expected})


def product(a, b, size):
    columns = [b[j::size] for j in range(size)]
    rows = [a[i * size:(i + 1) * size] for i in range(size)]
    return [sum(x * y for x, y in zip(row, column)) for row in rows for column in columns]


@maker
def sgemm(tiny):
    size = 32 if tiny else 512
    a, b = floats(size * size), floats(size * size, seed=2)
    return Problem("matrix", {"a": a.tobytes(), "b": b.tobytes(), "c": 4 * size * size},
                   [("sgemm", [size // 16, size // 16], [16, 16], size, "a", "b", "c")],
                   {"c": ("f", 1e-5)}, tiny and {"c": product(a, b, size)})


@maker
def hgemm(tiny):
    size = 64 if tiny else 512
    draw = random.Random(1)
    a, b = ([draw.randrange(-64, 65) / 64 for _ in range(size * size)] for _ in range(2))
    halves = "<%de" % (size * size)
    return Problem("matrix", {"a": struct.pack(halves, *a), "b": struct.pack(halves, *b),
                              "c": 4 * size * size},
                   [("hgemm", [size // 64, size // 64], [128], size, "a", "b", "c")],
                   {"c": ("f", 1e-5)}, tiny and {"c": product(a, b, size)})


ROW = 1024


@maker
def softmax(tiny):
    rows = 2 if tiny else 4096
    v = floats(rows * ROW, -8, 8)
    expected = []
    for row in range(rows) if tiny else []:
        powers = [math.exp(x) for x in v[row * ROW:(row + 1) * ROW]]
        total = math.fsum(powers)
        expected += [p / total for p in powers]
    return Problem("network", {"in": v.tobytes(), "out": 4 * rows * ROW},
                   [("softmax", [rows], [256], "in", "out")],
                   {"out": ("f", 1e-5)}, tiny and {"out": expected})


@maker
def layernorm(tiny):
    rows = 2 if tiny else 4096
    v, weight, bias = floats(rows * ROW), floats(ROW, seed=2), floats(ROW, seed=3)
    expected = []
    for row in range(rows) if tiny else []:
        values = v[row * ROW:(row + 1) * ROW]
        mean = math.fsum(values) / ROW
        scale = 1 / math.sqrt(math.fsum((x - mean) ** 2 for x in values) / ROW + 1e-5)
        expected += [(x - mean) * scale * w + b for x, w, b in zip(values, weight, bias)]
    return Problem("network", {"in": v.tobytes(), "weight": weight.tobytes(),
                               "bias": bias.tobytes(), "out": 4 * rows * ROW},
                   [("layernorm", [rows], [256], "in", "weight", "bias", "out")],
                   {"out": ("f", 1e-5)}, tiny and {"out": expected})


def attention_row(query, keys, values, scale):
    scores = [scale * sum(a * b for a, b in zip(query, key)) for key in keys]
    powers = [math.exp(s - max(scores)) for s in scores]
    total = math.fsum(powers)
    return [sum(p * v[i] for p, v in zip(powers, values)) / total for i in range(len(query))]


@maker
def attention(tiny):
    length, depth = (64, 32) if tiny else (2048, 32)
    scale = depth ** -0.5
    q, k, v = (floats(length * depth, -2, 2, seed) for seed in (1, 2, 3))
    expected = []
    if tiny:
        rows = [[m[i * depth:(i + 1) * depth] for i in range(length)] for m in (q, k, v)]
        for query in rows[0]:
            expected += attention_row(query, rows[1], rows[2], scale)
    return Problem("network", {"q": q.tobytes(), "k": k.tobytes(), "v": v.tobytes(),
                               "out": 4 * length * depth},
                   [("attention", [length // 64], [64], length, scale, "q", "k", "v", "out")],
                   {"out": ("f", 1e-5)}, tiny and {"out": expected})


@maker
def sort(tiny):
    count, tile = (4096, 1024) if tiny else (1 << 18, 1024)
    values = words(count)
    launches = [("sortTiles", [count // tile], [512], 2, tile, "in", "out")]
    run = 2 * tile
    while run <= count:
        distance = run // 2
        while distance >= tile:
            launches.append(("sortAcross", [count // 512], [256], run, distance, "out"))
            distance //= 2
        launches.append(("sortTiles", [count // tile], [512], run, run, "out", "out"))
        run *= 2
    return Problem("sort", {"in": values.tobytes(), "out": 4 * count}, launches,
                   {"out": ("I", EXACT)}, tiny and {"out": sorted(values)})


def rows_of_indices(rows, least, most, columns):
    """Where each row starts, and the indices of all rows."""
    draw = random.Random(7)
    starts, count = [0], 0
    for _ in range(rows):
        count += draw.randint(least, most)
        starts.append(count)
    return ints(starts), ints([w % columns for w in array.array("I", draw.randbytes(4 * count))])


@maker
def spmv(tiny):
    rows = 300 if tiny else 1 << 17
    starts, columns = rows_of_indices(rows, 4, 28, rows)
    values, x = floats(len(columns)), floats(rows, seed=2)
    expected = [sum(values[i] * x[columns[i]] for i in range(starts[r], starts[r + 1]))
                for r in range(rows)] if tiny else None
    return Problem("sparse", {"starts": starts.tobytes(), "columns": columns.tobytes(),
                              "values": values.tobytes(), "x": x.tobytes(), "y": 4 * rows},
                   [("spmv", [blocks(rows, 256)], [256], rows, "starts", "columns", "values", "x",
                     "y")],
                   {"y": ("f", 1e-5)}, tiny and {"y": expected})


def levels_from(starts, targets):
    """The distance of each node from the first one."""
    levels = [-1] * (len(starts) - 1)
    levels[0], front, level = 0, [0], 0
    while front:
        level, following = level + 1, []
        for node in front:
            for target in targets[starts[node]:starts[node + 1]]:
                if levels[target] < 0:
                    levels[target] = level
                    following.append(target)
        front = following
    return levels


@maker
def bfs(tiny):
    nodes = 300 if tiny else 1 << 17
    starts, targets = rows_of_indices(nodes, 2, 14, nodes)
    levels = levels_from(starts, targets)
    width = blocks(nodes, 256)
    launches = [("bfsStart", [width], [256], nodes, "levels")]
    launches += [("bfsStep", [width], [256], nodes, level, "starts", "targets", "levels")
                 for level in range(max(levels) + 1)]
    return Problem("sparse", {"starts": starts.tobytes(), "targets": targets.tobytes(),
                              "levels": 4 * nodes},
                   launches, {"levels": ("i", EXACT)}, {"levels": levels})


def transform(values):
    if len(values) == 1:
        return values
    even, odd = transform(values[::2]), transform(values[1::2])
    turned = [cmath.exp(-2j * cmath.pi * i / len(values)) * o for i, o in enumerate(odd)]
    return [e + t for e, t in zip(even, turned)] + [e - t for e, t in zip(even, turned)]


@maker
def fft(tiny):
    points, count = 1024, 2 if tiny else 2048
    roots = array.array("f")
    for i in range(points // 2):
        root = cmath.exp(-2j * cmath.pi * i / points)
        roots.extend((root.real, root.imag))
    v = floats(2 * points * count)
    expected = []
    for start in range(0, 2 * points * count, 2 * points) if tiny else []:
        part = v[start:start + 2 * points]
        for value in transform([complex(a, b) for a, b in zip(part[::2], part[1::2])]):
            expected += (value.real, value.imag)
    return Problem("signal", {"roots": roots.tobytes(), "in": v.tobytes(),
                              "out": 8 * points * count},
                   [("fft", [count], [512], "roots", "in", "out")],
                   {"out": ("f", 1e-5)}, tiny and {"out": expected})


@maker
def nbody(tiny):
    count = 256 if tiny else 8192
    v = floats(4 * count, 0, 1)
    bodies = [v[i:i + 4] for i in range(0, 4 * count, 4)]
    expected = []
    for here in bodies if tiny else []:
        sums = [0.0] * 3
        for there in bodies:
            d = [a - b for a, b in zip(there[:3], here[:3])]
            force = there[3] * (d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + 1e-3) ** -1.5
            sums = [s + x * force for s, x in zip(sums, d)]
        expected += [*sums, here[3]]
    return Problem("physics", {"in": v.tobytes(), "out": 16 * count},
                   [("nbody", [count // 256], [256], count, "in", "out")],
                   {"out": ("f", 1e-4)}, tiny and {"out": expected})


@maker
def mandelbrot(tiny):
    """Points far outside leave at once, those inside never: only these are sure."""
    width, height, limit = (40, 30, 50) if tiny else (1024, 1024, 256)
    return Problem("physics", {"out": 4 * width * height},
                   [("mandelbrot", [blocks(width, 32), blocks(height, 8)], [32, 8], width, height,
                     limit, "out")],
                   {"out": ("I", EXACT)}, tiny and {"out": escape_steps(width, height, limit)})


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def escape_steps(width, height, limit):
    """With the roundings of the kernel: a product and a sum of single precision are
    exact enough in double precision to be rounded once."""
    steps = []
    for row in range(height):
        b = single(row * single(single(2.5) / height) - 1.25)
        for column in range(width):
            a = single(column * single(3.0 / width) - 2.0)
            x = y = 0.0
            for count in range(limit + 1):
                square = single(y * y)
                if count == limit or single(x * x + square) > 4:
                    break
                x, y = single(x * x + single(a - square)), single(2 * x * y + b)
            steps.append(count)
    return steps


def normal(value):
    return 0.5 * math.erfc(-value / math.sqrt(2))


@maker
def blackscholes(tiny):
    count, rate, volatility = 500 if tiny else 1 << 21, 0.02, 0.3
    prices, strikes, years = (floats(count, *r) for r in ((5, 30, 1), (5, 60, 2), (0.25, 5, 3)))
    calls, puts = [], []
    for s, k, t in zip(prices, strikes, years) if tiny else []:
        spread = volatility * math.sqrt(t)
        d1 = (math.log(s / k) + (rate + volatility ** 2 / 2) * t) / spread
        discounted = k * math.exp(-rate * t)
        calls.append(s * normal(d1) - discounted * normal(d1 - spread))
        puts.append(discounted * normal(spread - d1) - s * normal(-d1))
    return Problem("physics", {"prices": prices.tobytes(), "strikes": strikes.tobytes(),
                               "years": years.tobytes(), "calls": 4 * count, "puts": 4 * count},
                   [("blackscholes", [blocks(count, 256)], [256], count, rate, volatility,
                     "prices", "strikes", "years", "calls", "puts")],
                   {"calls": ("f", 1e-6), "puts": ("f", 1e-6)},
                   tiny and {"calls": calls, "puts": puts})


@maker
def sha256(tiny):
    """Message i has words i, i + count and so on, the most significant byte first."""
    count = 200 if tiny else 1 << 18
    messages = words(8 * count)
    expected = [0] * (8 * count)
    for i in range(count) if tiny else []:
        digest = hashlib.sha256(struct.pack(">8I", *messages[i::count])).digest()
        expected[i::count] = struct.unpack(">8I", digest)
    return Problem("hash", {"in": messages.tobytes(), "out": 32 * count},
                   [("sha256", [blocks(count, 256)], [256], count, "in", "out")],
                   {"out": ("I", EXACT)}, tiny and {"out": expected})


def philox_words(counter, seed):
    c, k = [counter, 0, 0, 0], [seed, 0]
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ k[0], second & 0xFFFFFFFF,
             first >> 32 ^ c[3] ^ k[1], first & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


@maker
def philox(tiny):
    count, seed = 300 if tiny else 1 << 21, 12345
    expected = [w for i in range(count) for w in philox_words(i, seed)] if tiny else None
    return Problem("hash", {"out": 16 * count},
                   [("philox", [blocks(count, 256)], [256], count, seed, "out")],
                   {"out": ("I", EXACT)}, tiny and {"out": expected})
