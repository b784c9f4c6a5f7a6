//===- ErrorLog.cpp - What went wrong, for the program ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The log, and the functions of both APIs that read it.
//
//===----------------------------------------------------------------------===//

#include "ErrorLog.h"
#include "Driver/Driver.h"

#include <cstring>
#include <fstream>

using namespace heddle;
using namespace heddle::cuda;

static constexpr char Truncated[] = "older messages are left out\n";

ErrorLog &ErrorLog::get() {
  static auto *Made = new ErrorLog; // see Process.h
  return *Made;
}

void ErrorLog::add(std::string Message) {
  constexpr int ErrorLevel = 0;
  while (!Message.empty() && Message.back() == '\n')
    Message.pop_back();
  {
    std::lock_guard Lock(Mutex);
    Messages.push_back(Message + "\n");
    Bytes += Messages.back().size();
    for (; Bytes > MaxBytes - sizeof(Truncated) && Messages.size() > 1;
         ++First) {
      Bytes -= Messages.front().size();
      Messages.pop_front();
    }
  }
  Callbacks.forEach([&](const LogsCallbackHandle &C) {
    C.Function(C.UserData, ErrorLevel, Message.data(), Message.size());
  });
}

unsigned ErrorLog::next() const {
  std::lock_guard Lock(Mutex);
  return First + Messages.size();
}

std::string ErrorLog::read(unsigned &Begin, size_t Room) const {
  std::lock_guard Lock(Mutex);
  unsigned End = First + Messages.size(), Oldest = std::max(Begin, First);
  size_t Size = 0;
  for (unsigned I = Oldest; I < End; ++I)
    Size += Messages[I - First].size();
  bool IsTruncated = Begin < Oldest;
  auto Fits = [&] {
    return Size + (IsTruncated ? sizeof(Truncated) - 1 : 0) <= Room;
  };
  for (; Oldest < End && !Fits(); ++Oldest) {
    Size -= Messages[Oldest - First].size();
    IsTruncated = true;
  }
  std::string Text;
  if (Oldest < End && IsTruncated)
    Text = Truncated;
  for (unsigned I = Oldest; I < End; ++I)
    Text += Messages[I - First];
  Begin = End;
  return Text;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

extern "C" {

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t Function,
                                     void *UserData,
                                     LogsCallbackHandle **Handle) {
  if (!Function)
    return finish(cudaErrorInvalidValue);
  LogsCallbackHandle *Made =
      ErrorLog::get().Callbacks.add(std::unique_ptr<LogsCallbackHandle>(
          new LogsCallbackHandle{Function, UserData}));
  if (Handle)
    *Handle = Made;
  return cudaSuccess;
}

cudaError_t cudaLogsUnregisterCallback(LogsCallbackHandle *Handle) {
  return finish(ErrorLog::get().Callbacks.remove(Handle)
                    ? cudaSuccess
                    : cudaErrorInvalidValue);
}

cudaError_t cudaLogsCurrent(unsigned *Iterator, unsigned Flags) {
  if (!Iterator || Flags)
    return finish(cudaErrorInvalidValue);
  *Iterator = ErrorLog::get().next();
  return cudaSuccess;
}

cudaError_t cudaLogsDumpToFile(unsigned *Iterator, const char *Path,
                               unsigned Flags) {
  if (!Path || Flags)
    return finish(cudaErrorInvalidValue);
  std::ofstream File(Path, std::ios::binary);
  unsigned Begin = Iterator ? *Iterator : 0;
  File << ErrorLog::get().read(Begin) << std::flush;
  if (!File)
    return finish(cudaErrorInvalidValue);
  if (Iterator)
    *Iterator = Begin;
  return cudaSuccess;
}

cudaError_t cudaLogsDumpToMemory(unsigned *Iterator, char *Buffer, size_t *Size,
                                 unsigned Flags) {
  if (!Buffer || !Size || !*Size || Flags)
    return finish(cudaErrorInvalidValue);
  unsigned Begin = Iterator ? *Iterator : 0;
  bool HasMessages = Begin < ErrorLog::get().next();
  std::string Text = ErrorLog::get().read(Begin, *Size - 1);
  std::memcpy(Buffer, Text.c_str(), Text.size() + 1);
  *Size = Text.size();
  if (HasMessages && Text.empty())
    return finish(cudaErrorInvalidValue);
  if (Iterator)
    *Iterator = Begin;
  return cudaSuccess;
}

// The same of the driver API, which are there before cuInit.

CUresult cuLogsRegisterCallback(cudaLogsCallback_t Function, void *UserData,
                                LogsCallbackHandle **Handle) {
  DriverCall Call;
  return cudaLogsRegisterCallback(Function, UserData, Handle);
}
CUresult cuLogsUnregisterCallback(LogsCallbackHandle *Handle) {
  DriverCall Call;
  return cudaLogsUnregisterCallback(Handle);
}
CUresult cuLogsCurrent(unsigned *Iterator, unsigned Flags) {
  DriverCall Call;
  return cudaLogsCurrent(Iterator, Flags);
}
CUresult cuLogsDumpToFile(unsigned *Iterator, const char *Path,
                          unsigned Flags) {
  DriverCall Call;
  return cudaLogsDumpToFile(Iterator, Path, Flags);
}
CUresult cuLogsDumpToMemory(unsigned *Iterator, char *Buffer, size_t *Size,
                            unsigned Flags) {
  DriverCall Call;
  return cudaLogsDumpToMemory(Iterator, Buffer, Size, Flags);
}

} // extern "C"
