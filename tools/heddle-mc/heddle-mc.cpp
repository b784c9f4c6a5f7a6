//===- heddle-mc.cpp - Assembler of the ISA ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool for writing and testing assembly: assembles to a code object, or
// prints what it understood.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/ISA.h"
#include "heddle/Target/Assembler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

constexpr char Usage[] =
    R"(heddle-mc: assembles Heddle assembly

usage: heddle-mc [options] FILE.s         (- reads standard input)

  -o FILE          write the code object to FILE (default: FILE with .hdo)
  --arch CHIP      assemble for this chip (default: hd100)
  --print          print the assembly again instead of writing an object
  --show-encoding  the same, each instruction with its bytes
  -h, --help       show this text

A code object needs metadata, which stands in the assembly as YAML between
.heddle_metadata and .end_heddle_metadata; docs/object-format.md names the
fields. 'ptx-objdump --metadata' prints it in that form.

example: heddle-mc kernel.s -o kernel.hdo && ptx-objdump kernel.hdo
)";

struct Options {
  std::string Input, Output, Chip;
  bool Print = false, ShowEncoding = false, Help = false;
};

int fail(const Twine &Message) {
  errs() << "heddle-mc: error: " << Message << '\n';
  return 1;
}

/// Empty, or what is wrong with the command line.
std::string parseOptions(ArrayRef<char *> Args, Options &O) {
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    std::string *Value = Arg == "-o"       ? &O.Output
                         : Arg == "--arch" ? &O.Chip
                                           : nullptr;
    if (Value) {
      if (++I == Args.size())
        return ("option '" + Arg + "' needs a value").str();
      *Value = Args[I];
    } else if (Arg == "--print") {
      O.Print = true;
    } else if (Arg == "--show-encoding") {
      O.Print = O.ShowEncoding = true;
    } else if (Arg == "-h" || Arg == "--help") {
      O.Help = true;
    } else if (Arg.starts_with("-") && Arg != "-") {
      return ("unknown option '" + Arg + "'; see heddle-mc --help").str();
    } else if (!O.Input.empty()) {
      return "more than one input; see heddle-mc --help";
    } else {
      O.Input = Arg;
    }
  }
  if (O.Input.empty() && !O.Help)
    return "no input; see heddle-mc --help";
  if (!O.Chip.empty() && !heddle::isa::findChip(O.Chip))
    return "unknown chip '" + O.Chip + "'";
  return "";
}

int writeFile(const std::string &Path, ArrayRef<char> Bytes) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::OF_None);
  if (!EC) {
    OS.write(Bytes.data(), Bytes.size());
    OS.close();
    EC = OS.error();
    OS.clear_error();
  }
  return EC ? fail(Path + ": " + EC.message()) : 0;
}

int run(const Options &O) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(O.Input, /*IsText=*/true);
  if (!Buffer)
    return fail(O.Input + ": " + Buffer.getError().message());
  if (O.Print)
    return !heddle::reformatAssembly(**Buffer, O.Chip, O.ShowEncoding, outs(),
                                     errs());
  SmallVector<char, 0> Object;
  if (!heddle::assemble(**Buffer, O.Chip, Object, errs()))
    return 1;
  std::string Output = O.Output;
  if (Output.empty())
    Output = StringRef(O.Input).rsplit('.').first.str() + ".hdo";
  return writeFile(Output, Object);
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  std::string Fault = parseOptions(ArrayRef(Argv, Argc).drop_front(), O);
  if (!Fault.empty())
    return fail(Fault);
  if (O.Help) {
    outs() << Usage;
    return 0;
  }
  return run(O);
}
