//===- main.cpp - Writes the kernels' manifests -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-kernel-reference FOLDER writes FOLDER/K/K.json and its data files for
// every kernel K. With test/kernels as folder it renews what is committed.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include <cstdio>

using namespace reference;

namespace {
struct Kernel {
  const char *Name;
  void (*Describe)(ManifestWriter &);
};
} // namespace

static constexpr Kernel Kernels[] = {
    {"saxpy", saxpy},         {"reduce", reduce},
    {"sgemm", sgemm},         {"scan", scan},
    {"histogram", histogram}, {"mandelbrot", mandelbrot},
    {"nbody", nbody},         {"blackscholes", blackscholes},
    {"bitonic", bitonic},     {"stencil", stencil},
    {"jacobi", jacobi},       {"spmv", spmv},
    {"softmax", softmax},     {"haxpy", haxpy},
    {"recursion", recursion}, {"fptable", fptable},
    {"spinlock", spinlock},   {"printf", reference::printf},
};

int main(int Argc, char **Argv) {
  if (Argc != 2) {
    std::fprintf(stderr, "usage: heddle-kernel-reference FOLDER\n");
    return 1;
  }
  for (const Kernel &K : Kernels) {
    ManifestWriter Writer(Argv[1], K.Name);
    K.Describe(Writer);
    if (!Writer.write()) {
      std::fprintf(stderr, "heddle-kernel-reference: cannot write %s/%s\n",
                   Argv[1], K.Name);
      return 1;
    }
  }
  return 0;
}
