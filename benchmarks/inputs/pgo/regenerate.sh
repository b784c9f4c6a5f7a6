#!/bin/sh
# Makes the PTX of these kernels anew. Needs nvcc 13. Without contraction every
# way of compiling a kernel gives the same bits.
#
# usage: regenerate.sh NVCC
set -eu
cd "$(dirname "$0")"
for kernel in */; do
  kernel=${kernel%/}
  [ -f "$kernel/$kernel.cu" ] || continue
  "$1" -ptx -arch=sm_90 --fmad=false "$kernel/$kernel.cu" -o "$kernel/$kernel.ptx"
done
