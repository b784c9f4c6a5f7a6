# Compiles the PTX in a folder with lines at each level: the DWARF has to be in
# order.
# usage: check-variables.sh FOLDER PREFIX
set -eu
for file in scale.nvcc-G several.nvcc-G variables.nvcc-G spills.nvcc-G reused.nvcc-G plain.clang-g \
  templates.clang-g; do
  for level in -O0 -O1 -O2 -O3; do
    ptx-compile --no-cache $level -lineinfo "$1/$file.ptx" -o "$2.lines"
    llvm-dwarfdump --verify "$2.lines" | grep -q '^No errors'
  done
done
echo PASS
