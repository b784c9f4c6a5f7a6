//===- Signatures.cpp - Runtimes without names ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime is one section of one object, so that a linker takes all of it or
// nothing and leaves the order as it is. In it, one behind the other, are the
// functions that programs call. Each makes a record for the callbacks of CUPTI
// and puts its number there, which stays the same from version to version. Some
// way before them, one behind the other too, are the functions that compilers
// call. Those have no numbers, but few forms in all versions. Where anything is
// not as it has to be, the file is left as it is.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/Signatures.h"
#include "StaticRuntime/System.h"
#include "StaticRuntime/UnwindTable.h"

using namespace heddle::cuda;

namespace {

struct Version {
  unsigned Number; ///< 13010 is 13.1.
  char Text[16];
};

/// A function that programs call. The name is part of the row, so that nothing
/// has to be relocated when the library is loaded.
struct Callback {
  uint16_t Number;
  uint16_t First, Last; ///< The versions that have the name.
  char Name[60];
};

/// The length of a function that other builds of a version have otherwise.
constexpr uint16_t ANY_LENGTH = 0xFFFF;
/// How many forms there are of what compilers call.
constexpr unsigned Forms = 7;

/// A function that compilers call.
struct CompilerFunction {
  char Name[32];
  uint16_t Lengths[Forms]; ///< 0: not there.
};

/// Functions of a file that lie one behind the other.
struct Range {
  unsigned First = 0, Count = 0;
};

/// Which numbers functions of a file have.
struct NumberSet {
  static constexpr unsigned Limit = 4096;
  bool Has[Limit];

  /// Returns whether it was not there before.
  bool add(unsigned Number) {
    bool IsNew = Number < Limit && !Has[Number];
    if (IsNew)
      Has[Number] = true;
    return IsNew;
  }
};

} // namespace

static constexpr Version Versions[] = {
#define HEDDLE_VERSION(Number, Text) {Number, Text},
#include "StaticRuntime/Signatures.def"
};

static constexpr Callback Callbacks[] = {
#define HEDDLE_CALLBACK(Number, Name, First, Last) {Number, First, Last, #Name},
#include "StaticRuntime/Signatures.def"
};

static constexpr CompilerFunction CompilerFunctions[] = {
#define HEDDLE_COMPILER(Name, ...) {#Name, {__VA_ARGS__}},
#include "StaticRuntime/Signatures.def"
};

/// No version has fewer functions that programs call, and none of these is
/// shorter or longer. (Those of 11.1 have 307 bytes and those of 13.5 have
/// 820.)
static constexpr unsigned LeastCallbacks = 256;
static constexpr uint64_t Shortest = 256, Longest = 1536;
/// Not as many functions lie between those that programs and compilers call.
static constexpr unsigned MostBetween = 2048;

//===----------------------------------------------------------------------===//
// Numbers in code
//===----------------------------------------------------------------------===//

/// How many bytes of movl $VALUE, OFFSET(%rsp) or OFFSET(%rbp) stand before the
/// value; 0 if this is another instruction.
static unsigned valueOffset(const unsigned char *Code) {
  if (Code[0] != 0xC7)
    return 0;
  if (Code[1] == 0x44 && Code[2] == 0x24)
    return 4;
  if (Code[1] == 0x84 && Code[2] == 0x24)
    return 7;
  return Code[1] == 0x45 ? 3 : Code[1] == 0x85 ? 6 : 0;
}

static uint32_t valueAt(const unsigned char *Code) {
  return Code[0] | static_cast<uint32_t>(Code[1]) << 8 |
         static_cast<uint32_t>(Code[2]) << 16 |
         static_cast<uint32_t>(Code[3]) << 24;
}

/// The first value but for zeros that is stored behind the record's size, which
/// is its first part; 0 if the function makes no record. The distance in an
/// address, which the linker has chosen, may look like the start of such an
/// instruction. Then the value is parts of instructions, and larger than any
/// number.
static unsigned findNumber(const unsigned char *Code, uint64_t Size) {
  constexpr uint32_t RecordSize = 120;
  constexpr uint64_t LongestStore = 11;
  bool HasRecord = false;
  for (uint64_t I = 0; I + LongestStore <= Size; ++I) {
    unsigned Offset = valueOffset(Code + I);
    uint32_t Value = Offset ? valueAt(Code + I + Offset) : NumberSet::Limit;
    if (Value >= NumberSet::Limit)
      continue;
    if (HasRecord && Value)
      return Value;
    HasRecord |= Value == RecordSize;
    I += Offset + sizeof(Value) - 1;
  }
  return 0;
}

static unsigned findNumber(const ElfFile &File, const UnwindTable &Table,
                           unsigned I) {
  uint64_t Start = Table.start(I), Length = Table.length(I);
  const Elf64_Phdr *Segment = File.segmentAt(Start);
  auto *Code = Segment
                   ? File.at<unsigned char>(
                         Segment->p_offset + Start - Segment->p_vaddr, Length)
                   : nullptr;
  return Code ? findNumber(Code, Length) : 0;
}

//===----------------------------------------------------------------------===//
// What programs call
//===----------------------------------------------------------------------===//

