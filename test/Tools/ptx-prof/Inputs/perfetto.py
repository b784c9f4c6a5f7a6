"""Reads traces of Perfetto by the published numbers of their fields, with nothing of ours.

read(path) gives the tracks by number, each with its name, parent, slices, marks and values. It fails on what
Perfetto's own reader complains about: slices of a track that overlap without one in the other, ends without a beginning,
events on tracks that are not described, numbers of texts that are not there (yet).
"""
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message: number, value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "cut short"
        else:
            raise AssertionError("wire type %d" % kind)
        yield key >> 3, value


def describe(tracks, message):
    track = {"name": "", "parent": 0, "process": None, "counter": False, "unit": "", "slices": [], "marks": [], "values": [],
             "events": []}
    for number, value in fields(message):
        if number == 1:
            uuid = value
        elif number == 2:
            track["name"] = value.decode()
        elif number == 3:
            track["process"] = {n: v for n, v in fields(value)}[6].decode()
        elif number == 5:
            track["parent"] = value
        elif number == 8:
            track["counter"] = True
            track["unit"] = {n: v for n, v in fields(value)}.get(6, b"").decode()
    assert uuid not in tracks and (not track["parent"] or track["parent"] in tracks)
    tracks[uuid] = track


def sample(texts, time, message):
    parts = dict(fields(message))
    return {"time": time, "cpu": parts[1], "process": parts[2], "thread": parts[3], "frames": texts[STACKS, parts[4]]}


# The fields of InternedData: those that hold texts, and those of call stacks.
EVENT_NAMES, ARGUMENT_NAMES, FUNCTION_NAMES, MODULE_PATHS, ARGUMENT_TEXTS = TEXTS = 2, 3, 5, 17, 29
FRAMES, STACKS, MODULES = 6, 7, 19


def intern(texts, message):
    for number, value in fields(message):
        parts = list(fields(value))
        entry = dict(parts)
        assert (number, entry[1]) not in texts
        if number in TEXTS:
            text = entry[2].decode()
        elif number == MODULES:
            text = texts[MODULE_PATHS, entry[7]]
        elif number == FRAMES:
            text = {"function": texts[FUNCTION_NAMES, entry[2]] if 2 in entry else "",
                    "module": texts[MODULES, entry[3]] if 3 in entry else "", "address": entry[4]}
        else:
            assert number == STACKS
            text = [texts[FRAMES, frame] for n, frame in parts if n == 2]
        texts[number, entry[1]] = text


def argument(texts, message):
    """The name and the text of an argument; numbers are texts, too."""
    parts = dict(fields(message))
    name = parts[10].decode() if 10 in parts else texts[ARGUMENT_NAMES, parts[1]]
    if 3 in parts:
        return name, str(parts[3])
    return name, parts[6].decode() if 6 in parts else texts[ARGUMENT_TEXTS, parts[17]]


def event(tracks, texts, time, message):
    found = {"time": time, "arguments": {}}
    for number, value in fields(message):
        if number == 9:
            found["type"] = value
        elif number == 11:
            track = tracks[value]
        elif number == 23:
            found["name"] = value.decode()
        elif number == 10:
            found["name"] = texts[EVENT_NAMES, value]
        elif number == 44:
            found["value"] = struct.unpack("<d", value)[0]
        elif number == 4:
            name, text = argument(texts, value)
            found["arguments"][name] = text
    assert track["counter"] == (found["type"] == 4)
    track["values" if track["counter"] else "events"].append(found)


def nest(track):
    """Pairs beginnings and ends, as Perfetto does: by time, in the order of the file where times are equal."""
    stack = []
    for e in sorted(track["events"], key=lambda e: e["time"]):
        if e["type"] == 1:
            stack.append(e)
        elif e["type"] == 3:
            track["marks"].append(e)
        else:
            assert stack, "an end without a beginning on " + track["name"]
            begin = stack.pop()
            track["slices"].append((begin["time"], e["time"], begin["name"], begin["arguments"]))
    assert not stack, "a beginning without an end on " + track["name"]
    track["slices"].sort(key=lambda s: s[:2])


def read_all(path):
    with open(path, "rb") as file:
        data = file.read()
    tracks, texts, samples, has_begun = {}, {}, [], False
    for number, packet in fields(data):
        assert number == 1
        parts = dict(fields(packet))
        assert parts[10] == 1
        # Numbers of texts count from a packet on that says so; packets that have some say so, too.
        has_begun = has_begun or parts.get(13) == 1
        assert has_begun or 13 not in parts
        if 60 in parts:
            describe(tracks, parts[60])
        elif 12 in parts:
            intern(texts, parts[12])
        elif 66 in parts:
            samples.append(sample(texts, parts[8], parts[66]))
        elif 11 in parts:
            assert parts[13] == 2
            event(tracks, texts, parts[8], parts[11])
    for track in tracks.values():
        nest(track)
    return tracks, samples


def read(path):
    return read_all(path)[0]


def read_samples(path):
    """The samples of the CPU, whose frames begin with the outermost function."""
    return read_all(path)[1]
