#!/usr/bin/env python3
# Writes docs/cuda-functions.md: which functions of CUDA's headers there are, and
# what those do not do that work in part. `ninja update-cuda-functions` calls it;
# functions.test checks that the page is what it writes, that the libraries have
# each function, and, where CUDA's headers are, that none is forgotten.
#
#   functions.py --source DIR [-o FILE | --check FILE] [--libraries DIR --nm NM]
#                [--headers DIR... --clang CLANG]

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DRIVER = ("libcuda.so.1", ("Driver/DriverFunctions.def", "Driver/DriverUnsupported.def"))
RUNTIME = ("libcudart.so.13", ("Runtime/Runtime.def", "Runtime/Unsupported.def"))
LIBRARIES = {
    "cuda.h": DRIVER,
    "cudaGL.h": DRIVER,
    "cudaEGL.h": DRIVER,
    "cudaVDPAU.h": DRIVER,
    "cuda_runtime_api.h": RUNTIME,
    "cuda_gl_interop.h": RUNTIME,
    "cuda_egl_interop.h": RUNTIME,
    "cuda_vdpau_interop.h": RUNTIME,
    "nvJitLink.h": ("libnvJitLink.so.13", ("Names/ExportsJitLink.def", None)),
    "nvml.h": ("libnvidia-ml.so.1", ("Management/Functions.def", "Management/Unsupported.def")),
    "cuda_device_runtime_api.h": ("the device library", ("../DeviceLibrary/Device/Runtime.cpp", None)),
}
# What the headers for graphics include of other projects, whose types say nothing of names.
FOREIGN_HEADERS = ("GL/gl.h", "EGL/egl.h", "EGL/eglext.h", "vdpau/vdpau.h")
NO_ENTRY = "the library does not have it"
DEVICE = "cuda_device_runtime_api.h"
KINDS = ("works", "partial", "graphics", "absent", "error")

HEAD = """# Functions of CUDA

Written by `ninja update-cuda-functions` from the tables of `lib/CUDA`; do not edit. The functions are those that the
headers of CUDA 13.5 declare, by the names that compiled programs call. Those of CUDA that do not work return
`CUDA_ERROR_NOT_SUPPORTED` and say on stderr why.

- *works*: does what CUDA says; hints, such as of caches, are taken and change nothing.
- *partial*: works but for what the remark says.
- *graphics*: is for graphics, or for sharing memory with other drivers.
- *absent*: is about what the device does not have. Attributes say so, and CUDA and NVML (`NVML_ERROR_NOT_SUPPORTED`)
  define that such a call fails.
- *error*: is not there yet.

Functions of CUDA's header cuda_device_runtime_api.h are what kernels call; code that calls one that is not there does
not link. Those of `__cudaCDP2` are there by their older names (`cuda`), too.

"""


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def rows(text):
    """Yields (macro, [arguments]) of each row of a table."""
    text = re.sub(r"//[^\n]*", "", text)
    for name, arguments in re.findall(r"^(HEDDLE_\w+)\(([^)]*)\)", text, re.M):
        yield name, [a.strip() for a in arguments.split(",")]


def provided(root, table, older=False):
    """The names that a table of functions gives to a library, or to an older one too."""
    names = set()
    for macro, arguments in rows(read(root, "lib/CUDA", table)):
        if macro in ("HEDDLE_CU", "HEDDLE_CU_AS", "HEDDLE_CU_PER_THREAD"):
            names.add(arguments[1])
        elif macro in ("HEDDLE_RUNTIME", "HEDDLE_RUNTIME_STREAM"):
            names.add("__cudaCDP2" + arguments[macro == "HEDDLE_RUNTIME"])
            if macro == "HEDDLE_RUNTIME_STREAM":
                names.add("__cudaCDP2%s_ptsz" % arguments[0])
        elif macro == "HEDDLE_NAMED":
            names.add(arguments[1])
        elif macro == "HEDDLE_NVJITLINK":
            names.update(("nvJitLink" + arguments[0], "__nvJitLink%s_13_5" % arguments[0]))
        elif older or not re.search(r"_1[12](_12)?$", macro):
            names.add(arguments[0])
    if table == LIBRARIES[DEVICE][1][0]:
        for source in ("Graphs.cpp", "Groups.cpp"):
            text = read(root, "lib/DeviceLibrary/Device", source)
            names.update(re.findall(r"^HEDDLE_(?:DEVICE_INLINE|GROUP) \w+ (cuda\w+)\(", text, re.M))
    return names


def remarks(root):
    """The kind and the text of each prefix, for functions that fail and that work."""
    failing, working = {}, {}
    text = read(root, "lib/CUDA/Names/Remarks.def")
    for kind, prefix, remark in re.findall(r'^HEDDLE_(\w+)\("([^"]+)", "([^"]+)"\)', text, re.M):
        kind = {"MISSING": "error"}.get(kind, kind.lower())
        (working if kind == "partial" else failing)[prefix] = (kind, remark)
    return failing, working


