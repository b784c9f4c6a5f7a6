# Compiles the PTX in a folder with and without lines at each level: the DWARF has
# to be in order, and the optimiser's code the same.
# usage: check-variables.sh FOLDER PREFIX
set -eu
for file in scale.nvcc-G several.nvcc-G variables.nvcc-G plain.clang-g templates.clang-g; do
  for level in -O0 -O1 -O2 -O3; do
    ptx-compile --no-cache $level -lineinfo "$1/$file.ptx" -o "$2.lines"
    llvm-dwarfdump --verify "$2.lines" | grep -q '^No errors'
    [ $level = -O0 ] && continue
    ptx-compile --no-cache $level "$1/$file.ptx" -o "$2.none"
    ptx-objdump -d "$2.lines" | grep '// 0x' > "$2.with"
    ptx-objdump -d "$2.none" | grep '// 0x' > "$2.without"
    diff "$2.with" "$2.without"
  done
done
echo PASS
