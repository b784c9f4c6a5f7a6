//===- ptx-objdump.cpp - Shows what is in a code object ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the object and prints what the options ask for.
//
//===----------------------------------------------------------------------===//

#include "Listing.h"
#include "Options.h"
#include "Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::objdump;

static Error show(const Options &O, raw_ostream &OS) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(O.Input);
  if (!Buffer)
    return createStringError(O.Input + ": " + Buffer.getError().message());
  StringRef Bytes = (*Buffer)->getBuffer();
  Expected<ObjectFile> Object =
      ObjectFile::create(ArrayRef(Bytes.bytes_begin(), Bytes.bytes_end()));
  if (!Object)
    return createStringError(O.Input + ": " + toString(Object.takeError()));
  Expected<LineTable> Lines = LineTable::create(*Object);
  if (!Lines && O.Source)
    return createStringError(O.Input + ": " + toString(Lines.takeError()));
  if (!Lines)
    consumeError(Lines.takeError());
  if (O.Source && Lines->empty())
    errs() << "ptx-objdump: warning: " << O.Input
           << " has no line information; compile with -lineinfo\n";

  Listing L(*Object, O, Lines ? std::move(*Lines) : LineTable(), OS);
  if (O.Metadata)
    OS << metadataToYAML(Object->metadata());
  if (O.Symbols)
    printSymbols(*Object, OS);
  if (O.Relocations)
    printRelocations(*Object, OS);
  if (O.JSON)
    printJSON(*Object, O.Input, OS);
  if (O.Assembly)
    L.printAssembly();
  else if (O.Disassemble)
    return L.printCode();
  return Error::success();
}

int main(int Argc, char **Argv) {
  Expected<Options> O =
      parseOptions(ArrayRef<const char *>(Argv, Argc).drop_front());
  if (O && O->Help) {
    printHelp(outs());
    return 0;
  }
  Error Fault = O ? show(*O, outs()) : O.takeError();
  if (!Fault)
    return 0;
  outs().flush();
  errs() << "ptx-objdump: error: " << toString(std::move(Fault)) << '\n';
  return 1;
}
