"""Compares what a debugger sees of variables of the source, at every instruction of
a thread, with what an interpreter of the PTX gave to the variables' registers,
and stored to them in local memory.

Of structures and arrays each number is compared by itself, since the compiler may
have them in pieces. Values that follow one another and are equal count once. What
is seen must be values that the variable got, in their order: with the optimiser it
may be nowhere at times, without it nearly all of them are there. In front of its
first write what is in memory may hold anything.

Each launch of a manifest is followed, one behind the other. Where PTX lets the
compiler choose, the optimiser's choice is not the interpreter's: mul and add may
become fma, and .approx is any number near enough. For kernels with such code
--ulps says by how many units in the last place floating-point variables may differ
with optimisation; how many follows from the manual's bounds and how often results
are added up.

usage: compare_variables.py [--thread N] [--steps N] [--ulps N] [--module PTX] MANIFEST...
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from heddle.debug import DebugError, Session, find_tool

LEVELS = ("-O0", "-O1", "-O2", "-O3")


def add(sequences, key, value):
    seen = sequences.setdefault(key, [])
    if not seen or seen[-1] != value:
        seen.append(value)


def with_module(manifest, module, folder):
    """The manifest with another module, in a file of its own."""
    def absolute(value):
        if isinstance(value, dict):
            return {k: os.path.join(os.path.dirname(os.path.abspath(manifest)), v)
                    if k == "file" else absolute(v) for k, v in value.items()}
        return [absolute(v) for v in value] if isinstance(value, list) else value
    with open(manifest) as file:
        content = absolute(json.load(file))
    content["module"] = os.path.abspath(module)
    path = os.path.join(folder, os.path.basename(manifest))
    with open(path, "w") as file:
        json.dump(content, file)
    return path


class Given:
    """What the interpreter gave to a variable: all of it, a piece, or its memory."""

    def __init__(self):
        self.events = []  # Offset, bytes (None: the register's), whether in memory, number.

    def add(self, words):
        *piece, value = words
        offset, size = map(int, piece[0].split("+")) if piece else (0, None)
        is_memory = not value.startswith("0x")
        if is_memory:
            size = len(value) // 2
        number = int.from_bytes(bytes.fromhex(value), "little") if is_memory else int(value, 16)
        self.events.append((offset, size, is_memory, number))

    def sequence(self, offset, size):
        """The values of some bytes; without a size, of whatever the registers hold."""
        result = []
        for begin, length, _, number in self.events:
            if offset < begin or size and length and offset + size > begin + length:
                continue
            value = number >> 8 * (offset - begin)
            if size:
                value &= (1 << 8 * size) - 1
            if not result or result[-1] != value:
                result.append(value)
        return result

    def is_in_memory(self):
        return any(is_memory for _, _, is_memory, _ in self.events)


def interpreted(manifest, thread):
    """By name and line, what a thread of the first block gave."""
    command = [find_tool(None).replace("ptx-debug", "ptx-run"), "--interpret", "--variables", manifest]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    given = {}
    for line in output.splitlines():
        words = line.split(" ")
        if words[:2] == ["0,0,0", "%d,0,0" % thread] and words[-1] != "-":
            given.setdefault((words[4], int(words[3])), Given()).add(words[5:])
    return given


def is_floating(text):
    """How many bytes a type has that ptype says, if its values are floating-point; else 0."""
    return {"float": 4, "double": 8}.get(text.split("=")[-1].strip().removeprefix("const "), 0)


class Reader:
    """Reads the variables of a thread where it stands.

    Values are kept apart by activation: a function that calls itself has its
    variables once for each call that is not done, and one that is inlined once for
    each copy, whose instructions may be mixed with those of others.
    """

    FRAMES = 3  # The innermost ones that are looked at.

    def __init__(self, session):
        self.session = session
        self.sequences, self.types = {}, {}
        self.activations = [0]  # By depth, which of those that ever were there.
        self.depth = 0

    def read(self, stop):
        depth = len(stop.frames)
        while len(self.activations) <= depth:
            self.activations.append(0)
        for d in range(self.depth + 1, depth + 1):
            self.activations[d] += 1
        self.depth = depth
        for frame in range(min(depth, self.FRAMES)):
            if frame:
                self.session.command("frame %d" % frame)
            for kind in ("arguments", "locals"):
                for v in json.loads(self.session.command("json variables " + kind))["variables"]:
                    self.add(v, depth - frame)

    def add(self, v, depth):
        """A variable, by name and line of the declaration, or the numbers that it is
        made of. Pointers count from other places than the interpreter's; a reference
        is what it refers to, which no register has.
        """
        key = (v["name"], v["line"])
        if key not in self.types:
            self.types[key] = self.session.command("ptype " + v["name"]).rstrip()
        if self.types[key].split(" {")[0].endswith("&"):
            return
        place = (depth, self.activations[depth], v["entry"])
        if "bits" in v and " *" not in v["type"]:
            self.note(key, 0, None, is_floating(self.types[key]), place, v["bits"])
        for n in v.get("numbers", []):
            self.note(key, n["offset"], n["bytes"], n["bytes"] if n["floating"] else 0, place, n["bits"])

    def note(self, key, offset, size, floating, place, bits):
        sequences = self.sequences.setdefault((*key, offset, size, floating), {})
        add(sequences, place, int(bits, 16))


def follow(session, thread, steps, reader):
    """Reads at every instruction of a thread in a launch, at most `steps`. Whether
    it came to its end, and how many steps it took. The next launch may have begun.
    """
    session.focus(thread=thread)
    kernel = session.stop().kernel
    for step in range(steps):
        stop = session.stop()
        if stop is None or stop.kernel != kernel or (stop.thread_index, stop.block_index) != (
                (thread, 0, 0), (0, 0, 0)):
            return True, step
        reader.read(stop)
        try:
            session.command("stepi")
        except DebugError:
            return False, step
    return False, steps


def debugged(manifest, level, thread, steps):
    """What the debugger saw, and whether the thread came to the end of each launch."""
    with Session(manifest, [level]) as s:
        s.command("catch launch")
        stop = s.run()
        reader = Reader(s)
        is_over = True
        while stop:
            kernel = stop.kernel
            is_done, taken = follow(s, thread, steps, reader)
            is_over &= is_done
            steps -= taken
            stop = s.stop()
            if stop and stop.kernel == kernel:
                stop = s.resume()
        return reader, is_over


def is_in_order(part, whole, same):
    rest = iter(whole)
    return all(any(same(value, other) for other in rest) for value in part)


def ordered(bits, size):
    """A floating-point number's place among all of its type."""
    sign = 1 << (8 * size - 1)
    return bits if bits < sign else sign - bits


