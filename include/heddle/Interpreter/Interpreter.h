//===- Interpreter.h - A device that interprets PTX -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a device that carries out PTX itself, in the form of the ptx dialect,
// thread by thread, as the PTX manual says. It is an executable reading of PTX
// and an oracle for the compiler and the emulator: it shares no code with the
// backend, the lowering of the dialect, the device library or the instructions
// of the emulator. docs/interpreter.md describes it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_INTERPRETER_INTERPRETER_H
#define HEDDLE_INTERPRETER_INTERPRETER_H

#include "heddle/Runtime/Device.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace heddle::interp {

/// A variable of the source has got a value in a thread.
struct VariableEvent {
  rt::Dim3 Block, Thread;
  llvm::StringRef Function, Name;
  uint64_t Line = 0;                 ///< Where it is declared.
  uint64_t Offset = 0;               ///< Of the piece that this is about,
  uint64_t Bytes = 0;                ///< and its size; 0: all of the variable.
  std::optional<uint64_t> Bits;      ///< None: it has no value any more,
  llvm::ArrayRef<uint8_t> Content{}; ///< unless it is in memory, and this.
};

struct InterpreterOptions {
  std::string ModuleName = "module.ptx"; ///< What messages call the PTX text.
  uint64_t HeapBytes = 64 << 20;         ///< For malloc in kernels.
  /// What memory holds that has not been written.
  rt::FreshMemory FreshMemory = rt::FreshMemory::Zero;
  uint32_t LocalBytes = 512 * 1024; ///< A thread's local memory at most.
  uint32_t CallDepth = 8192;        ///< Calls of a thread at most.
  /// Other than 0: threads have time slices of random lengths in random order.
  /// A program without races gives the same result under every seed.
  uint64_t ScheduleSeed = 0;
  /// Hears what PTX's debug sections say is in registers; null: nobody does.
  std::function<void(const VariableEvent &)> OnVariable;
};

/// A device whose loadModule takes PTX text in place of a code object. What
/// the interpreter does not cover is an error of loadModule that names the
/// construct and its place.
std::unique_ptr<rt::Device>
createInterpreterDevice(const InterpreterOptions &Options = {});

} // namespace heddle::interp

#endif // HEDDLE_INTERPRETER_INTERPRETER_H
