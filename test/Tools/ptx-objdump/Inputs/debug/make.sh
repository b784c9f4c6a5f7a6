#!/usr/bin/env bash
# Makes the PTX in this folder; needs CUDA 13 and clang-22. The compilers write
# the folder they run in into the PTX, which is therefore /src.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cuda=${CUDA_PATH:-/usr/local/cuda}
mkdir -p /src
cp "$here"/*.cu /src
cd /src
for name in scale several; do
  "$cuda/bin/nvcc" -ptx -arch=sm_90 -lineinfo "$name.cu" -o "$here/$name.nvcc-lineinfo.ptx"
  "$cuda/bin/nvcc" -ptx -arch=sm_90 -G "$name.cu" -o "$here/$name.nvcc-G.ptx"
done
for name in names reused shared spills uniform variables warps; do
  "$cuda/bin/nvcc" -ptx -arch=sm_90 -G "$name.cu" -o "$here/$name.nvcc-G.ptx"
done
for name in reused spills; do
  sed -i 's/^\.maxntid.*/&\n.maxnreg 16/' "$here/$name.nvcc-G.ptx"
done
clang() {
  clang++-22 -x cuda --cuda-path="$cuda" -nocudainc -nocudalib -Wno-unknown-cuda-version \
    --cuda-device-only --cuda-gpu-arch=sm_90 -g --cuda-noopt-device-debug -S "$@"
}
clang -O0 plain.cu -o "$here/plain.clang-g.ptx"
for name in pieces templates; do
  clang -O2 "$name.cu" -o "$here/$name.clang-g.ptx"
done
