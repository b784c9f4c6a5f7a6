//===- ProfileTable.cpp - The records of an indexed profile -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's indexed format (llvm/docs/InstrProfileFormat.rst): a header, one or
// two summaries, the payload of a hash table of records, the table's buckets,
// then sections that we have no use for.
//
//===----------------------------------------------------------------------===//

#include "heddle/ProfileData/ProfileTable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>

namespace heddle::pgo {

namespace {

constexpr uint64_t Magic = 0x8169666f72706cff; // "\xfflprofi\x81"
constexpr uint64_t FirstVersion = 4, LastVersion = 13;
/// Bits of the version that say what kind of profile it is.
constexpr uint64_t VersionMask = 0xffffffff;
constexpr uint64_t IRProfile = uint64_t(1) << 56,
                   ContextSensitive = uint64_t(1) << 57,
                   EntryFirst = uint64_t(1) << 58;
/// Values at places of indirect calls, of memory operations and of tables of
/// virtual functions.
constexpr uint64_t LastValueKind = 2;
/// A summary's figures, and each of its cut-offs.
constexpr uint64_t WordBytes = 8, CutoffBytes = 3 * WordBytes;

/// Reads a file from front to back; once something is outside of it, it stays
/// failed and everything is zero.
class Reader {
public:
  Reader(std::string_view Bytes, uint64_t At) : Bytes(Bytes), At(At) {}