def longest(table, name):
    prefixes = [p for p in table if name.startswith(p)]
    return table[max(prefixes, key=len)] if prefixes else None


def classify(root):
    """Yields (header, name, kind, remark); a kind of None is a mistake in the tables."""
    failing, working = remarks(root)
    del failing["cu"]  # first versions, which no header has
    tables = {}
    for header, (_, (works, fails)) in LIBRARIES.items():
        tables[header] = (provided(root, works), provided(root, fails) if fails else set())
    for line in read(root, "test/CUDA/Inputs/header-functions.txt").splitlines():
        if line.startswith("#"):
            continue
        header, name = line.split()
        works, fails = tables[header]
        if name in fails:
            yield (header, name) + (longest(failing, name) or (None, "has no reason in Remarks.def"))
        elif name in works:
            yield (header, name) + (longest(working, name) or ("works", ""))
        else:
            yield header, name, "error", NO_ENTRY


def page(found):
    text = HEAD
    text += "| header | functions | %s |\n|---%s|\n" % (" | ".join(KINDS), "|---" * (len(KINDS) + 1))
    total = collections.Counter()
    for header in LIBRARIES:
        counts = collections.Counter(kind for h, _, kind, _ in found if h == header)
        total += counts
        text += "| %s | %d | %s |\n" % (
            header, sum(counts.values()), " | ".join(str(counts[k]) for k in KINDS))
    text += "| all | %d | %s |\n" % (sum(total.values()), " | ".join(str(total[k]) for k in KINDS))
    for header, (library, _) in LIBRARIES.items():
        text += "\n## %s\n\nIn `%s`.\n\n| function | | |\n|---|---|---|\n" % (header, library)
        for h, name, kind, remark in found:
            if h == header:
                text += "| `%s` | %s | %s |\n" % (name, kind, remark)
    return text


def exported(nm, library):
    run = subprocess.run([nm, "-D", "--defined-only", "--format=just-symbols", library],
                         capture_output=True, text=True, check=True)
    return {name.split("@")[0] for name in run.stdout.split()}


def declared(clang, header, folders):
    """The functions that a header declares to a host's compiler; none where it is not installed."""
    if header == DEVICE or not any(os.path.exists(os.path.join(f, header)) for f in folders):
        return None
    base = {DRIVER: "cuda.h", RUNTIME: "cuda_runtime_api.h"}.get(LIBRARIES[header])
    prefix = {"cuda.h": "cu", "cuda_runtime_api.h": "cuda"}.get(base, header[:-2])
    with tempfile.TemporaryDirectory() as foreign:
        for name in FOREIGN_HEADERS:
            file = pathlib.Path(foreign, name)
            file.parent.mkdir(exist_ok=True)
            file.touch()
        run = subprocess.run([clang, "-E", "-P", "-x", "c"] + ["-I" + f for f in folders] + ["-idirafter", foreign, "-"],
                             input="#include <%s>\n" % header, capture_output=True, text=True, check=True)
    names = re.findall(r"\b((?:__)?%s\w+)\s*\(" % prefix, run.stdout)
    names = {n for n in names if not n.endswith("_t")}
    return names if base in (None, header) else names - declared(clang, base, folders)


def unused_remarks(root):
    """Prefixes of remarks that are about no function of the tables."""
    failing, working = remarks(root)
    works, fails = set(), set()
    for table in LIBRARIES.values():
        works |= provided(root, table[1][0], older=True)
        fails |= provided(root, table[1][1], older=True) if table[1][1] else set()
    for prefixes, names in ((failing, fails), (working, works)):
        used = {max((p for p in prefixes if n.startswith(p)), key=len, default=None)
                for n in names}
        yield from sorted(set(prefixes) - used)


def complaints(found, args):
    for prefix in unused_remarks(args.source):
        yield "Remarks.def: %s is of no function" % prefix
    for header, name, kind, remark in found:
        if kind is None:
            yield "%s: %s %s" % (header, name, remark)
    if args.libraries:
        for header, (library, _) in LIBRARIES.items():
            if header == DEVICE:
                continue
            there = exported(args.nm, os.path.join(args.libraries, library))
            for name in sorted(n for h, n, _, why in found
                               if h == header and (n in there) == (why == NO_ENTRY)):
                yield "%s: %s is not as the tables say" % (library, name)
    for header in LIBRARIES if args.headers else ():
        names = declared(args.clang, header, args.headers)
        known = {n for h, n, _, _ in found if h == header}
        for name in sorted((names or known) ^ known):
            yield "%s: %s is %s" % (header, name, "forgotten" if name in names else "not declared")
    if args.check and read(args.check) != page(found):
        yield "run `ninja update-cuda-functions`"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("-o")
    parser.add_argument("--check")
    parser.add_argument("--libraries")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--headers", nargs="*")
    parser.add_argument("--clang", default="clang")
    args = parser.parse_args()
    found = list(classify(args.source))
    wrong = list(complaints(found, args))
    print("\n".join(wrong), file=sys.stderr)
    if not wrong and args.o:
        with open(args.o, "w", encoding="utf-8") as file:
            file.write(page(found))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
