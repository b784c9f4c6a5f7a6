"""Input and checks for programs of Rodinia, which mostly have none themselves.

Rodinia's data files are not with its sources, and most of its programs print
or write a result without looking at it. INPUTS makes small input files; CHECKS
says whether a result is right, by an algorithm that has nothing in common with
the kernels. survey.py calls both for rows with `input:` and `check:`.
"""
import ctypes
import math
import os
import random
import re


def write(folder, name, lines):
    """Writes a text file of the program's folder."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def read(folder, name):
    """The text of a file that the program wrote or was given."""
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def close(got, expected, tolerance=1e-3):
    """Whether two lists of numbers agree, relative to the expected ones."""
    return len(got) == len(expected) and all(
        abs(g - e) <= tolerance * max(1.0, abs(e)) for g, e in zip(got, expected)
    )


# --------------------------------------------------------------------------
# bfs: a graph in a file, the distance of each node from node 0 in another
# --------------------------------------------------------------------------

GRAPH = "heddle-graph.txt"
GRAPH_NODES, GRAPH_DEGREE = 3000, 4


def graph_edges():
    """The neighbours of each node; some nodes cannot be reached."""
    numbers = random.Random(1)
    return [
        [numbers.randrange(GRAPH_NODES) for _ in range(numbers.randrange(GRAPH_DEGREE))]
        for _ in range(GRAPH_NODES)
    ]


def make_graph(folder):
    edges = graph_edges()
    lines, start = [str(GRAPH_NODES)], 0
    for neighbours in edges:
        lines.append("%d %d" % (start, len(neighbours)))
        start += len(neighbours)
    lines += ["0", str(start)]
    lines += ["%d 1" % node for neighbours in edges for node in neighbours]
    write(folder, GRAPH, lines)


def check_bfs(_, folder):
    edges = graph_edges()
    costs, level = [-1] * GRAPH_NODES, 0
    frontier = [0]
    costs[0] = 0
    while frontier:
        level += 1
        reached = {n for node in frontier for n in edges[node] if costs[n] < 0}
        for node in reached:
            costs[node] = level
        frontier = list(reached)
    return costs == [int(c) for c in re.findall(r"cost:(-?\d+)", read(folder, "result.txt"))]


# --------------------------------------------------------------------------
# gaussian: eliminates in a system whose matrix it makes, and prints what is left
# --------------------------------------------------------------------------


def eliminate(rows):
    """Gives a system, with its right side as the last column, a triangle's form."""
    for column, pivot in enumerate(rows):
        for r in range(column + 1, len(rows)):
            factor = rows[r][column] / pivot[column]
            rows[r] = [a - factor * b for a, b in zip(rows[r], pivot)]
    return rows


def numbers_after(output, title, count):
    words = output.partition(title)[2].split()[:count]
    return [float(word) for word in words]


def check_gaussian(output, _):
    size = int(re.search(r"size = (\d+)", output).group(1))
    rows = eliminate(
        [[10 * math.exp(-0.01 * abs(i - j)) for j in range(size)] + [1.0] for i in range(size)]
    )
    # It prints two decimals.
    return close(
        numbers_after(output, "Matrix a is:", size * size),
        [value for row in rows for value in row[:size]],
        0.0101,
    ) and close(numbers_after(output, "Array b is:", size), [row[size] for row in rows], 0.0101)


# --------------------------------------------------------------------------
# hotspot: temperatures of a chip after some steps; hotspot3D checks itself
# --------------------------------------------------------------------------

HOTSPOT_SIZE, HOTSPOT_STEPS = 64, 8
HOTSPOT_LAYERS = 4


def numbers_between(seed, low, high, count):
    numbers = random.Random(seed)
    return ["%.6f" % numbers.uniform(low, high) for _ in range(count)]


def make_hotspot(folder):
    cells = HOTSPOT_SIZE * HOTSPOT_SIZE
    write(folder, "heddle-temp.txt", numbers_between(2, 320, 340, cells))
    write(folder, "heddle-power.txt", numbers_between(3, 0, 0.005, cells))


def make_hotspot3d(folder):
    cells = HOTSPOT_SIZE * HOTSPOT_SIZE * HOTSPOT_LAYERS
    write(folder, "heddle-temp.txt", numbers_between(2, 320, 340, cells))
    write(folder, "heddle-power.txt", numbers_between(3, 0, 0.005, cells))


