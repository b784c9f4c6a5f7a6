"""Builds a CUDA program by clang, without a CUDA toolkit, with its PTX in it.

usage: clang-cuda.py CLANG SOURCE OUTPUT LIBRARY [FLAG...]

LIBRARY is the runtime that it is linked with; cuda_runtime.h beside this script
declares what there is of it.
"""
import os
import struct
import subprocess
import sys

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda_runtime.h")
COMMON = [
    *("-x", "cuda", "-std=c++17", "-O2", "--no-offload-new-driver"),
    # Nothing of a toolkit, if there is one, but what clang takes its version for.
    *("--cuda-path=/none", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_90"),
    *("-Xclang", "-target-sdk-version=12.0", "-include", HEADER),
]
PTX_VERSION = ["-Xclang", "-target-feature", "-Xclang", "+ptx80"]


def fat_binary(text):
    """What nvcc's fatbinary makes of one PTX for sm_90."""
    text += bytes(8 - len(text) % 8)  # ends with a zero
    entry = bytearray(64)
    struct.pack_into("<HHIQ", entry, 0, 1, 0x101, len(entry), len(text))
    struct.pack_into("<I", entry, 28, 90)
    size = len(entry) + len(text)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, size) + entry + text


def main():
    clang, source, output, library, *flags = sys.argv[1:]
    ptx, packed = output + ".ptx", output + ".fatbin"
    command = [clang, *COMMON, *flags, source]
    device = ["--cuda-device-only", *PTX_VERSION, "-S", "-o", ptx]
    subprocess.run(command + device, check=True)
    with open(ptx, "rb") as file:
        bytes_of_ptx = file.read()
    with open(packed, "wb") as file:
        file.write(fat_binary(bytes_of_ptx))
    host = ["--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary"]
    host += ["-Xclang", packed, "-x", "none", library, "-pthread", "-o", output]
    subprocess.run(command + host, check=True)


if __name__ == "__main__":
    main()
