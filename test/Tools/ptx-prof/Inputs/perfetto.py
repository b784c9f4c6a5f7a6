"""Reads traces of Perfetto by the published numbers of their fields, with nothing of ours.

read(path) gives the tracks by number, each with its name, parent, slices, marks and values. It fails on what
Perfetto's own reader complains about: slices of a track that overlap without one in the other, ends without a beginning,
events on tracks that are not described.
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


def event(tracks, time, message):
    found = {"time": time, "arguments": {}}
    for number, value in fields(message):
        if number == 9:
            found["type"] = value
        elif number == 11:
            track = tracks[value]
        elif number == 23:
            found["name"] = value.decode()
        elif number == 44:
            found["value"] = struct.unpack("<d", value)[0]
        elif number == 4:
            argument = dict(fields(value))
            found["arguments"][argument[10].decode()] = argument[6].decode()
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


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    tracks = {}
    for number, packet in fields(data):
        assert number == 1
        parts = dict(fields(packet))
        assert parts[10] == 1
        if 60 in parts:
            describe(tracks, parts[60])
        else:
            event(tracks, parts[8], parts[11])
    for track in tracks.values():
        nest(track)
    return tracks
