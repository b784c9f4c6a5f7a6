//===- Reproducer.cpp - Compilations to be repeated -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options are written as the parser reads them back.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Reproducer.h"

#include "heddle-cache/Key.h"

#include <cstdlib>
#include <fstream>
#include <sys/stat.h>

namespace heddle {

static bool writeFile(const std::string &Name, std::string_view Text) {
  std::ofstream Stream(Name, std::ios::binary | std::ios::trunc);
  Stream.write(Text.data(), static_cast<std::streamsize>(Text.size()));
  Stream.close();
  return !Stream.fail();
}

std::string writeReproducer(const std::string &Directory,
                            std::string_view Input,
                            const CompileOptions &Options) {
  ::mkdir(Directory.c_str(), 0777); // may be there
  std::string Lines;
  for (const std::string &Argument :
       Options.commandLine({OptionEffect::Output, OptionEffect::Input}))
    Lines += Argument + "\n";
  std::string Name =
      Directory + "/heddle-" +
      cache::fastHash(Lines + std::string(1, '\0') + std::string(Input)).str();
  Lines += "--no-cache\n" + Name + ".ptx\n";
  if (!writeFile(Name + ".ptx", Input) || !writeFile(Name + ".options", Lines))
    return {};
  return Name + ".options";
}

std::string reproducerDirectoryOfEnvironment() {
  const char *Value = std::getenv("HEDDLE_REPRODUCERS");
  return Value ? Value : "";
}

} // namespace heddle
