//===- KernelBuilder.h - Kernels for tests, by hand -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encodes instructions from their names and the values of their operands by
// role, and runs them on an emulator.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_EMULATOR_KERNELBUILDER_H
#define HEDDLE_TEST_UNIT_EMULATOR_KERNELBUILDER_H

#include "heddle/Emulator/Emulator.h"
#include "heddle/ISA/ISA.h"
#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::emu::test {

using isa::Role;
constexpr unsigned RZ = 255, PT = 7, URZ = 63, UPT = 7;

struct Field {
  Role R;
  uint64_t Value;
};
using Fields = std::vector<Field>;

/// Instructions in sequence. Unless it is told otherwise, each waits for all
/// that went before and gives its result the time that it needs.
class KernelBuilder {
public:
  /// Appends the instruction with this name in ISA.h's tables. Predicates and
  /// the registers of optional results that Operands leaves out are PT and RZ.
  KernelBuilder &inst(std::string_view Name, const Fields &Operands = {},
                      std::optional<isa::Control> Control = std::nullopt);
  /// The same, executed where predicate \p Guard holds (or does not).
  KernelBuilder &guarded(unsigned Guard, bool Negated, std::string_view Name,
                         const Fields &Operands = {});
  /// A branch or a BSSY, whose target is a label.
  KernelBuilder &jump(std::string_view Name, std::string Label,
                      Fields Operands = {});
  KernelBuilder &label(std::string Name);

  /// Rd,Rd+1 = the 64-bit parameter at \p Offset.
  KernelBuilder &param64(unsigned D, unsigned Offset) {
    return inst("LDC64_r", {{Role::d, D}, {Role::a, RZ}, {Role::imm, Offset}});
  }
  KernelBuilder &param32(unsigned D, unsigned Offset) {
    return inst(
        "LDC_r",
        {{Role::d, D}, {Role::a, RZ}, {Role::imm, Offset}, {Role::size, 4}});
  }
  KernelBuilder &mov(unsigned D, uint32_t Value) {
    return inst("MOV_i", {{Role::d, D}, {Role::b, Value}});
  }
  KernelBuilder &special(unsigned D, unsigned Number) {
    return inst("S2R", {{Role::d, D}, {Role::b, Number}});
  }
  /// Rd,Rd+1 = Rbase,Rbase+1 + (Rindex << Shift).
  KernelBuilder &address(unsigned D, unsigned Base, unsigned Index,
                         unsigned Shift) {
    return inst(
        "LEA64_r",
        {{Role::d, D}, {Role::a, Index}, {Role::b, Base}, {Role::sh, Shift}});
  }
  KernelBuilder &exit() { return inst("EXIT"); }

  size_t size() const { return Code.size(); }
  /// The instructions' bytes, with all labels in place.
  std::vector<uint8_t> bytes() const;
  isa::Encoding &operator[](size_t N) { return Code[N]; }

private:
  std::vector<isa::Encoding> Code;
  std::map<std::string, size_t> Labels;
  std::vector<std::pair<size_t, std::string>> Jumps;
};

/// Appends values to a parameter block, each aligned to its size.
class Params {
public:
  template <typename T> Params &add(T Value) {
    size_t Offset = (Bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    Bytes.resize(Offset + sizeof(T));
    std::memcpy(Bytes.data() + Offset, &Value, sizeof(T));
    return *this;
  }
  std::vector<uint8_t> Bytes;
};

/// A device and what tests do with it.
class Machine {
public:
  explicit Machine(EmulatorOptions Options = {});

  uint64_t allocate(uint64_t Bytes);
  template <typename T> uint64_t upload(const std::vector<T> &Data) {
    uint64_t Address = allocate(Data.size() * sizeof(T));
    llvm::cantFail(Device->copyToDevice(
        Address, {reinterpret_cast<const uint8_t *>(Data.data()),
                  Data.size() * sizeof(T)}));
    return Address;
  }
  template <typename T>
  std::vector<T> download(uint64_t Address, size_t Count) {
    std::vector<T> Data(Count);
    llvm::cantFail(Device->copyFromDevice(
        {reinterpret_cast<uint8_t *>(Data.data()), Count * sizeof(T)},
        Address));
    return Data;
  }

  struct Shape {
    rt::Dim3 Grid = {}, Block = {};
    uint32_t SharedBytes = 0, LocalBytes = 0;
    uint64_t MaxThreadInstructions =
        rt::LaunchConfig::DefaultMaxThreadInstructions;
    std::vector<uint8_t> Constants = {};
    std::optional<rt::Dim3> Cluster = {};
  };
  rt::LaunchResult launch(const KernelBuilder &Kernel, const Params &P,
                          const Shape &S);
  llvm::Expected<rt::LaunchResult> tryLaunch(const KernelBuilder &Kernel,
                                             const Params &P, const Shape &S);
  /// Launches and expects no fault.
  rt::LaunchStatistics run(const KernelBuilder &Kernel, const Params &P,
                           const Shape &S);
  /// Launches and expects a fault of a kind.
  rt::Fault runToFault(rt::FaultKind Kind, const KernelBuilder &Kernel,
                       const Params &P, const Shape &S);

  std::unique_ptr<rt::Device> Device;
  std::string Output; ///< What kernels printed.
};

/// The sources of one execution of an arithmetic instruction: up to four words
/// of each, and the predicate s.
struct Sources {
  unsigned __int128 A = 0, B = 0, C = 0;
  bool S = true;
};
struct Result {
  unsigned __int128 D = 0; ///< Four registers from the destination on.
  bool P = false, Q = false;
};

/// Runs an arithmetic instruction on each of \p In. \p Modifiers are operands
/// beyond a, b, c, d, p, q and s.
std::vector<Result> evaluate(std::string_view Name, const Fields &Modifiers,
                             const std::vector<Sources> &In);
/// The same for a uniform instruction, in a warp for each of \p In.
std::vector<Result> evaluateUniform(std::string_view Name,
                                    const Fields &Modifiers,
                                    const std::vector<Sources> &In);

} // namespace heddle::emu::test

#endif // HEDDLE_TEST_UNIT_EMULATOR_KERNELBUILDER_H
