//===- Format.h - Numbers and names of the code object ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the writer and the readers of code objects agree on beyond ELF64 itself;
// docs/object-format.md describes the whole.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_FORMAT_H
#define HEDDLE_OBJECT_FORMAT_H

#include <cstdint>

namespace heddle {

/// ELF's e_machine of a code object: "HD".
constexpr uint16_t ELFMachine = 0x4844;

/// The version of the code object's form, in ELF's e_flags. A reader takes only
/// the version it knows.
constexpr uint32_t ELFVersion = 1;

/// The section with the metadata note, the note's owner and its type.
constexpr char NoteSectionName[] = ".note.heddle";
constexpr char NoteOwner[] = "Heddle";
constexpr uint32_t NoteTypeMetadata = 1;

/// Sections start with these, followed by nothing or by a dot and a name.
constexpr char TextSectionPrefix[] = ".text";
constexpr char DataSectionPrefix[] = ".data";
/// Of the data sections: what host and device use at the same address.
constexpr char ManagedSectionName[] = ".data.managed";
/// Likewise: variables of eight bytes with the first part of a sampler's
/// descriptor, where loading puts the handle of such a sampler.
constexpr char SamplerSectionName[] = ".data.samplers";
constexpr char ReadOnlySectionPrefix[] = ".rodata";
constexpr char ZeroSectionPrefix[] = ".bss";
constexpr char ConstantSectionPrefix[] = ".const";
constexpr char SharedSectionPrefix[] = ".shared";
/// What linked dynamic shared memory starts at a multiple of. An object does
/// not say which alignment a declaration asks for, and shared memory itself
/// begins at no larger one on NVIDIA's chips.
constexpr uint64_t LinkedDynamicAlignment = 1024;

/// LLVM bitcode of the whole module, for optimization when linking; not loaded.
constexpr char BitcodeSectionName[] = ".llvm.lto";
/// Beside it: 8 bytes, little-endian, XXH3 (64 bits) of its contents. LLVM's
/// reader trusts what it reads.
constexpr char BitcodeHashSectionName[] = ".heddle.bitcode-hash";

/// Bytes of an instruction in the full form, and what every instruction is
/// aligned to.
constexpr uint64_t InstructionBytes = 16;
constexpr uint64_t InstructionAlign = 8;

/// ELF's sh_type of the relocations of debug sections, otherwise SHT_RELA: the
/// sections are relocated already, so that programs that do not know our
/// relocations can read them, and a linker relocates them anew.
constexpr uint32_t DebugRelocationsType = 0x70004844;

enum class RelocationType : uint32_t {
#define HEDDLE_RELOCATION(Name, Number, FieldOffset, FieldSize, Value)         \
  Name = Number,
#include "heddle/Object/Relocations.def"
};

} // namespace heddle

#endif // HEDDLE_OBJECT_FORMAT_H
