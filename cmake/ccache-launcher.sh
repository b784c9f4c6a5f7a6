#!/usr/bin/env bash
# Runs a compiler under ccache so that several checkouts share one cache:
# ccache-launcher.sh CCACHE SOURCE-DIR COMPILER ARGUMENTS...
#
# CMake names the precompiled header by its absolute path, and its bytes hold
# that path too, so by itself each checkout would miss on every file. The path
# is made relative to the build directory, and a digest of the headers that went
# into it stands for its bytes (ccache's pch_external_checksum).
set -euo pipefail
ccache=$1 source=$2
shift 2

export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
# What fails is not kept, so an object is the same whether warnings are errors.
export CCACHE_IGNOREOPTIONS=-Werror
export CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1

arguments=() output='' emits_pch=false previous=''
for argument in "$@"; do
  case $argument in
  -emit-pch) emits_pch=true ;;
  "$PWD"/*cmake_pch.hxx.pch) argument=${argument#"$PWD"/} ;;
  "$PWD"/*cmake_pch.hxx)
    argument=${argument#"$PWD"/}
    # The file includes the headers by their absolute paths, so a lookup without
    # the preprocessor would find nothing of another checkout.
    export CCACHE_IGNOREHEADERS=$argument:$argument.cxx
    ;;
  esac
  [ "$previous" != -o ] || output=$argument
  previous=$argument
  arguments+=("$argument")
done

if $emits_pch; then
  # Never from the cache: its bytes name the checkout that made it, which may be
  # gone by now.
  export CCACHE_DISABLE=1
fi
"$ccache" "${arguments[@]}"

if $emits_pch; then
  # The dependency file lists every header read, one or more to a line. Its
  # order is the order of inclusion, so the digest is the same everywhere.
  tr -s ' \\\n' '\n' <"$output.d" | grep '/' | grep -v cmake_pch | xargs -d '\n' cat | md5sum |
    cut -d' ' -f1 >"$output.sum"
fi
