//===- Plugin.cpp - The passes as a plug-in of opt --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes each pass of Passes.def runnable alone in the packaged tool:
//
//   opt -load-pass-plugin HeddlePasses.so -passes=heddle-split-switches
//
// opt refuses modules of the triple heddle, which only LLVM's own list of
// triples could name: tests leave the triple out. ptx-opt --passes runs the
// same passes with the target.
//
//===----------------------------------------------------------------------===//

#include "passes/plugin/Register.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Heddle", LLVM_VERSION_STRING,
          heddle::passes::registerPasses};
}
