#!/usr/bin/env bash
# Compiles the same program in two checkouts of a project with a precompiled
# header: compile-under-ccache.sh LAUNCHER COMPILER FOLDER. Says what ccache did.
set -euo pipefail
launcher=$1 compiler=$2 folder=$3
export CCACHE_DIR=$folder/cache CCACHE_LOGFILE=$folder/log
unset CCACHE_DISABLE CCACHE_RECACHE

checkout() {
  mkdir -p "$folder/$1/build"
  cd "$folder/$1"
  echo 'inline int one() { return 1; }' >pch.h
  echo 'inline int two() { return 2; }' >header.h
  printf '#include "header.h"\nint main() { return one() - two(); }\n' >main.cpp
  printf '#pragma clang system_header\n#include "%s"\n' "$PWD/pch.h" >build/cmake_pch.hxx
  : >build/cmake_pch.hxx.cxx
  # What is as new as the compilation is not looked up.
  touch -d yesterday pch.h header.h main.cpp build/cmake_pch.hxx build/cmake_pch.hxx.cxx
}

precompile() {
  cd "$folder/$1/build"
  "$launcher" ccache "$folder/$1" "$compiler" -Xclang -fno-pch-timestamp \
    -Xclang -emit-pch -Xclang -include -Xclang "$PWD/cmake_pch.hxx" -x c++-header \
    -MD -MF cmake_pch.hxx.pch.d -o cmake_pch.hxx.pch -c "$PWD/cmake_pch.hxx.cxx"
}

# compile CHECKOUT NAME
compile() {
  cd "$folder/$1/build"
  rm -f "$CCACHE_LOGFILE"
  "$launcher" ccache "$folder/$1" "$compiler" -Xclang -fno-pch-timestamp \
    -Xclang -include-pch -Xclang "$PWD/cmake_pch.hxx.pch" \
    -Xclang -include -Xclang "$PWD/cmake_pch.hxx" \
    -MD -MF main.o.d -o main.o -c "$folder/$1/main.cpp"
  echo "$2: $(grep -oE 'Result: (direct_cache_hit|preprocessed_cache_hit|cache_miss)' "$CCACHE_LOGFILE" |
    sed 's/Result: //')"
}

for name in first second; do
  checkout "$name"
  precompile "$name"
  compile "$name" "$name"
done
# change HEADER FROM TO: in the second checkout.
change() {
  sed -i "s/$2/$3/" "$folder/second/$1"
  touch -d yesterday "$folder/second/$1"
}
change header.h 'return 2' 'return 3'
compile second "second, other header"
change pch.h 'return 1' 'return 4'
precompile second
compile second "second, other precompiled header"