  uint64_t number(unsigned Width) {
    std::string_view Text = take(Width);
    uint64_t Value = 0;
    for (size_t I = Text.size(); I-- > 0;)
      Value = Value << 8 | static_cast<unsigned char>(Text[I]);
    return Value;
  }
  uint64_t word() { return number(WordBytes); }
  std::string_view take(uint64_t Size) {
    Failed |= At > Bytes.size() || Size > Bytes.size() - At;
    if (Failed)
      return {};
    At += Size;
    return Bytes.substr(At - Size, Size);
  }
  /// Skips Count things of Size bytes each.
  void skip(uint64_t Count, uint64_t Size) {
    Failed |= Count > Bytes.size() / Size;
    take(Failed ? 0 : Count * Size);
  }
  bool failed() const { return Failed; }
  uint64_t position() const { return At; }

private:
  std::string_view Bytes;
  uint64_t At;
  bool Failed = false;
};

struct Header {
  uint64_t Version, Kind, Table, BinaryIds = 0, VTableNames = 0;
};

std::optional<Header> readHeader(Reader &In) {
  if (In.word() != Magic)
    return std::nullopt;
  uint64_t Version = In.word();
  Header H{Version & VersionMask, Version & ~VersionMask, 0};
  In.word(); // not used
  uint64_t HashKind = In.word();
  H.Table = In.word();
  if (H.Version >= 8)
    In.word(); // the memory profile's
  if (H.Version >= 9)
    H.BinaryIds = In.word();
  if (H.Version >= 10)
    In.word(); // the temporal profile's
  if (H.Version >= 12)
    H.VTableNames = In.word();
  // Profiles of memory, of coverage and of sources are others' affair.
  bool IsKnown = H.Version >= FirstVersion && H.Version <= LastVersion &&
                 (H.Kind & IRProfile) && HashKind == 0 &&
                 !(H.Kind & ~(IRProfile | ContextSensitive | EntryFirst));
  return IsKnown && !In.failed() ? std::optional(H) : std::nullopt;
}

void skipSummary(Reader &In) {
  uint64_t Fields = In.word(), Cutoffs = In.word();
  In.skip(Fields, WordBytes);
  In.skip(Cutoffs, CutoffBytes);
}

/// Whether a section that is a length and so many bytes is inside the file.
bool isSectionInside(std::string_view Bytes, uint64_t Offset) {
  Reader In(Bytes, Offset);
  In.take(In.word());
  return !In.failed();
}

/// Whether what LLVM reads of a record's values is in it: for each kind, how
/// many values its sites have, and those.
bool areValuesInside(Reader &In, std::string_view Data) {
  uint64_t Begin = In.position();
  uint64_t Size = In.number(4), Kinds = In.number(4);
  if (In.failed() || Size % WordBytes || Size > Data.size() - Begin)
    return false;
  for (; Kinds != 0; --Kinds) {
    uint64_t Kind = In.number(4), Sites = In.number(4), Values = 0;
    for (unsigned char Count : In.take(Sites))
      Values += Count;
    In.take((WordBytes - In.position() % WordBytes) % WordBytes);
    In.skip(Values, 2 * WordBytes);
    if (In.failed() || Kind > LastValueKind)
      return false;
  }
  return In.position() == Begin + Size;
}

/// Whether the records of one name are what LLVM's reader expects: each a hash,
/// counters, no bitmap, and values.
bool isDataSound(std::string_view Data, uint64_t Version) {
  Reader In(Data, 0);
  while (In.position() != Data.size()) {
    In.word(); // the hash
    In.skip(In.word(), WordBytes);
    if (Version >= 11 && In.word() != 0)
      return false;
    if (In.failed() || !areValuesInside(In, Data))
      return false;
  }
  return true;
}

/// The payload in its order. Every bucket begins with how many it has.
std::optional<std::vector<ProfileTableEntry>>
readPayload(std::string_view Payload, uint64_t Begin, uint64_t Count) {
  Reader In(Payload, Begin);
  std::vector<ProfileTableEntry> Entries;
  for (uint64_t Left = 0; Entries.size() < Count; --Left) {
    if (Left == 0)
      Left = In.number(2);
    In.word(); // the name's hash
    uint64_t NameSize = In.word(), DataSize = In.word();
    ProfileTableEntry E;
    E.Name = In.take(NameSize);
    E.Data = In.take(DataSize);
    if (In.failed() || Left == 0)
      return std::nullopt;
    Entries.push_back(E);
  }
  return Entries;
}

/// Whether a look-up stays inside the payload, whichever bucket it meets.
bool areBucketsInside(std::string_view Bytes, uint64_t Begin, uint64_t Table) {
  Reader In(Bytes, Table);
  uint64_t Buckets = In.word();
  In.word(); // entries
  // The look-up masks with one less.
  if (Buckets == 0 || (Buckets & (Buckets - 1)) ||
      Buckets > Bytes.size() / WordBytes)
    return false;
  for (uint64_t I = 0; I != Buckets && !In.failed(); ++I) {
    uint64_t Offset = In.word();
    if (Offset == 0)
      continue;
    if (Offset < Begin || Offset > Table)
      return false;
    Reader Bucket(Bytes.substr(0, Table), Offset);
    uint64_t Count = Bucket.number(2);
    if (!readPayload(Bytes.substr(0, Table), Offset, Count))
      return false;
  }
  return !In.failed();
}

bool isNamePart(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
         (C >= '0' && C <= '9') || C == '_' || C == '$' || C == '%';
}

/// All words of a text that could be names of PTX.
std::unordered_set<std::string_view> wordsOf(std::string_view Text) {
  std::unordered_set<std::string_view> Words;
  for (size_t I = 0; I != Text.size();) {
    size_t Begin = I;
    while (I != Text.size() && isNamePart(Text[I]))
      ++I;
    if (I != Begin)
      Words.insert(Text.substr(Begin, I - Begin));
    else
      ++I;
  }
  return Words;
}

void append(std::string &Out, std::string_view Text) {
  Out += std::to_string(Text.size()) + ':';
  Out += Text;
}

} // namespace

std::optional<std::vector<ProfileTableEntry>>
readProfileTable(std::string_view Bytes) {
  Reader In(Bytes, 0);
  std::optional<Header> H = readHeader(In);
  if (!H)
    return std::nullopt;
  skipSummary(In);
  if (H->Kind & ContextSensitive)
    skipSummary(In);
  uint64_t Begin = In.position();
  if (In.failed() || H->Table < Begin || H->Table > Bytes.size() ||
      H->Table % WordBytes ||
      (H->Version >= 9 && !isSectionInside(Bytes, H->BinaryIds)) ||
      (H->Version >= 12 && !isSectionInside(Bytes, H->VTableNames)))
    return std::nullopt;
  Reader Buckets(Bytes, H->Table);
  Buckets.word();
  uint64_t Count = Buckets.word();
  if (Buckets.failed() || !areBucketsInside(Bytes, Begin, H->Table))
    return std::nullopt;
  auto Entries = readPayload(Bytes.substr(0, H->Table), Begin, Count);
  bool IsSound = Entries && std::ranges::all_of(*Entries, [&](const auto &E) {
                   return isDataSound(E.Data, H->Version);
                 });
  return IsSound ? std::move(Entries) : std::nullopt;
}

std::string_view functionOfRecord(std::string_view RecordName) {
  for (std::string_view Prefix :
       {DivergenceRecordPrefix, TripsRecordPrefix, ArgumentsRecordPrefix})
    if (RecordName.starts_with(Prefix))
      return RecordName.substr(Prefix.size());
  return RecordName;
}

std::string profileOfFunctions(std::string_view Profile, std::string_view PTX) {
  std::optional<std::vector<ProfileTableEntry>> Entries =
      readProfileTable(Profile);
  if (!Entries)
    return std::string(Profile);
  std::unordered_set<std::string_view> Words = wordsOf(PTX);
  std::erase_if(*Entries, [&](const ProfileTableEntry &E) {
    return !Words.contains(functionOfRecord(E.Name));
  });
  std::ranges::sort(*Entries, {}, &ProfileTableEntry::Name);
  std::string Result;
  for (const ProfileTableEntry &E : *Entries) {
    append(Result, E.Name);
    append(Result, E.Data);
  }
  return Result;
}

} // namespace heddle::pgo
