"""The size of a PNG file's image, and of its pixels; checks its checksums."""
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    data = file.read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, pixels = 8, b""
while at < len(data):
    (size,) = struct.unpack(">I", data[at : at + 4])
    body = data[at + 4 : at + 8 + size]
    (checksum,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
    assert zlib.crc32(body) == checksum
    if body[:4] == b"IHDR":
        width, height = struct.unpack(">II", body[4:12])
    elif body[:4] == b"IDAT":
        pixels += body[4:]
    at += 12 + size
print("%d x %d, %d bytes" % (width, height, len(zlib.decompress(pixels))))
