//===- Tuning.cpp - Tuning through the C API --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of heddle-c/Compiler.h that starts searches for better code.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "heddle/Driver/BackgroundTuning.h"

using namespace heddle;
using namespace heddle::jit;

HeddleError heddleCompilerTune(HeddleCompiler Compiler,
                               const HeddleTuning *Tuning) {
  if (!Compiler || !Tuning)
    return nullArgument(Compiler ? "Tuning" : "Compiler");
  HeddleTuning T;
  heddleTuningInit(&T);
  if (!readStruct(Tuning, T))
    return makeError(HEDDLE_ERROR_VERSION, "HeddleTuning states no StructSize");
  if (!T.Manifests || T.NumManifests == 0)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, "no manifest is given");
  if (cache::Mode M = Compiler->Settings.mode();
      M == cache::Mode::Off || M == cache::Mode::ReadOnly)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "the cache, which is to have what is found, is not "
                     "written");
  std::vector<std::string> Arguments(T.Manifests, T.Manifests + T.NumManifests);
  for (const std::string &Manifest : Arguments)
    if (Manifest.starts_with('-'))
      return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                       "'" + Manifest + "' is not the name of a manifest");
  auto Add = [&](const char *Option, std::string Value) {
    Arguments.push_back(Option);
    Arguments.push_back(std::move(Value));
  };
  Add("--output", T.Document ? T.Document : "-");
  if (T.Chip)
    Add("--chip", T.Chip);
  if (T.Kernel)
    Add("--kernel", T.Kernel);
  if (T.Evaluations)
    Add("--evaluations", std::to_string(T.Evaluations));
  if (T.Seconds)
    Add("--seconds", std::to_string(T.Seconds));
  if (std::optional<std::string> Fault =
          startTuning(Compiler->CacheDirectory, Arguments))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, *Fault);
  return nullptr;
}
