#!/bin/sh
# Makes the PTX beside each kernel file again. Needs nvcc 13.0, in PATH or as
# the argument, and no GPU. Sums are contracted only where the kernels say so,
# so that CUDA and OpenCL round alike.
#
# usage: regenerate.sh [NVCC]
set -eu
cd "$(dirname "$0")"
for file in *.cu; do
  "${1:-nvcc}" -ptx -arch=sm_90 --fmad=false "$file" -o "${file%.cu}.ptx"
done
