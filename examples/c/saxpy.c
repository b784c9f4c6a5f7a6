//===- saxpy.c - Compiles PTX and runs it, in C -------------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   cc saxpy.c $(pkg-config --cflags --libs heddle) -o saxpy
//   ./saxpy saxpy.ptx
//
//===----------------------------------------------------------------------===//

#include <heddle-c/heddle.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program if a call failed.
static void check(HeddleError error) {
  if (!error)
    return;
  fprintf(stderr, "saxpy: %s\n", heddleErrorGetMessage(error));
  heddleErrorDestroy(error);
  exit(1);
}

int main(int argc, char **argv) {
  static char ptx[1 << 16];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file) {
    fprintf(stderr, "usage: saxpy FILE.ptx\n");
    return 1;
  }
  HeddleInput input = {sizeof(input), ptx, fread(ptx, 1, sizeof(ptx), file),
                       argv[1]};
  fclose(file);

  HeddleCompiler compiler;
  HeddleCodeObject code;
  check(heddleCompilerCreate(NULL, &compiler));
  check(heddleCompile(compiler, &input, NULL, &code));

  HeddleContext context;
  HeddleModule module;
  HeddleLaunch launch;
  heddleLaunchInit(&launch);
  check(heddleContextCreate(NULL, &context));
  check(heddleModuleLoad(context, heddleCodeObjectGetData(code),
                         heddleCodeObjectGetSize(code), &module));
  check(heddleModuleGetKernel(module, "saxpy", &launch.Kernel));

  enum { N = 1000 };
  float a = 2.0f, x[N], y[N];
  int n = N;
  HeddleAddress deviceX, deviceY;
  for (int i = 0; i < N; ++i) {
    x[i] = i;
    y[i] = 1;
  }
  check(heddleAllocate(context, sizeof(x), &deviceX));
  check(heddleAllocate(context, sizeof(y), &deviceY));
  check(heddleCopyToDevice(context, NULL, deviceX, x, sizeof(x)));
  check(heddleCopyToDevice(context, NULL, deviceY, y, sizeof(y)));

  const void *arguments[] = {&n, &a, &deviceX, &deviceY};
  launch.Module = module;
  launch.Arguments = arguments;
  launch.NumArguments = 4;
  launch.Grid[0] = (N + 255) / 256;
  launch.Block[0] = 256;
  check(heddleLaunch(context, NULL, &launch));
  check(heddleCopyFromDevice(context, NULL, y, deviceY, sizeof(y)));
  check(heddleContextSynchronize(context));

  printf("y[1] = %g, y[999] = %g\n", y[1], y[999]);
  heddleModuleDestroy(module);
  heddleContextDestroy(context);
  heddleCodeObjectDestroy(code);
  heddleCompilerDestroy(compiler);
  return 0;
}
