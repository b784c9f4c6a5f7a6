//===- DeviceLibrary.cpp - Links the device library -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links the embedded bitcode lazily: only the functions that a module needs are
// read at all.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace heddle;
using namespace llvm;

static constexpr unsigned char Bitcode[] = {
#include "heddle/DeviceLibrary/DeviceLibrary.inc"
};

static Expected<std::unique_ptr<Module>> readLibrary(LLVMContext &Context) {
  StringRef Bytes(reinterpret_cast<const char *>(Bitcode), sizeof(Bitcode));
  return getLazyBitcodeModule(MemoryBufferRef(Bytes, "device library"),
                              Context);
}

/// The names that the library defines. Most modules need none of them, and
/// reading the library to find that out would take longer than compiling a
/// small kernel.
static const StringSet<> &definedNames() {
  static const StringSet<> Names = [] {
    LLVMContext Context;
    std::unique_ptr<Module> Library = cantFail(readLibrary(Context));
    StringSet<> Result;
    for (const Function &F : *Library)
      if (!F.isDeclaration())
        Result.insert(F.getName());
    return Result;
  }();
  return Names;
}

static bool isNeeded(const Function &F) {
  return F.isDeclaration() && !F.use_empty() &&
         definedNames().contains(F.getName());
}

/// Makes a function of the library one of the module's own: not visible
/// outside, and without what clang says of the machine that it compiled for.
static void adopt(Function &F) {
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setDSOLocal(true);
  for (StringRef Attribute : {"target-cpu", "target-features", "tune-cpu"})
    F.removeFnAttr(Attribute);
}

Error heddle::linkDeviceLibrary(Module &M) {
  if (none_of(M, isNeeded))
    return Error::success();
  Expected<std::unique_ptr<Module>> Library = readLibrary(M.getContext());
  if (!Library)
    return Library.takeError();

  // It was compiled for another target; what it says holds for ours, too, as it
  // uses no memory.
  (*Library)->setTargetTriple(M.getTargetTriple());
  (*Library)->setDataLayout(M.getDataLayout());
  if (Error Err = (*Library)->materializeMetadata())
    return Err;
  while (!(*Library)->named_metadata_empty())
    (*Library)->eraseNamedMetadata(&*(*Library)->named_metadata_begin());

  auto Adopt = [](Module &Linked, const StringSet<> &Names) {
    for (const auto &Name : Names.keys())
      if (Function *F = Linked.getFunction(Name); F && !F->isDeclaration())
        adopt(*F);
  };
  if (Linker::linkModules(M, std::move(*Library), Linker::LinkOnlyNeeded,
                          Adopt))
    return createStringError("cannot link the device library");
  return Error::success();
}