/// The next functions from I on of which none is too short or too long.
static Range findLongFunctions(const UnwindTable &Table, unsigned I) {
  Range Found{I, 0};
  for (; I + 1 < Table.size(); ++I) {
    uint64_t Distance = Table.start(I + 1) - Table.start(I);
    if (Distance >= Shortest && Distance <= Longest)
      ++Found.Count;
    else if (Found.Count >= LeastCallbacks)
      return Found;
    else
      Found = {I + 1, 0};
  }
  return Found;
}

/// The functions among these that have numbers, the numbers and which these
/// are. Empty if there are too few, or others are between them.
static Range findNumbers(const ElfFile &File, const UnwindTable &Table,
                         Range Among, unsigned *Numbers, NumberSet &Set) {
  Range Found;
  bool HasEnded = false;
  Set = {};
  for (unsigned I = Among.First; I < Among.First + Among.Count; ++I) {
    unsigned Number = findNumber(File, Table, I);
    HasEnded |= Found.Count && !Number;
    if (!Number)
      continue;
    if (HasEnded || !Set.add(Number) || Found.Count == EntryPoints::Most)
      return {};
    if (!Found.Count)
      Found.First = I;
    Numbers[Found.Count++] = Number;
  }
  return Found.Count < LeastCallbacks ? Range() : Found;
}

/// The last version of whose functions none is missing. A runtime before it was
/// published may have them too.
static const Version *versionWithAll(const NumberSet &Set) {
  const Version *Found = nullptr;
  for (const Version &V : Versions) {
    bool HasAll = true;
    for (const Callback &C : Callbacks)
      HasAll &= V.Number < C.First || V.Number > C.Last || Set.Has[C.Number];
    if (HasAll)
      Found = &V;
  }
  return Found;
}

/// The name that a function has in the versions of one major number; null if
/// it came later than all that are known.
static const char *findName(unsigned Number, const Version &Of) {
  constexpr unsigned Major = 1000;
  for (const Callback &C : Callbacks)
    if (C.Number == Number && C.First / Major <= Of.Number / Major &&
        C.Last / Major >= Of.Number / Major)
      return C.Name;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What compilers call
//===----------------------------------------------------------------------===//

static bool hasForm(const UnwindTable &Table, unsigned I, unsigned Form) {
  for (const CompilerFunction &F : CompilerFunctions) {
    uint16_t Length = F.Lengths[Form];
    if (Length && (I == Table.size() ||
                   (Length != ANY_LENGTH && Table.length(I) != Length)))
      return false;
    I += Length != 0;
  }
  return true;
}

/// Where functions of one of the forms begin, which is the only place in
/// [From, To); else To.
static unsigned findCompilerFunctions(const UnwindTable &Table, unsigned From,
                                      unsigned To, unsigned &Form) {
  unsigned Found = To;
  for (unsigned I = From; I < To; ++I)
    for (unsigned F = 0; F < Forms; ++F)
      if (hasForm(Table, I, F)) {
        if (Found != To)
          return To;
        Found = I;
        Form = F;
      }
  return Found;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

/// Short functions have what their alignment leaves.
static uint64_t roomOf(const UnwindTable &Table, unsigned I) {
  constexpr uint64_t Alignment = 16;
  uint64_t Length = Table.length(I);
  if (Length >= Alignment || Table.start(I) % Alignment ||
      I + 1 == Table.size())
    return Length;
  uint64_t Room = Table.start(I + 1) - Table.start(I);
  return Room < Alignment ? Room : Alignment;
}

static void add(EntryPoints &Found, const UnwindTable &Table, unsigned I,
                const char *Name) {
  if (Name && Found.Count < EntryPoints::Most)
    Found.List[Found.Count++] = {Name, Table.start(I), roomOf(Table, I)};
}

EntryPoints heddle::cuda::findBySignature(const ElfFile &File) {
  static unsigned Numbers[EntryPoints::Most];
  static NumberSet Set;
  EntryPoints Found;
  UnwindTable Table(File);
  for (Range Next; Next.First < Table.size(); Next.First += Next.Count + 1) {
    Next = findLongFunctions(Table, Next.First);
    if (Next.Count < LeastCallbacks)
      break;
    Range Public = findNumbers(File, Table, Next, Numbers, Set);
    const Version *V = Public.Count ? versionWithAll(Set) : nullptr;
    if (!V)
      continue;
    unsigned Form = 0, To = Public.First;
    unsigned From = To > MostBetween ? To - MostBetween : 0;
    unsigned I = findCompilerFunctions(Table, From, To, Form);
    if (I == To)
      continue;
    for (const CompilerFunction &F : CompilerFunctions)
      if (F.Lengths[Form])
        add(Found, Table, I++, F.Name);
    for (unsigned K = 0; K < Public.Count; ++K)
      add(Found, Table, Public.First + K, findName(Numbers[K], *V));
    Found.Version = V->Text;
    break;
  }
  return Found;
}

const char *heddle::cuda::findVersion(const EntryPoints &Found) {
  static NumberSet Set;
  Set = {};
  for (const Callback &C : Callbacks)
    if (Found.has(C.Name))
      Set.add(C.Number);
  const Version *V = versionWithAll(Set);
  return V ? V->Text : nullptr;
}
