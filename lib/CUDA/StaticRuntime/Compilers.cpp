//===- Compilers.cpp - Compilers that run in a program ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVRTC and NVVM make PTX on the way to machine code, and in place of LTO-IR if
// they are not asked for the latter. Our driver and our nvJitLink load PTX, and
// optimise over the borders of what they link, so that a program gets it for
// both. The functions that give machine code and LTO-IR jump to those that give
// PTX. What compiles is found at a function of ours by all who bind it, since
// the object's table of symbols says so, and is called without the options that
// ask for LTO-IR.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/Compilers.h"
#include "StaticRuntime/LoadedObject.h"
#include "StaticRuntime/Rebind.h"
#include "StaticRuntime/Redirect.h"
#include "StaticRuntime/System.h"

using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {

/// nvrtcCompileProgram and nvvmCompileProgram: a program and its options.
using Compile = int(void *Program, int Count, const char *const *Options);

/// A list of options that becomes another one. Longer ones stay what they are.
struct OptionList {
  static constexpr int Most = 1024;
  const char *List[Most + 1];
  int Count = 0;
  void add(const char *Option) { List[Count++] = Option; }
};

} // namespace

static bool asksForLTO(const char *Option, CompilerKind Kind) {
  if (Kind == CompilerKind::NVVM)
    return areEqual(Option, "-gen-lto");
  return areEqual(Option, "-dlto") || areEqual(Option, "--dlink-time-opt");
}

static bool saysWhetherForLinks(const char *Option) {
  return areEqual(Option, "-dc") || areEqual(Option, "--device-c") ||
         startsWith(Option, "-rdc") ||
         startsWith(Option, "--relocatable-device-code");
}

/// Code that is to be linked can be called from elsewhere, LTO-IR or not; that
/// of NVVM can in any case.
static void withoutLTO(OptionList &Kept, int Count, const char *const *Options,
                       CompilerKind Kind) {
  bool IsForLinks = false, SaysForLinks = Kind == CompilerKind::NVVM;
  for (int I = 0; I < Count; ++I)
    if (asksForLTO(Options[I], Kind)) {
      IsForLinks = true;
    } else {
      SaysForLinks |= saysWhetherForLinks(Options[I]);
      Kept.add(Options[I]);
    }
  if (IsForLinks && !SaysForLinks)
    Kept.add("--relocatable-device-code=true");
}

//===----------------------------------------------------------------------===//
// What is called in the place of the compiler
//===----------------------------------------------------------------------===//

/// So many compilers can be in a process, of several versions of CUDA.
constexpr unsigned MostCompilers = 8;
static Compile *Originals[MostCompilers];
static CompilerKind Kinds[MostCompilers];
static unsigned Known;

template <unsigned I>
static int compile(void *Program, int Count, const char *const *Options) {
  OptionList Kept;
  if (Count <= 0 || Count > OptionList::Most || !Options)
    return Originals[I](Program, Count, Options);
  withoutLTO(Kept, Count, Options, Kinds[I]);
  return Originals[I](Program, Kept.Count, Kept.List);
}

static Compile *const Replacements[MostCompilers] = {
    compile<0>, compile<1>, compile<2>, compile<3>,
    compile<4>, compile<5>, compile<6>, compile<7>};

//===----------------------------------------------------------------------===//
// Redirection
//===----------------------------------------------------------------------===//

namespace {

/// A function of NVRTC, and the one that takes its place with the same
/// parameters. CUDA 11's has the first two only.
struct Redirection {
  const char *From, *To;
  bool IsInAll;
};

} // namespace

static constexpr Redirection OfNVRTC[] = {
    {"nvrtcGetCUBINSize", "nvrtcGetPTXSize", true},
    {"nvrtcGetCUBIN", "nvrtcGetPTX", true},
    {"nvrtcGetLTOIRSize", "nvrtcGetPTXSize", false},
    {"nvrtcGetLTOIR", "nvrtcGetPTX", false},
};

/// What NVVM has made is asked for by one name.
static const char *compileNameOf(CompilerKind Kind) {
  return Kind == CompilerKind::NVRTC ? "nvrtcCompileProgram"
                                     : "nvvmCompileProgram";
}

static bool isNVRTC(const LoadedObject &Object) {
  for (const Redirection &R : OfNVRTC)
    if (R.IsInAll && !(Object.find(R.From) && Object.find(R.To)))
      return false;
  return Object.find(compileNameOf(CompilerKind::NVRTC));
}

CompilerKind heddle::cuda::compilerIn(const link_map &Map) {
  LoadedObject Object(Map);
  if (isNVRTC(Object))
    return CompilerKind::NVRTC;
  return Object.find(compileNameOf(CompilerKind::NVVM)) &&
                 Object.find("nvvmGetCompiledResult")
             ? CompilerKind::NVVM
             : CompilerKind::None;
}

static bool jump(const link_map &Map, const LoadedObject &Object,
                 const Redirection &R) {
  auto Function = reinterpret_cast<uint64_t>(Object.find(R.From));
  uint64_t Room = Object.sizeOf(R.From);
  const void *To = Object.find(R.To);
  return Function && To && writeTo(Map, Function, Room, [&] {
           return writeJump(Function, Room, To);
         });
}

static bool replaceCompile(const link_map &Map, const LoadedObject &Object,
                           const char *Name, CompilerKind Kind) {
  if (Known == MostCompilers)
    return false;
  Originals[Known] = reinterpret_cast<Compile *>(Object.find(Name));
  Kinds[Known] = Kind;
  bool Written = rebind(Map, Object, Name,
                        reinterpret_cast<const void *>(Replacements[Known]));
  Known += Written;
  return Written;
}

bool heddle::cuda::givePTX(const link_map &Map, CompilerKind Kind) {
  LoadedObject Object(Map);
  if (Kind == CompilerKind::NVRTC)
    for (const Redirection &R : OfNVRTC)
      if (Object.find(R.From) && !jump(Map, Object, R))
        return false;
  return replaceCompile(Map, Object, compileNameOf(Kind), Kind);
}
