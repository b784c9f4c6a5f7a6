//===- unload.c - Loads the library and unloads it ----------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: unload LIBRARY FILE.ptx
//
// Opens libheddle-jit.so, compiles, closes it, several times, and compiles once
// more while the process ends.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <heddle-c/heddle.h>
#include <stdio.h>
#include <stdlib.h>

static char Text[1 << 16];
static size_t Size;
static const char *Library;

/// Compiles through a copy of the library that is opened and closed for it.
static void compile(int Close) {
  void *Handle = dlopen(Library, RTLD_NOW | RTLD_LOCAL);
  HeddleError (*Create)(const HeddleCompilerConfig *, HeddleCompiler *);
  HeddleError (*Compile)(HeddleCompiler, const HeddleInput *,
                         const HeddleCompileOptions *, HeddleCodeObject *);
  void (*DestroyCode)(HeddleCodeObject);
  void (*Destroy)(HeddleCompiler);
  *(void **)&Create = dlsym(Handle, "heddleCompilerCreate");
  *(void **)&Compile = dlsym(Handle, "heddleCompile");
  *(void **)&DestroyCode = dlsym(Handle, "heddleCodeObjectDestroy");
  *(void **)&Destroy = dlsym(Handle, "heddleCompilerDestroy");
  HeddleCompilerConfig Config;
  heddleCompilerConfigInit(&Config);
  Config.CacheMode = HEDDLE_CACHE_OFF;
  HeddleInput Input = {sizeof(Input), Text, Size, "input.ptx"};
  HeddleCompiler Compiler;
  HeddleCodeObject Code;
  if (Create(&Config, &Compiler) || Compile(Compiler, &Input, NULL, &Code)) {
    puts("failed");
    _Exit(1);
  }
  DestroyCode(Code);
  Destroy(Compiler);
  if (Close && dlclose(Handle) != 0)
    puts("cannot close");
}

static void compileAtExit(void) {
  compile(0);
  puts("compiled at exit");
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 1;
  Library = Argv[1];
  FILE *File = fopen(Argv[2], "rb");
  Size = fread(Text, 1, sizeof(Text), File);
  fclose(File);
  atexit(compileAtExit);
  for (int Round = 0; Round < 5; ++Round)
    compile(1);
  puts("compiled five times");
  return 0;
}
