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
  exit(1);
}

int main(int argc, char **argv) {
  enum { N = 1000 };
  static char ptx[1 << 16];
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return fprintf(stderr, "usage: saxpy FILE.ptx\n"), 1;
  HeddleInput input = {sizeof(input), ptx, fread(ptx, 1, sizeof(ptx), file),
                       argv[1]};
  HeddleCompiler compiler;
  HeddleContext context;
  HeddleLaunch launch;
  heddleLaunchInit(&launch);
  check(heddleCompilerCreate(NULL, &compiler));
  check(heddleContextCreate(NULL, &context));
  check(heddleModuleCompile(context, compiler, &input, NULL, &launch.Module));
  check(heddleModuleGetKernel(launch.Module, "saxpy", &launch.Kernel));
  float a = 2, x[N], y[N];
  int n = N;
  HeddleAddress dx, dy;
  for (int i = 0; i < N; ++i)
    x[i] = (float)i, y[i] = 1;
  check(heddleAllocate(context, sizeof(x), &dx));
  check(heddleAllocate(context, sizeof(y), &dy));
  check(heddleCopyToDevice(context, NULL, dx, x, sizeof(x)));
  check(heddleCopyToDevice(context, NULL, dy, y, sizeof(y)));
  const void *arguments[] = {&n, &a, &dx, &dy};
  launch.Arguments = arguments;
  launch.NumArguments = 4;
  launch.Grid[0] = (N + 255) / 256;
  launch.Block[0] = 256;
  check(heddleLaunch(context, NULL, &launch));
  check(heddleCopyFromDevice(context, NULL, y, dy, sizeof(y)));
  check(heddleContextSynchronize(context));
  printf("y[1] = %g, y[999] = %g\n", y[1], y[999]);
}
