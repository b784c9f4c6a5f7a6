//===- loader.c - A program that finds the library itself ---------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: loader LIBRARY FILE.ptx
//
// Valid C and C++. Compiles through the table of heddle-c/Loader.h.
//
//===----------------------------------------------------------------------===//

#include <heddle-c/Loader.h>
#include <stdio.h>

static char Text[1 << 16];

int main(int Argc, char **Argv) {
  HeddleLibrary Heddle;
  const char *Why = heddleLibraryOpen(Argc > 1 ? Argv[1] : NULL, &Heddle);
  if (Why) {
    printf("not loaded: %s\n", Why);
    return Heddle.Handle != NULL || Heddle.Compile != NULL;
  }
  printf("API versions %u to %u\n", Heddle.OldestAPIVersion,
         Heddle.NewestAPIVersion);
  FILE *File = Argc > 2 ? fopen(Argv[2], "rb") : NULL;
  if (!File)
    return 1;
  HeddleInput Input = {sizeof(Input), Text, fread(Text, 1, sizeof(Text), File),
                       "input.ptx"};
  fclose(File);
  HeddleCompiler Compiler = NULL;
  HeddleCodeObject Code = NULL;
  HeddleError Error = Heddle.CompilerCreate(NULL, &Compiler);
  if (!Error)
    Error = Heddle.Compile(Compiler, &Input, NULL, &Code);
  printf("%s: %u kernels\n",
         Heddle.ErrorCodeName(Heddle.ErrorGetCode(Error)),
         (unsigned)Heddle.CodeObjectGetNumKernels(Code));
  Heddle.CodeObjectDestroy(Code);
  Heddle.CompilerDestroy(Compiler);
  Heddle.ErrorDestroy(Error);
  heddleLibraryClose(&Heddle);
  return 0;
}
