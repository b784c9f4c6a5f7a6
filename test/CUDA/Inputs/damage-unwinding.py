"""Damages the table of unwinding of a program (.eh_frame_hdr).

usage: damage-unwinding.py PROGRAM OUTPUT

Writes OUTPUT.0 and so on, in each of which one thing is wrong.
"""
import os
import struct
import sys

EH_FRAME = 0x6474E550


def find_table(data):
    offset, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for at in range(offset, offset + 56 * count, 56):
        kind, _, start = struct.unpack_from("<IIQ", data, at)
        if kind == EH_FRAME:
            return at, start
    sys.exit("no table in the program")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    header, table = find_table(data)
    changes = [
        (header + 8, b"\xff" * 8),  # behind the file
        (header, b"\0" * 4),  # not there
        (table, b"\2"),  # another version
        (table + 3, b"\x1b"),  # entries of another form
        (table + 8, b"\xff" * 4),  # more entries than the file has room for
        (table + 12, b"\xff\xff\xff\x7f" * 3000),  # descriptions behind the file
    ]
    for i, (at, value) in enumerate(changes):
        path = "%s.%d" % (sys.argv[2], i)
        with open(path, "wb") as file:
            file.write(data[:at] + value + data[at + len(value) :])
        os.chmod(path, 0o755)


if __name__ == "__main__":
    main()
