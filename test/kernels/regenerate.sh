#!/bin/sh
# Makes the PTX beside each kernel again, with nvcc 13.0 and clang 22. Needs no
# GPU. Usage: regenerate.sh [KERNEL...]. CUDA_PATH (default /usr/local/cuda) is
# the CUDA toolkit, CLANG (default clang++-22) the compiler, KERNELS (default
# this folder) the folder of the kernels' folders, ARCHS the targets. The
# expected values are made by heddle-kernel-reference (see reference/).
set -eu
cd "${KERNELS:-$(dirname "$0")}"
ARCHS=${ARCHS:-sm_90 sm_120}
CUDA_PATH=${CUDA_PATH:-/usr/local/cuda}
CLANG=${CLANG:-clang++-22}

# generate OUTPUT COMMAND WORDS...: runs the command in the kernel's folder and
# puts it, as it can be typed there, on the output's first line.
generate() {
  out=$1
  shift
  eval "$*"
  { printf '// %s\n' "$*"; cat "$out"; } >"$out.tmp"
  mv "$out.tmp" "$out"
}

[ $# -gt 0 ] || set -- */*.cu
for kernel; do
  kernel=$(basename "$kernel" .cu)
  echo "$kernel"
  cd "$kernel"
  for arch in $ARCHS; do
    out=$kernel.nvcc.$arch.ptx
    generate "$out" '"$CUDA_PATH"/bin/nvcc' -ptx -arch=$arch -o "$out" \
      "$kernel.cu"
    out=$kernel.clang.$arch.ptx
    generate "$out" '$CLANG' -x cuda '--cuda-path="$CUDA_PATH"' \
      '-I"$CUDA_PATH"/include/cccl' -Wno-unknown-cuda-version \
      --cuda-device-only --cuda-gpu-arch=$arch -O2 -S -o "$out" "$kernel.cu"
  done
  cd ..
done
