//===- Workbench.cpp - Microbenchmarks on a device --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the driver. What was made is kept until the end.
//
//===----------------------------------------------------------------------===//

#include "Workbench.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace llvm;

namespace heddle::timing {

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Workbench>> Workbench::create(const DriverAPI &API) {
  std::unique_ptr<Workbench> W(new Workbench(API));
  if (Error E = W->open())
    return std::move(E);
  return std::move(W);
}

Error Workbench::open() {
  constexpr unsigned NonBlocking = 1; // CU_STREAM_NON_BLOCKING
  if (Error E = Context.open())
    return E;
  if (Error E =
          API.check(API.createStream(&Stream, NonBlocking), "cuStreamCreate"))
    return E;
  return allocate(ResultBytes).moveInto(Results);
}

Workbench::~Workbench() {
  for (void *Executable : Executables)
    API.destroyExecutable(Executable);
  for (void *Graph : Graphs)
    API.destroyGraph(Graph);
  for (uint64_t Buffer : Buffers)
    API.free(Buffer);
  if (HostMemory)
    API.freeHost(HostMemory);
  for (void *Module : Modules)
    API.unloadModule(Module);
  if (Stream)
    API.destroyStream(Stream);
}

Expected<uint64_t> Workbench::attribute(BenchAttribute A) {
  int Value = 0;
  if (Error E = API.check(API.getDeviceAttribute(&Value, static_cast<int>(A),
                                                 Context.ordinal()),
                          "cuDeviceGetAttribute"))
    return std::move(E);
  return static_cast<uint64_t>(Value);
}

Error Workbench::load(StringRef Text) {
  void *Module = nullptr;
  if (Error E = API.check(API.loadModule(&Module, Text.str().c_str()),
                          "cuModuleLoadData"))
    return E;
  Modules.push_back(Module);
  return Error::success();
}

Expected<void *> Workbench::function(StringRef Kernel) {
  void *&Function = Functions[Kernel];
  for (void *Module : reverse(Modules))
    if (Function ||
        API.getFunction(&Function, Module, Kernel.str().c_str()) == 0)
      return Function;
  return createStringError("no kernel '" + Kernel + "'");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<uint64_t> Workbench::allocate(uint64_t Bytes) {
  uint64_t Address = 0;
  if (Error E = API.check(API.allocate(&Address, Bytes), "cuMemAlloc"))
    return std::move(E);
  Buffers.push_back(Address);
  return Address;
}

Error Workbench::free(uint64_t Address) {
  erase(Buffers, Address);
  return API.check(API.free(Address), "cuMemFree");
}

Error Workbench::clear(uint64_t Address, uint64_t Bytes) {
  return API.check(API.fill16(Address, 0, Bytes / 2), "cuMemsetD16");
}

Error Workbench::copyFromHost(uint64_t To, uint64_t Bytes) {
  if (HostBytes < Bytes) {
    if (HostMemory)
      API.freeHost(HostMemory);
    HostMemory = nullptr;
    if (Error E =
            API.check(API.allocateHost(&HostMemory, Bytes), "cuMemAllocHost"))
      return E;
    HostBytes = Bytes;
  }
  return API.check(API.copyToDeviceAsync(To, HostMemory, Bytes, Stream),
                   "cuMemcpyHtoDAsync");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Error Workbench::launch(StringRef Kernel, const BenchGrid &Grid,
                        const BenchArguments &Arguments) {
  constexpr int MaxDynamicSharedSize = 8; // CUfunction_attribute
  Expected<void *> Function = function(Kernel);
  if (!Function)
    return Function.takeError();
  if (Grid.SharedBytes)
    if (Error E = API.check(
            API.setAttribute(*Function, MaxDynamicSharedSize, Grid.SharedBytes),
            "cuFuncSetAttribute"))
      return E;
  uint64_t Out = Results;
  BenchArguments A = Arguments;
  void *Parameters[] = {&Out, &A.Buffer, &A.Count, &A.Extra};
  return API.check(API.launch(*Function, Grid.CTAs, 1, 1, Grid.Threads, 1, 1,
                              Grid.SharedBytes, Stream, Parameters, nullptr),
                   "launch of '" + Kernel.str() + "'");
}

Error Workbench::wait() {
  return API.check(API.synchronize(), "cuCtxSynchronize");
}

Expected<std::vector<uint64_t>> Workbench::run(StringRef Kernel,
                                               const BenchGrid &Grid,
                                               const BenchArguments &Arguments,
                                               unsigned Count) {
  std::vector<uint64_t> Words(Count);
  if (Error E = launch(Kernel, Grid, Arguments))
    return std::move(E);
  if (Error E = wait())
    return std::move(E);
  if (Error E = API.check(
          API.copyFromDevice(Words.data(), Results, Count * sizeof(uint64_t)),
          "cuMemcpyDtoH"))
    return std::move(E);
  return Words;
}

Expected<double> Workbench::time(function_ref<Error()> Work,
                                 function_ref<Error()> Before) {
  if (Error E = wait())
    return std::move(E);
  if (Before)
    if (Error E = Before())
      return std::move(E);
  if (Error E =
          API.check(API.recordEvent(Context.start(), Stream), "cuEventRecord"))
    return std::move(E);
  if (Error E = Work())
    return std::move(E);
  float Milliseconds = 0;
  int Result = API.recordEvent(Context.end(), Stream);
  if (Result == 0)
    Result = API.waitForEvent(Context.end());
  if (Result == 0)
    Result = API.elapsedTime(&Milliseconds, Context.start(), Context.end());
  if (Error E = API.check(Result, "events"))
    return std::move(E);
  return Milliseconds * 1e6;
}

Error Workbench::poll() {
  constexpr int NotReady = 600; // CUDA_ERROR_NOT_READY
  if (Error E =
          API.check(API.recordEvent(Context.end(), Stream), "cuEventRecord"))
    return E;
  int Result;
  do
    Result = API.queryEvent(Context.end());
  while (Result == NotReady);
  return API.check(Result, "cuEventQuery");
}

Expected<double> Workbench::questionNanoseconds() {
  constexpr unsigned Questions = 64;
  if (Error E = poll())
    return std::move(E);
  double Begin = hostNanoseconds();
  for (unsigned N = 0; N < Questions; ++N)
    if (Error E = API.check(API.queryEvent(Context.end()), "cuEventQuery"))
      return std::move(E);
  return (hostNanoseconds() - Begin) / Questions;
}

double Workbench::hostNanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Expected<void *> Workbench::makeGraph(StringRef Kernel, unsigned Launches) {
  constexpr int ThreadLocal = 1; // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
  void *Graph = nullptr, *Executable = nullptr;
  if (Error E = API.check(API.beginCapture(Stream, ThreadLocal),
                          "cuStreamBeginCapture"))
    return std::move(E);
  for (unsigned N = 0; N < Launches; ++N)
    if (Error E = launch(Kernel, BenchGrid()))
      return std::move(E);
  if (Error E = API.check(API.endCapture(Stream, &Graph), "cuStreamEndCapture"))
    return std::move(E);
  Graphs.push_back(Graph);
  if (Error E = API.check(API.instantiateGraph(&Executable, Graph, 0),
                          "cuGraphInstantiate"))
    return std::move(E);
  Executables.push_back(Executable);
  return Executable;
}

Error Workbench::launchGraph(void *Executable) {
  return API.check(API.launchGraph(Executable, Stream), "cuGraphLaunch");
}

} // namespace heddle::timing
