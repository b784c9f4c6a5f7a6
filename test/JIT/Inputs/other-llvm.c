//===- other-llvm.c - A program with an LLVM of its own -----------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: other-llvm FILE.ptx
//
// Linked with a shared LLVM, whose symbols therefore come first in the process:
// uses it, compiles PTX, and uses it again, also from a second thread at the same
// time.
//
//===----------------------------------------------------------------------===//

#include <heddle-c/heddle.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The size of host code for a function that adds two numbers.
static size_t useLLVM(void) {
  LLVMContextRef Context = LLVMContextCreate();
  LLVMModuleRef Module = LLVMModuleCreateWithNameInContext("sum", Context);
  LLVMTypeRef Int = LLVMInt32TypeInContext(Context);
  LLVMTypeRef Params[] = {Int, Int};
  LLVMValueRef Sum =
      LLVMAddFunction(Module, "sum", LLVMFunctionType(Int, Params, 2, 0));
  LLVMBuilderRef Builder = LLVMCreateBuilderInContext(Context);
  LLVMPositionBuilderAtEnd(
      Builder, LLVMAppendBasicBlockInContext(Context, Sum, "entry"));
  LLVMBuildRet(Builder, LLVMBuildAdd(Builder, LLVMGetParam(Sum, 0),
                                     LLVMGetParam(Sum, 1), "r"));
  char *Triple = LLVMGetDefaultTargetTriple(), *Error = NULL;
  LLVMTargetRef Target;
  if (LLVMVerifyModule(Module, LLVMReturnStatusAction, &Error) ||
      LLVMGetTargetFromTriple(Triple, &Target, &Error))
    exit(1);
  LLVMTargetMachineRef Machine = LLVMCreateTargetMachine(
      Target, Triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
      LLVMCodeModelDefault);
  LLVMMemoryBufferRef Code;
  if (LLVMTargetMachineEmitToMemoryBuffer(Machine, Module, LLVMObjectFile,
                                          &Error, &Code))
    exit(1);
  size_t Size = LLVMGetBufferSize(Code);
  LLVMDisposeMemoryBuffer(Code);
  LLVMDisposeTargetMachine(Machine);
  LLVMDisposeMessage(Triple);
  LLVMDisposeBuilder(Builder);
  LLVMDisposeModule(Module);
  LLVMContextDispose(Context);
  return Size;
}

static void *useLLVMOften(void *Expected) {
  for (int Round = 0; Round < 20; ++Round)
    if (useLLVM() != *(size_t *)Expected)
      exit(1);
  return NULL;
}

int main(int Argc, char **Argv) {
  static char Text[1 << 16];
  FILE *File = Argc == 2 ? fopen(Argv[1], "rb") : NULL;
  if (!File)
    return 1;
  HeddleInput Input = {sizeof(Input), Text, fread(Text, 1, sizeof(Text), File),
                       "input.ptx"};
  fclose(File);
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  size_t Size = useLLVM();
  HeddleCompilerConfig Config;
  heddleCompilerConfigInit(&Config);
  Config.CacheMode = HEDDLE_CACHE_OFF;
  HeddleCompiler Compiler;
  HeddleCodeObject Code;
  pthread_t Thread;
  if (heddleCompilerCreate(&Config, &Compiler))
    return 1;
  pthread_create(&Thread, NULL, useLLVMOften, &Size);
  for (int Round = 0; Round < 20; ++Round) {
    HeddleError Error = heddleCompile(Compiler, &Input, NULL, &Code);
    if (Error) {
      puts(heddleErrorGetMessage(Error));
      return 1;
    }
    if (Round == 0)
      fwrite(heddleCodeObjectGetData(Code), 1, heddleCodeObjectGetSize(Code),
             stdout);
    heddleCodeObjectDestroy(Code);
  }
  pthread_join(Thread, NULL);
  heddleCompilerDestroy(Compiler);
  return useLLVM() == Size ? 0 : 1;
}
