#!/bin/sh
# Makes the PTX of these programs anew: every file on its own, and all files of
# a program as one. Needs nvcc 13. Without contraction all ways of compiling a
# program give the same bits.
#
# usage: regenerate.sh NVCC
set -eu
cd "$(dirname "$0")"
for program in */; do
  program=${program%/}
  rm -rf "$program/ptx"
  mkdir "$program/ptx"
  all=$(mktemp --suffix=.cu)
  for file in "$program"/*.cu; do
    "$1" -rdc=true -ptx -arch=sm_90 --fmad=false "$file" \
      -o "$program/ptx/$(basename "$file" .cu).ptx"
  done
  # Headers have no guards: the first inclusion is enough.
  awk '/^#include/ { if (seen[$0]++) next } { print }' \
    $(ls "$program"/*.cu | grep -v main.cu) "$program/main.cu" > "$all"
  "$1" -ptx -arch=sm_90 --fmad=false -I "$program" "$all" \
    -o "$program/ptx/whole.ptx"
  rm "$all"
done
# What must come out, by the interpreter, which shares nothing with the compiler
# behind the frontend. Needs ptx-run in PATH.
for program in */; do
  grep -v '"expect"' "$program/run.json" | sed '$s/,$/ }/' > "$program/bare.json"
  ptx-run --interpret "$program/bare.json" --dump out |
    sed -n 's/.*(0x\(..\)\(..\)\(..\)\(..\))$/\\x\4\\x\3\\x\2\\x\1/p' |
    tr -d '\n' | xargs -0 printf '%b' > "$program/out.bin"
  rm "$program/bare.json"
done
