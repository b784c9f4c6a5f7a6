#!/usr/bin/env bash
# Makes the PTX of this folder anew, with nvcc; the tests need only the PTX.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp ./*.cu "$folder"
for name in main library; do
  (cd "$folder" && nvcc -rdc=true -lineinfo -ptx -arch=sm_90 "$name.cu" -o "$name.ptx")
  sed "s@$folder/@/src/@" "$folder/$name.ptx" > "$name.ptx"
done
