//===- saxpy.cpp - Compiles PTX and runs it, in C++ -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   c++ -std=c++17 saxpy.cpp $(pkg-config --cflags --libs heddle) -o saxpy
//   ./saxpy saxpy.ptx
//
//===----------------------------------------------------------------------===//

#include <fstream>
#include <heddle-c/heddle.hpp>
#include <iostream>
#include <sstream>

int main(int argc, char **argv) try {
  if (argc != 2)
    throw std::runtime_error("usage: saxpy FILE.ptx");
  std::stringstream ptx;
  ptx << std::ifstream(argv[1]).rdbuf();

  heddle::api::Compiler compiler;
  heddle::api::CodeObject code = compiler.compile(ptx.str(), {"-O3"}, argv[1]);
  for (const HeddleKernelInfo &kernel : code.kernels())
    std::cout << kernel.Name << ": " << kernel.Registers << " registers\n";

  heddle::api::Context context;
  heddle::api::Module module(context, code);
  heddle::api::Buffer<float> x(context, std::vector<float>(1000, 3.0f));
  heddle::api::Buffer<float> y(context, std::vector<float>(1000, 1.0f));
  module.launch("saxpy", 4, 256, 1000, 2.0f, x.address(), y.address());
  std::cout << "y[999] = " << y.read()[999] << "\n";
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
