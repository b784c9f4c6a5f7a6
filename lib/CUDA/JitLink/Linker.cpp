//===- Linker.cpp - Links the inputs of a program -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler links; here is only what goes to it.
//
//===----------------------------------------------------------------------===//

#include "JitLink/Linker.h"
#include "Process.h"
#include "heddle/Driver/PTXHeader.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Object/FatBinary.h"
#include "heddle/Options/CompileOptions.h"
#include "llvm/ADT/STLExtras.h"

#include <fstream>
#include <iterator>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

cudaError_t Linker::add(std::string_view Bytes, std::string_view Name) {
  ArrayRef<uint8_t> Raw(reinterpret_cast<const uint8_t *>(Bytes.data()),
                        Bytes.size());
  std::string Known = Name.empty() ? "<input>" : std::string(Name);
  if (fatbin::isFatBinary(Raw)) {
    Expected<fatbin::BuiltPTX> PTX = fatbin::extractPTX(Raw);
    if (!PTX) {
      Log += Known + ": " + toString(PTX.takeError()) + "\n";
      return cudaErrorNoKernelImageForDevice;
    }
    Inputs.push_back({std::move(Known), std::move(PTX->Text),
                      recordedRegisterLimit(PTX->Options)});
    return cudaSuccess;
  }
  // A text may have its final zero with it; everything else has others.
  size_t Zero = Bytes.find('\0');
  if (Zero != Bytes.npos && Bytes.find_first_not_of('\0', Zero) == Bytes.npos)
    Bytes = Bytes.substr(0, Zero);
  Inputs.push_back({std::move(Known), std::string(Bytes)});
  return cudaSuccess;
}

cudaError_t Linker::addFile(const char *Path) {
  std::ifstream File(Path ? Path : "", std::ios::binary);
  if (!File)
    return cudaErrorFileNotFound;
  return add(std::string(std::istreambuf_iterator<char>(File), {}), Path);
}

void Linker::addArguments(const std::vector<std::string> &More) {
  Arguments.insert(Arguments.end(), More.begin(), More.end());
}

std::string_view Linker::onlyPTX() const {
  if (Inputs.size() != 1 || !targetOfPTX(Inputs.front().Bytes))
    return {};
  return Inputs.front().Bytes;
}

cudaError_t Linker::complete() {
  if (Inputs.empty())
    return cudaErrorInvalidValue;
  std::vector<LinkInput> Parts;
  Parts.reserve(Inputs.size());
  for (const Input &I : Inputs)
    Parts.push_back({I.Name, I.Bytes, I.RegisterLimit});
  // NVIDIA's libraries only warn of what nvlink refuses.
  std::vector<std::string> Lenient = {"--lenient-prototypes"};
  llvm::append_range(Lenient, Arguments);
  return Process::get().Images.compile(
      makeLinkBundle(Parts), Inputs.front().Name, Lenient, Object, Log);
}
