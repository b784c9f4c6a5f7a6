//===- InstalledTree.cpp - Where programs and libraries are -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// /proc tells where the program is.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/InstalledTree.h"

#include <unistd.h>
#include <vector>

using namespace llvm;

namespace heddle {

Expected<std::string> programFolder() {
  std::vector<char> Path(4096);
  ssize_t Size = ::readlink("/proc/self/exe", Path.data(), Path.size());
  if (Size <= 0 || size_t(Size) == Path.size())
    return createStringError("cannot tell where this program is");
  std::string Program(Path.data(), Size);
  return Program.substr(0, Program.rfind('/'));
}

Expected<std::string> cudaLibraryFolder() {
  std::string Program;
  if (Error E = programFolder().moveInto(Program))
    return std::move(E);
  std::string Folder = Program.substr(0, Program.rfind('/'));
  for (const char *Place : {"/" HEDDLE_LIBRARY_FOLDER "/heddle-cuda", "/lib"})
    if (::access((Folder + Place + "/libheddle-cuda.so.1").c_str(), R_OK) == 0)
      return Folder + Place;
  return createStringError("there is no libheddle-cuda.so.1 in " + Folder +
                           "/lib");
}

} // namespace heddle
