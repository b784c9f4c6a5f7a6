//===- NVML.h - The management library as ptx-smi calls it ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libnvidia-ml.so.1 that ptx-smi calls, found by their names:
// the program says what every other monitor would.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_NVML_H
#define HEDDLE_TOOLS_PTX_SMI_NVML_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::smi {

/// nvmlDevice_t.
using DeviceHandle = struct OpaqueDevice *;

/// nvmlMemory_t, nvmlUtilization_t, nvmlPciInfo_t, nvmlProcessInfo_t and
/// nvmlProcessUtilizationSample_t.
struct MemoryInfo {
  unsigned long long Total, Free, Used;
};
struct UtilizationInfo {
  unsigned Device, Memory;
};
struct PCIInfo {
  char LegacyId[16];
  unsigned Domain, Bus, Device, DeviceId, SubsystemId;
  char Id[32];
};
struct ProcessInfo {
  unsigned Process;
  unsigned long long Bytes;
  unsigned GpuInstance, ComputeInstance;
};
struct ProcessSample {
  unsigned Process;
  unsigned long long Microseconds;
  unsigned Device, Memory, Encoder, Decoder;
};

/// nvmlAccountingStats_t.
struct AccountingStats {
  unsigned Device, Memory;
  unsigned long long MostBytes, Milliseconds, StartMicroseconds;
  unsigned IsRunning, Reserved[5];
};

/// nvmlDeviceAttributes_t.
struct DeviceAttributes {
  unsigned Cores, CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  unsigned InstanceSlices, ComputeSlices;
  unsigned long long MemoryMB;
};

/// The library, between its begin and its end.
class NVML {
public:
  static llvm::Expected<NVML> load(const std::string &Path);
  NVML(NVML &&Other) : Library(Other.Library) { Other.Library = nullptr; }
  NVML &operator=(NVML &&) = delete;
  ~NVML();

  /// Calls a function, such as `nvmlDeviceGetCount_v2`; an error with its name
  /// and what the library says of its result.
  template <typename... Ts>
  llvm::Error call(const char *Name, Ts... Args) const {
    int Code = result(Name, Args...);
    return Code == Success ? llvm::Error::success() : failure(Name, Code);
  }
  /// A value that the library may not know: the last argument of the function.
  template <typename T, typename... Ts>
  std::optional<T> value(const char *Name, Ts... Args) const {
    T Value = {};
    return result(Name, Args..., &Value) == Success ? std::optional(Value)
                                                    : std::nullopt;
  }
  /// A text, by a function whose last arguments are a buffer and its size.
  template <typename... Ts>
  llvm::Expected<std::string> text(const char *Name, Ts... Args) const {
    char Buffer[256] = {};
    if (llvm::Error E =
            call(Name, Args..., &Buffer[0], unsigned(sizeof(Buffer))))
      return std::move(E);
    return std::string(Buffer);
  }
  /// A list, by a function whose last two arguments are the count and the
  /// places, in this order; empty if there is none.
  template <typename T>
  std::vector<T> list(const char *Name, DeviceHandle Device) const {
    std::vector<T> All(MaxProcesses);
    unsigned Count = All.size();
    if (result(Name, Device, &Count, All.data()) != Success)
      Count = 0;
    All.resize(Count);
    return All;
  }

  static constexpr int Success = 0;
  static constexpr unsigned MaxProcesses = 4096;

  /// The number that a function returns; -1 if there is no such function.
  template <typename... Ts> int result(const char *Name, Ts... Args) const {
    void *Function = find(Name);
    return Function ? reinterpret_cast<int (*)(Ts...)>(Function)(Args...) : -1;
  }

private:
  explicit NVML(void *Library) : Library(Library) {}
  void *find(const char *Name) const;
  llvm::Error failure(const char *Name, int Code) const;

  void *Library;
};

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_NVML_H
