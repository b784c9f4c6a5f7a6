"""Compares the code that the optimiser makes of PTX with lines and variables, and
without: debug information must not change it.

usage: same_code.py FOLDER PTX...
       same_code.py FOLDER --kernels KERNELS

FOLDER takes what is compiled. With --kernels it is the kernels of the tree, as
nvcc -G and clang -g compile them.
"""
import glob
import os
import shutil
import struct
import subprocess
import sys

SHT_RELA, SHT_NOBITS = 4, 8
LEVELS = ("-O1", "-O2", "-O3")
# What tells of the source, and what it is named by.
ABOUT_SOURCE = (".debug_", ".rela.debug_", ".symtab", ".strtab", ".shstrtab")


def sections(path):
    """By name, what is in the sections of a 64-bit ELF file, but for debug information.

    Of a relocation it is the symbol's name, since symbols of debug information are
    among the others.
    """
    with open(path, "rb") as file:
        data = file.read()
    start = struct.unpack_from("<Q", data, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]

    def text(table, at):
        begin = headers[table][4] + at
        return data[begin:data.index(b"\0", begin)].decode()

    def symbol(table, number):
        name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, headers[table][4] + 24 * number)
        return text(headers[table][6], name), text(names, headers[section][0]) if section < count else section, value

    result = {}
    for name, kind, _, _, offset, length, link, *_ in headers:
        name = text(names, name)
        if length == 0 or name.startswith(ABOUT_SOURCE):
            continue
        if kind == SHT_RELA:
            entries = struct.iter_unpack("<QIIq", data[offset:offset + length])
            result[name] = [(at, type, symbol(link, number), addend) for at, type, number, addend in entries]
        else:
            result[name] = data[offset:offset + length] if kind != SHT_NOBITS else length
    return result


def of_kernels(folder, kernels):
    """PTX with variables of the kernels' sources."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../ptx-debug/Inputs"))
    from compare_kernels import compilers
    cuda = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("nvcc"))))
    for source in sorted(glob.glob(os.path.join(kernels, "*", "*.cu"))):
        kernel = os.path.splitext(os.path.basename(source))[0]
        for name, command in compilers(source, cuda).items():
            module = os.path.join(folder, "%s.%s.ptx" % (kernel, name))
            subprocess.run([*command, "-o", module], check=True)
            yield module


def main():
    folder, *modules = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    if modules[0] == "--kernels":
        modules = list(of_kernels(folder, modules[1]))
    differ = []
    for module in modules:
        for level in LEVELS:
            made = []
            for lines in ([], ["-lineinfo"]):
                out = os.path.join(folder, "out.hdo")
                subprocess.run(["ptx-compile", "--no-cache", level, *lines, module, "-o", out], check=True)
                made.append(sections(out))
            if made[0] != made[1]:
                names = sorted(n for n in made[0].keys() | made[1].keys() if made[0].get(n) != made[1].get(n))
                differ.append("%s %s: %s" % (os.path.basename(module), level, " ".join(names)))
    print("%d modules; differ: %s" % (len(modules), "; ".join(differ) or "none"))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
