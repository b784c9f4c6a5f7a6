//===- DebugFile.cpp - Debug information for other programs -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the code and changes the copy of the file in place: all sections
// keep their offsets.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/DebugFile.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstddef>

using namespace heddle;
using namespace llvm;
using namespace llvm::ELF;

namespace {

/// The bytes of an ELF file that an ObjectFile was read from, so that its
/// offsets are known to be right.
class Image {
public:
  explicit Image(ArrayRef<uint8_t> Bytes) : Bytes(Bytes.vec()) {}

  template <typename T> T read(uint64_t Offset) const {
    return support::endian::read<T, endianness::little>(&Bytes[Offset]);
  }
  template <typename T> void write(uint64_t Offset, T Value) {
    support::endian::write<T, endianness::little>(&Bytes[Offset], Value);
  }
  /// Offset of a section's header.
  uint64_t getHeader(uint32_t Section) const {
    return read<uint64_t>(offsetof(Elf64_Ehdr, e_shoff)) +
           uint64_t(Section) *
               read<uint16_t>(offsetof(Elf64_Ehdr, e_shentsize));
  }
  uint64_t getContentsOffset(uint32_t Section) const {
    return read<uint64_t>(getHeader(Section) + offsetof(Elf64_Shdr, sh_offset));
  }

  std::vector<uint8_t> Bytes;
};

} // namespace

/// Addresses of the code sections, by index; 0 for all others.
static std::vector<uint64_t> layOut(const ObjectFile &Object) {
  std::vector<uint64_t> Addresses;
  uint64_t Next = 0;
  for (const Section &S : Object.sections()) {
    bool IsCode = S.Kind == LoadKind::Text;
    if (IsCode)
      Next = alignTo(Next, std::max<uint64_t>(S.Align, 1));
    Addresses.push_back(IsCode ? Next : 0);
    if (IsCode)
      Next += S.Size;
  }
  return Addresses;
}

/// Gives the symbols of code their addresses.
static void moveSymbols(Image &Out, uint32_t Table, uint64_t Size,
                        ArrayRef<uint64_t> Addresses) {
  uint64_t Begin = Out.getContentsOffset(Table);
  for (uint64_t At = Begin; At + sizeof(Elf64_Sym) <= Begin + Size;
       At += sizeof(Elf64_Sym)) {
    auto Index = Out.read<uint16_t>(At + offsetof(Elf64_Sym, st_shndx));
    uint64_t Place = At + offsetof(Elf64_Sym, st_value);
    if (Index < Addresses.size())
      Out.write(Place, Out.read<uint64_t>(Place) + Addresses[Index]);
  }
}

Expected<std::vector<uint8_t>> heddle::makeDebugFile(const ObjectFile &Object,
                                                     ArrayRef<uint8_t> Bytes) {
  Image Out(Bytes);
  std::vector<uint64_t> Addresses = layOut(Object);
  auto Unresolved = [](const Symbol &, const Relocation &) {
    return std::optional<uint64_t>();
  };
  for (uint32_t I = 1; I < Object.sections().size(); ++I) {
    const Section &S = Object.sections()[I];
    uint64_t Header = Out.getHeader(I);
    Out.write(Header + offsetof(Elf64_Shdr, sh_addr), Addresses[I]);
    if (S.Type == SHT_SYMTAB)
      moveSymbols(Out, I, S.Size, Addresses);
    if (S.Type == SHT_RELA)
      Out.write<uint32_t>(Header + offsetof(Elf64_Shdr, sh_type), SHT_NULL);
    if (S.Kind != LoadKind::Debug || S.Contents.empty())
      continue;
    MutableArrayRef<uint8_t> Contents(&Out.Bytes[Out.getContentsOffset(I)],
                                      S.Contents.size());
    if (Error E = Object.relocate(I, Addresses, Contents, Unresolved))
      return std::move(E);
  }
  Out.write<uint16_t>(offsetof(Elf64_Ehdr, e_type), ET_EXEC);
  return std::move(Out.Bytes);
}
