//===- CallbackIds.cpp - Functions by CUPTI's numbers -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables are sorted by numbers, in which newer functions come later.
//
//===----------------------------------------------------------------------===//

#include "Trace/CallbackIds.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace heddle::cuda::trace {

static constexpr CallbackId RuntimeIds[] = {
#define HEDDLE_CALLBACK(Number, Name) {Number, #Name},
#include "Trace/RuntimeCallbacks.def"
};

static constexpr CallbackId DriverIds[] = {
#define HEDDLE_CALLBACK(Number, Name) {Number, #Name},
#include "Trace/DriverCallbacks.def"
};

static ArrayRef<CallbackId> idsOf(Interface Of) {
  switch (Of) {
  case Interface::Runtime:
    return RuntimeIds;
  case Interface::Driver:
    return DriverIds;
  default:
    return {};
  }
}

/// A name of the runtime without the version of CUDA at its end.
static StringRef withoutVersion(StringRef Name) {
  auto [Function, Version] = Name.rsplit("_v");
  bool IsOfCUDA = Version.size() >= 4 && all_of(Version, isDigit);
  return IsOfCUDA ? Function : Name;
}

CallbackId callbackOf(Interface Of, StringRef Function) {
  static const StringMap<CallbackId> Runtime = [] {
    StringMap<CallbackId> Map;
    for (const CallbackId &Id : RuntimeIds)
      Map[withoutVersion(Id.Name)] = Id;
    return Map;
  }();
  static const StringMap<CallbackId> Driver = [] {
    StringMap<CallbackId> Map;
    for (const CallbackId &Id : DriverIds)
      Map[Id.Name] = Id;
    return Map;
  }();
  if (Of == Interface::Runtime)
    return Runtime.lookup(Function);
  return Of == Interface::Driver ? Driver.lookup(Function) : CallbackId();
}

/// Functions that use the thread's default stream end alike in both.
static constexpr std::pair<StringLiteral, StringLiteral> DriverCalls[] = {
    {"cudaGraphLaunch", "cuGraphLaunch"},
    {"cudaLaunchCooperativeKernel", "cuLaunchCooperativeKernel"},
    {"cudaLaunchKernel", "cuLaunchKernel"},
    {"cudaLaunchKernelExC", "cuLaunchKernelEx"},
    {"cudaStreamBeginCapture", "cuStreamBeginCapture_v2"},
    {"cudaStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph"},
    {"cudaStreamEndCapture", "cuStreamEndCapture"},
};

uint32_t driverCallbackOf(StringRef RuntimeFunction) {
  constexpr StringLiteral PerThread = "_ptsz";
  bool IsPerThread = RuntimeFunction.consume_back(PerThread);
  for (const auto &[OfRuntime, OfDriver] : DriverCalls)
    if (RuntimeFunction == OfRuntime)
      return callbackOf(Interface::Driver,
                        (OfDriver + (IsPerThread ? PerThread : "")).str())
          .Number;
  return 0;
}

const char *callbackName(Interface Of, uint32_t Number) {
  ArrayRef<CallbackId> Ids = idsOf(Of);
  const auto *It =
      lower_bound(Ids, Number, [](const CallbackId &Id, uint32_t Wanted) {
        return Id.Number < Wanted;
      });
  return It != Ids.end() && It->Number == Number ? It->Name : nullptr;
}

} // namespace heddle::cuda::trace
