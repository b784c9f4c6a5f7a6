#!/bin/sh
# usage: reassemble.sh FILE.ptx OPTIMIZATION FOLDER
# Compiles, goes to assembly and back in two ways, and compares the code.
set -eu
ptx-compile "$1" "$2" -o "$3/compiled.hdo"
ptx-compile "$1" "$2" --emit=asm -o "$3/compiled.s"
ptx-objdump --assembly "$3/compiled.hdo" > "$3/dumped.s"
for how in compiled dumped; do
  heddle-mc "$3/$how.s" -o "$3/$how.2.hdo"
  ptx-objdump --assembly --bytes "$3/compiled.hdo" > "$3/expected.txt"
  ptx-objdump --assembly --bytes "$3/$how.2.hdo" > "$3/found.txt"
  cmp "$3/expected.txt" "$3/found.txt"
done
