#!/usr/bin/env bash
# Wall time of ptx-compile serving a hit, of compiling, of ptxas where it is
# installed, and of a static program that does nothing, by hyperfine.
#
# usage: benchmarks/cache-hit.sh FILE.ptx    (with build/bin in PATH)
set -euo pipefail
input=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main() { return 0; }' > "$work/nothing.cpp"
"${CXX:-clang++-22}" -O2 -static "$work/nothing.cpp" -o "$work/nothing"

export HEDDLE_CACHE_MODE=on HEDDLE_CACHE_DIR="$work/cache"
commands=(
  "ptx-compile $input -o $work/hit.o"
  "ptx-compile --no-cache $input -o $work/miss.o"
  "$work/nothing"
)
if command -v ptxas > /dev/null; then
  target=$(sed -n 's/^\.target *\([a-z0-9_]*\).*/\1/p' "$input")
  commands+=("ptxas -arch=$target $input -o $work/x.cubin")
fi
hyperfine --shell=none --warmup 20 --runs "${RUNS:-200}" "${commands[@]}"
