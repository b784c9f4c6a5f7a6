"""Compiles a large file with its lines by several numbers of threads.

usage: units.py FILE.ptx OUTPUT OPTION...

The objects are the same, with several units of debug information that verify, and
have the code of a file that is not divided.
"""
import pathlib
import re
import struct
import subprocess
import sys

SOURCE, OUTPUT, *OPTIONS = sys.argv[1:]


def compile(*options):
    subprocess.run(["ptx-compile", "--no-cache", "-w", *OPTIONS, *options, SOURCE, "-o", OUTPUT], check=True)
    return pathlib.Path(OUTPUT).read_bytes()


def code_of(elf):
    """The contents of the sections of functions, by name."""
    begin, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", elf, begin + n * size) for n in range(count)]
    strings = headers[names][4]

    def name(header):
        start = strings + header[0]
        return elf[start:elf.index(b"\0", start)].decode()
    return {name(h): elf[h[4]:h[4] + h[5]] for h in headers if name(h).startswith(".text.")}


def main():
    objects = {compile("--split-compile=%d" % threads) for threads in (1, 2, 3)}
    if len(objects) != 1:
        sys.exit("%d objects" % len(objects))
    divided = objects.pop()
    dump = subprocess.run(["llvm-dwarfdump", "--verify", OUTPUT], capture_output=True, text=True)
    if dump.returncode:
        sys.exit(dump.stdout[-3000:])
    text = subprocess.run(["llvm-dwarfdump", OUTPUT], capture_output=True, text=True, check=True).stdout
    units = len(re.findall("DW_TAG_compile_unit", text))
    if units < 2:
        sys.exit("%d units" % units)
    whole = code_of(compile("--partitions=false"))
    if code_of(divided) != whole:
        differ = [name for name, code in code_of(divided).items() if whole.get(name) != code]
        sys.exit("other code than undivided: %d functions; %s" % (len(differ), differ[:5]))
    print("PASS: %d functions in %d units" % (len(whole), units))


main()
