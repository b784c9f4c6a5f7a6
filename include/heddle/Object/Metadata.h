//===- Metadata.h - What a code object says about itself --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata that the compiler writes into the note of a code object and that
// the loader, the emulator and the tools read: for each kernel its resources,
// parameters and launch bounds; for the module where it came from. In the file
// it is MessagePack, so that fields can be added and old readers survive.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_METADATA_H
#define HEDDLE_OBJECT_METADATA_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// One parameter of a kernel in its parameter block.
struct ParamMetadata {
  std::string Name;
  uint32_t Offset = 0; ///< In bytes from the start of the block.
  uint32_t Size = 0;   ///< In bytes.
  uint32_t Align = 1;  ///< In bytes, a power of two.
  std::string Type;    ///< PTX's word: `u64`, `f32`, `b8[24]`.

  bool operator==(const ParamMetadata &) const = default;
};

/// Extents of a block or a cluster, as PTX's directives give them.
struct Extents {
  uint32_t X = 1, Y = 1, Z = 1;

  bool operator==(const Extents &) const = default;
};

/// One kernel. What the source does not state is absent, not zero.
struct KernelMetadata {
  std::string Name;              ///< Of the symbol in section `.text.<Name>`.
  uint32_t Registers = 0;        ///< 32-bit registers a thread.
  uint32_t UniformRegisters = 0; ///< 32-bit uniform registers a warp.
  uint32_t SpillStoreBytes = 0; ///< Bytes that spill code stores, static count,
                                ///< callees included.
  uint32_t SpillLoadBytes = 0;  ///< Bytes that spill code loads, likewise.
  uint32_t SharedBytes = 0;     ///< Static shared memory a CTA.
  uint32_t LocalBytes = 0;    ///< Stack and spills a thread, callees included.
  uint32_t Barriers = 0;      ///< Named barriers in use.
  uint32_t ParamBytes = 0;    ///< Size of the parameter block.
  bool DynamicShared = false; ///< Uses shared memory sized at launch.
  /// Recursion or calls through pointers: LocalBytes is only what one call of
  /// each function needs, and the device adds its stack limit.
  bool DynamicStack = false;
  std::vector<ParamMetadata> Params;
  std::optional<Extents> MaxBlock;        ///< `.maxntid`
  std::optional<Extents> RequiredBlock;   ///< `.reqntid`
  std::optional<Extents> RequiredCluster; ///< `.reqnctapercluster`
  std::optional<uint32_t> MaxClusterRank; ///< `.maxclusterrank`
  std::optional<bool> ExplicitCluster;    ///< `.explicitcluster`: true
  /// CTAs, neighbours in x, whose work one CTA does; absent: one.
  std::optional<uint32_t> MergedCTAs;
  std::optional<uint32_t> MinCTAs;      ///< `.minnctapersm`
  std::optional<uint32_t> MaxRegisters; ///< `.maxnreg`

  bool operator==(const KernelMetadata &) const = default;
};

/// A function or kernel as it is, without what it calls.
struct FunctionMetadata {
  std::string Name; ///< Of the symbol in section `.text.<Name>`.
  std::string Type; ///< See SymbolMetadata; empty for one of the object alone.
  uint32_t Registers = 0;       ///< 32-bit registers a thread.
  uint32_t Barriers = 0;        ///< Named barriers in use.
  uint32_t StackBytes = 0;      ///< Its frame, in bytes.
  uint32_t SpillStoreBytes = 0; ///< Bytes that spill code stores.
  uint32_t SpillLoadBytes = 0;  ///< Bytes that spill code loads.
  bool CallsPointers = false;   ///< Calls functions through pointers.
  bool VariableStack = false;   ///< Its frame may grow, or it calls itself.

  bool operator==(const FunctionMetadata &) const = default;
};

/// What a name that other objects define or use is, as this object has it.
struct SymbolMetadata {
  std::string Name;
  /// Of a function its results and arguments, of a variable its state space and
  /// size; two objects agree if the texts are the same.
  std::string Type;

  bool operator==(const SymbolMetadata &) const = default;
};

/// What the linker has to know of an object.
struct LinkMetadata {
  std::vector<FunctionMetadata> Functions; ///< All that have code.
  std::vector<SymbolMetadata> Symbols; ///< Variables, and what is undefined.

  bool operator==(const LinkMetadata &) const = default;
};

/// The whole code object.
struct ModuleMetadata {
  std::string Chip;       ///< As isa-defs/ names it: `hd100`.
  std::string ISAVersion; ///< Version of the ISA that the code is in.
  std::string Compiler;   ///< Identity of the compiler that made it.
  std::string PTXVersion; ///< `.version` of the input: `9.0`. May be empty.
  std::string PTXTarget;  ///< `.target` of the input: `sm_90`. May be empty.
  std::vector<KernelMetadata> Kernels; ///< In the input's order.
  std::optional<LinkMetadata> Link;    ///< Of a relocatable object only.

  bool operator==(const ModuleMetadata &) const = default;
};

/// \p Metadata as MessagePack; equal metadata gives equal bytes.
std::string encodeMetadata(const ModuleMetadata &Metadata);

/// Reads MessagePack that nothing is known of. Unknown fields are skipped;
/// a missing, repeated or ill-typed one, a number out of range, a parameter
/// outside its block and two kernels of one name are errors.
llvm::Expected<ModuleMetadata> decodeMetadata(llvm::StringRef Bytes);

/// The contents of section `.note.heddle`: an ELF note around encodeMetadata.
std::string encodeMetadataNote(const ModuleMetadata &Metadata);

/// Reads the contents of section `.note.heddle`, which must hold exactly one
/// metadata note; notes of other owners or types are skipped.
llvm::Expected<ModuleMetadata> decodeMetadataNote(llvm::StringRef Section);

} // namespace heddle

#endif // HEDDLE_OBJECT_METADATA_H
