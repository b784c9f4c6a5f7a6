"""Makes the kernels of a page: compiles Inputs/limiters.cu to PTX and writes manifests of launches of it.

usage: limiters.py CLANG FOLDER

FOLDER/few.json has a launch for each limiter, FOLDER/many.json a thousand.
"""
import json
import os
import re
import subprocess
import sys

COUNT = 65536


def launch(names, kernel, ctas, first, *scalars):
    (entry,) = (name for name in names if kernel in name)
    random = {"random": {"seed": 1, "low": -1, "high": 1}}
    buffers = [{"buffer": "in", **({"type": "f32", "count": COUNT, "init": random} if first else {})},
               {"buffer": "out", **({"type": "f32", "count": COUNT} if first else {})}]
    return {"entry": entry, "grid": [ctas], "block": [256],
            "args": buffers + [{"type": kind, "value": value} for kind, value in scalars]}


def main():
    clang, folder = sys.argv[1:]
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "limiters.cu")
    ptx = os.path.join(folder, "limiters.ptx")
    subprocess.run([clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "--cuda-path=/none", "-nocudainc",
                    "-nocudalib", "-Xclang", "-target-feature", "-Xclang", "+ptx80", "-std=c++20", "-O2",
                    "-gline-directives-only", "-S", source, "-o", ptx], check=True)
    with open(ptx, encoding="utf-8") as file:
        names = re.findall(r"\.entry (\w+)", file.read())
    nothing = ("u8", 0)
    few = [launch(names, "3map", COUNT // 256, True, nothing), launch(names, "transposeNaive", 32, False),
           launch(names, "transposeShared", 64, False), launch(names, "polynomial", COUNT // 256, False, ("u32", 16)),
           launch(names, "polynomial", COUNT // 256, False, ("u32", 256)),
           launch(names, "diverging", COUNT // 256, False)]
    many = few + [launch(names, "3map", 1 + n % 7, False, nothing) for n in range(1000 - len(few))]
    for name, launches in (("few", few), ("many", many)):
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump({"module": "limiters.ptx", "launches": launches}, file)


if __name__ == "__main__":
    main()
