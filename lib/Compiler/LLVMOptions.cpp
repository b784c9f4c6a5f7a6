//===- LLVMOptions.cpp - Options for LLVM itself ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands over what -mllvm gives, and a limit of our own that LLVM has as an
// option only. LLVM keeps its options in global variables, so that all
// compilations of a process must want the same.
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include "heddle/Options/CompileOptions.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace llvm;

namespace heddle::compiler {

/// Options that make LLVM print something and end the process.
static bool endsProcess(StringRef Option) {
  StringRef Name = Option.ltrim('-').split('=').first;
  return Name.starts_with("help") || Name == "h" || Name == "version";
}

static Error parse(const std::vector<std::string> &Options) {
  SmallVector<const char *> Arguments = {"-mllvm"};
  for (const std::string &Option : Options) {
    if (endsProcess(Option))
      return createStringError("-mllvm: '" + Option +
                               "' is for programs of LLVM's own");
    Arguments.push_back(Option.c_str());
  }
  std::string Message;
  raw_string_ostream OS(Message);
  if (cl::ParseCommandLineOptions(static_cast<int>(Arguments.size()),
                                  Arguments.data(), "", &OS))
    return Error::success();
  // What it does not like about a value it says itself.
  if (Message.empty())
    return createStringError("-mllvm: LLVM does not take the value");
  // "-mllvm: WHAT  Try: ..." for the first option that is wrong.
  return createStringError(StringRef(Message).split("  Try:").first.trim());
}

/// CodeGenPrepare begins anew with the whole function whenever it divides a
/// block, in those that have not very many blocks. What it divides are selects
/// and divisions, each in a block of its own. LLVM has the limit as an option
/// only.
static void limitRestarts() {
  auto Found = cl::getRegisteredOptions().find("cgpp-huge-func");
  if (Found != cl::getRegisteredOptions().end() &&
      Found->second->getNumOccurrences() == 0)
    (void)Found->second->addOccurrence(0, Found->first, "64");
}

Error setLLVMOptions(const std::vector<std::string> &Options) {
  static std::mutex Guard;
  static std::optional<std::vector<std::string>> OfProcess;
  std::lock_guard Lock(Guard);
  if (!OfProcess) {
    if (!Options.empty())
      if (Error E = parse(Options))
        return E;
    limitRestarts();
    OfProcess = Options;
  }
  if (*OfProcess == Options)
    return Error::success();
  return createStringError("-mllvm: another compilation of this process gave "
                           "other options");
}

} // namespace heddle::compiler