def check_hotspot(_, folder):
    size = HOTSPOT_SIZE
    heat = [float(word) for word in read(folder, "heddle-temp.txt").split()]
    power = [float(word) for word in read(folder, "heddle-power.txt").split()]
    thick, edge, conductivity, per_volume = 0.0005, 0.016 / size, 100.0, 0.5 * 1.75e6
    capacity = per_volume * thick * edge * edge
    across = 1 / (2.0 * conductivity * thick)  # square cells
    up = thick / (conductivity * edge * edge)
    step = 0.001 / (3.0e6 / (thick * per_volume))
    for _ in range(HOTSPOT_STEPS):
        at = lambda i, j: heat[min(max(i, 0), size - 1) * size + min(max(j, 0), size - 1)]
        heat = [
            at(i, j)
            + step
            / capacity
            * (
                power[i * size + j]
                + (at(i + 1, j) + at(i - 1, j) - 2 * at(i, j)) / across
                + (at(i, j + 1) + at(i, j - 1) - 2 * at(i, j)) / across
                + (80.0 - at(i, j)) / up
            )
            for i in range(size)
            for j in range(size)
        ]
    written = [float(line.split()[1]) for line in read(folder, "heddle-out.txt").splitlines()]
    start = [float(word) for word in read(folder, "heddle-temp.txt").split()]
    # That nothing changed would be close, too.
    return not close(written, start, 1e-5) and close(written, heat, 1e-5)


# --------------------------------------------------------------------------
# nn: the records of a list that are nearest to a point
# --------------------------------------------------------------------------

NN_RECORDS, NN_RESULTS, NN_POINT = 2000, 5, (30.0, 90.0)


def nn_places():
    numbers = random.Random(4)
    return [
        (numbers.randrange(700) / 10, numbers.randrange(1800) / 10) for _ in range(NN_RECORDS)
    ]


def make_nn(folder):
    # Latitude and longitude stand in columns 28 and 33 of 49.
    records = [
        ("%-28s%5.1f%5.1f" % ("record %d" % i, *place)).ljust(48)
        for i, place in enumerate(nn_places())
    ]
    write(folder, "heddle-records.db", records)
    write(folder, "heddle-list.txt", ["heddle-records.db"])


def check_nn(output, _):
    nearest = sorted(
        ((x - NN_POINT[0]) ** 2 + (y - NN_POINT[1]) ** 2) ** 0.5 for x, y in nn_places()
    )
    printed = [float(word) for word in re.findall(r"Distance=([\d.]+)", output)]
    return close(printed, nearest[:NN_RESULTS])


# --------------------------------------------------------------------------
# nw: the way back through the scores of an alignment
# --------------------------------------------------------------------------

NW_SIZE, NW_PENALTY = 64, 10


def check_nw(_, folder):
    table = [
        [int(word) for word in row.split(",")]
        for row in re.findall(r"^\{([-\d, ]+)\}", read(folder, "needle.cu"), re.MULTILINE)
    ]
    libc = ctypes.CDLL(None)
    libc.srand(7)
    down = [libc.rand() % 10 + 1 for _ in range(NW_SIZE)]
    right = [libc.rand() % 10 + 1 for _ in range(NW_SIZE)]
    size = NW_SIZE + 1
    score = [[-NW_PENALTY * (i + j) for j in range(size)] for i in range(size)]
    match = lambda i, j: table[down[i - 1]][right[j - 1]]
    for i in range(1, size):
        for j in range(1, size):
            score[i][j] = max(
                score[i - 1][j - 1] + match(i, j),
                score[i][j - 1] - NW_PENALTY,
                score[i - 1][j] - NW_PENALTY,
            )
    i = j = size - 2
    first, *way = [int(word) for word in read(folder, "result.txt").partition(":")[2].split()]
    if first != score[i][j]:
        return False
    # Among ways that are as good as each other the program has its own taste.
    for value in way:
        steps = [(i - 1, j - 1), (i, j - 1), (i - 1, j)]
        steps = [(a, b) for a, b in steps if min(a, b) >= 0 and score[a][b] == value]
        if not steps:
            return False
        i, j = steps[0]
    return i == j == 0


# --------------------------------------------------------------------------
# pathfinder: the cheapest ways through a grid, which it prints
# --------------------------------------------------------------------------


def check_pathfinder(output, _):
    lines = [
        [int(word) for word in line.split()]
        for line in output.splitlines()
        if re.fullmatch(r"[\d ]+", line.strip() or "-")
    ]
    *wall, first, result = lines
    if not wall or first != wall[0]:
        return False
    costs = wall[0]
    for row in wall[1:]:
        costs = [
            row[i] + min(costs[max(i - 1, 0) : i + 2]) for i in range(len(row))
        ]
    return costs == result


# --------------------------------------------------------------------------
# huffman: compares with its own result, of any file
# --------------------------------------------------------------------------


def make_bytes(folder):
    numbers = random.Random(5)
    data = bytes(int(numbers.gauss(128, 12)) & 255 for _ in range(64 * 1024))
    with open(os.path.join(folder, "heddle-bytes.bin"), "wb") as file:
        file.write(data)


# What a row names -> what makes files in the program's folder, what judges
# (what the program printed, its folder).
INPUTS = {
    "graph": make_graph,
    "hotspot": make_hotspot,
    "hotspot3D": make_hotspot3d,
    "nn": make_nn,
    "bytes": make_bytes,
}
CHECKS = {
    "bfs": check_bfs,
    "gaussian": check_gaussian,
    "hotspot": check_hotspot,
    "nn": check_nn,
    "nw": check_nw,
    "pathfinder": check_pathfinder,
}