def matches(seen, given, may_begin, size, ulps):
    """Whether values are those of an entry; registers may be wider than types."""
    def same(a, b):
        return a == b or size and abs(ordered(a, size) - ordered(b, size)) <= ulps
    widest = max(seen)
    for bits in (8, 16, 32, 64):
        if widest >> bits or bits < 8 * size:
            continue
        cut = []
        for value in given:
            value &= (1 << bits) - 1
            if not cut or cut[-1] != value:
                cut.append(value)
        if is_in_order(seen, cut, same) or may_begin and is_in_order(seen[1:], cut, same):
            return True
    return False


def compare_level(manifest, level, given, reader, ulps):
    """Prints what differs; how many values were seen, or None."""
    count, passed = 0, True
    for (name, line, offset, size, floating), sequences in reader.sequences.items():
        if (name, line) not in given:
            continue
        variable = given[name, line]
        expected = variable.sequence(offset, size)
        for values in sequences.values():
            count += len(values)
            if not matches(values, expected, level == "-O0" or variable.is_in_memory(), floating, ulps):
                passed = False
                print("%s %s: %s of line %d, at %d, is %s, interpreted %s" % (
                    manifest, level, name, line, offset, values[:20], expected[:20]))
    return count, passed


def compare(manifest, thread, steps, ulps):
    given = interpreted(manifest, thread)
    passed = True
    counts, known_ever = [], set()
    for level in LEVELS:
        reader, is_over = debugged(manifest, level, thread, steps)
        if level == "-O0":
            is_complete = is_over
        count, agrees = compare_level(manifest, level, given, reader, ulps)
        counts.append(count)
        passed &= agrees
        known_ever |= {key[:4] for key in reader.sequences if key[:2] in given}
    total = sum(len(given[key[:2]].sequence(*key[2:])) for key in known_ever)
    print("%s: %d variables get %d values; seen at %s: %s" % (
        manifest, len(given), total, " ".join(LEVELS), " ".join(map(str, counts))))
    if total == 0 or is_complete and counts[0] < 0.8 * total:
        passed = False
        print("%s: too few without optimisation" % manifest)
    return passed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--thread", type=int, default=5)
    parser.add_argument("--module")
    parser.add_argument("--ulps", type=int, default=0)
    parser.add_argument("manifests", nargs="+")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        manifests = [with_module(m, a.module, folder) if a.module else m for m in a.manifests]
        passed = [compare(m, a.thread, a.steps, a.ulps) for m in manifests]
    print("PASS" if all(passed) else "FAIL")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
