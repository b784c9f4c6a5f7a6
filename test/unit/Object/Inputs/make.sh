#!/usr/bin/env bash
# Makes the fat binaries of this folder; needs nvcc (13.0 made those committed).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# PTX for three targets, one of them for sm_90a alone, beside machine code.
images=(-gencode arch=compute_80,code=compute_80
  -gencode arch=compute_90,code=compute_90
  -gencode arch=compute_90a,code=compute_90a)
for mode in none size speed; do
  nvcc -fatbin --compress-mode $mode "${images[@]}" scale.cu -o "$mode.fatbin"
done
nvcc -fatbin -G -arch=compute_100f -code=compute_100f scale.cu -o debug.fatbin
nvcc -fatbin --compress-mode size -arch=compute_90 -code=sm_90 scale.cu \
  -o machine-code.fatbin
