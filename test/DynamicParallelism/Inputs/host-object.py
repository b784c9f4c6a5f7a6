"""Writes a host's object with PTX to be linked, as nvcc -rdc=true does.

usage: host-object.py CLANG PTX OBJECT
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../CUDA/Inputs"))
clang_cuda = __import__("clang-cuda")


def main():
    clang, ptx, output = sys.argv[1:]
    with open(ptx, "rb") as file:
        packed = clang_cuda.fat_binary(file.read())
    with open(output + ".fatbin", "wb") as file:
        file.write(packed)
    source = '.section __nv_relfatbin,"a"\n.balign 8\n.incbin "%s.fatbin"\n' % output
    subprocess.run([clang, "-c", "-x", "assembler", "-", "-o", output], input=source.encode(), check=True)


if __name__ == "__main__":
    main()
