//===- ProfileData.cpp - What was counted of functions ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To and from LLVM's indexed format. Side records have the hash of a context-
// sensitive record, so that they stay out of the summary of LLVM's own counts.
//
//===----------------------------------------------------------------------===//

#include "heddle/ProfileData/ProfileData.h"

#include "FileLock.h"
#include "heddle/ProfileData/ProfileTable.h"
#include "heddle/Support/JSON.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/ProfileData/InstrProfWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::pgo {

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

uint64_t FunctionShape::counters() const {
  return uint64_t(Edges) + uint64_t(Branches) * CountersOfBranch +
         uint64_t(Loops) * TripBuckets + uint64_t(Calls) * ValuesOfCall * 2;
}

uint64_t FunctionShape::bytesOfCopy() const {
  return alignTo(counters() * sizeof(uint64_t), CopyAlignment);
}

std::string encodeShapes(ArrayRef<FunctionShape> Shapes) {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const FunctionShape &S : Shapes) {
    json::OStream Line(OS);
    Line.object([&] {
      Line.attribute("function", S.Name);
      Line.attribute("hash", "0x" + utohexstr(S.Hash));
      Line.attribute("edges", S.Edges);
      Line.attribute("branches", S.Branches);
      Line.attribute("loops", S.Loops);
      Line.attribute("calls", S.Calls);
      if (!S.Variable.empty()) {
        Line.attribute("variable", S.Variable);
        Line.attribute("copies", S.Copies);
      }
    });
    OS << '\n';
  }
  return Text;
}

/// More are not believed.
static constexpr int64_t MaxCopies = 1024;

static Expected<FunctionShape> decodeShape(StringRef Line) {
  Expected<json::Value> Value = parseJSON(Line);
  if (!Value)
    return Value.takeError();
  const json::Object *O = Value->getAsObject();
  if (!O)
    return createStringError("it is no object");
  FunctionShape S;
  std::optional<StringRef> Name = O->getString("function"),
                           Hash = O->getString("hash");
  if (!Name || !Hash || !Hash->consume_front("0x") ||
      Hash->getAsInteger(16, S.Hash))
    return createStringError("it has no function or no hash");
  S.Name = Name->str();
  S.Variable = O->getString("variable").value_or("").str();
  for (auto [Key, To] :
       {std::pair("edges", &S.Edges), std::pair("branches", &S.Branches),
        std::pair("loops", &S.Loops), std::pair("calls", &S.Calls)}) {
    std::optional<int64_t> Count = O->getInteger(Key);
    if (!Count || *Count < 0 || !isUInt<32>(*Count))
      return createStringError("'" + Twine(Key) + "' is no count");
    *To = static_cast<uint32_t>(*Count);
  }
  if (S.Variable.empty())
    return S;
  std::optional<int64_t> Copies = O->getInteger("copies");
  if (!Copies || *Copies < 1 || *Copies > MaxCopies)
    return createStringError("'copies' is no number of copies");
  S.Copies = static_cast<uint32_t>(*Copies);
  return S;
}

Expected<std::vector<FunctionShape>> decodeShapes(StringRef Text) {
  std::vector<FunctionShape> Shapes;
  // An object's linker may have put zeros between what it joined.
  for (StringRef Line : split(Text, '\n')) {
    Line = Line.trim('\0');
    if (Line.empty())
      continue;
    if (Line.starts_with("{\"functions\"") || Line.starts_with("{\"pointers\""))
      continue; // readPointers
    Expected<FunctionShape> S = decodeShape(Line);
    if (!S)
      return createStringError("line '" + Line.take_front(80) +
                               "' of section " + ShapeSectionName + ": " +
                               toString(S.takeError()));
    Shapes.push_back(std::move(*S));
  }
  return Shapes;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

static void addTo(uint64_t &Sum, uint64_t Count) {
  Sum = SaturatingAdd(Sum, Count);
}

static void addTo(BranchCounts &Sum, const BranchCounts &B) {
  addTo(Sum.Warps, B.Warps);
  addTo(Sum.Divergent, B.Divergent);
  addTo(Sum.Lanes, B.Lanes);
}

static void addTo(TripCounts &Sum, const TripCounts &T) {
  for (auto [To, Count] : zip_equal(Sum, T))
    addTo(To, Count);
}

static void addTo(ValueCounts &Sum, const ValueCounts &V) {
  for (const auto &[Value, Count] : V)
    addTo(Sum[Value], Count);
}

/// What has no counts yet takes any number of them.
template <typename T>
static bool addAll(std::vector<T> &Sums, const std::vector<T> &Counts) {
  if (Sums.empty())
    Sums.resize(Counts.size());
  if (!Counts.empty() && Sums.size() != Counts.size())
    return false;
  for (size_t I = 0; I != Counts.size(); ++I)
    addTo(Sums[I], Counts[I]);
  return true;
}

Error FunctionCounts::add(const FunctionCounts &Other) {
  if (addAll(Edges, Other.Edges) && addAll(Branches, Other.Branches) &&
      addAll(Loops, Other.Loops) && addAll(Targets, Other.Targets) &&
      addAll(Arguments, Other.Arguments))
    return Error::success();
  return createStringError("profiles of one function and hash have different "
                           "numbers of counters");
}

Error ProfileData::add(const ProfileData &Other) {
  for (const auto &[Of, Counts] : Other.Functions)
    if (Error E = Functions[Of].add(Counts))
      return createStringError("'" + Of.first + "': " + toString(std::move(E)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// The values of one kind, by site.
using ValueProfile = std::pair<InstrProfValueKind, std::vector<ValueCounts>>;

/// Records for InstrProfWriter, which takes them in any order.
class RecordWriter {
public:
  explicit RecordWriter(InstrProfKind Kind) {
    consumeError(Writer.mergeProfileKind(Kind));
  }

  void addEdges(const ProfileData::Key &Of, const FunctionCounts &F) {
    add(Of.first, Of.second, F.Edges, {{IPVK_IndirectCallTarget, F.Targets}});
  }
  void addSide(std::string_view Prefix, const ProfileData::Key &Of,
               std::vector<uint64_t> Counts,
               ArrayRef<ValueProfile> Values = {}) {
    uint64_t Hash = Of.second;
    NamedInstrProfRecord::setCSFlagInHash(Hash);
    add(std::string(Prefix) + Of.first, Hash, std::move(Counts), Values);
  }
  std::string finish() { return Writer.writeBuffer()->getBuffer().str(); }

private:
  void add(StringRef Name, uint64_t Hash, std::vector<uint64_t> Counts,
           ArrayRef<ValueProfile> Values) {
    NamedInstrProfRecord R(Name, Hash, std::move(Counts));
    for (const auto &[Kind, Sites] : Values) {
      R.reserveSites(Kind, Sites.size());
      for (auto [Site, Of] : enumerate(Sites)) {
        SmallVector<InstrProfValueData> Data;
        for (const auto &[Value, Count] : Of)
          Data.push_back({Value, Count});
        R.addValueData(Kind, Site, Data, nullptr);
      }
    }
    R.sortValueData();
    Writer.addRecord(std::move(R), [](Error E) { consumeError(std::move(E)); });
  }
  InstrProfWriter Writer;
};

} // namespace

static std::vector<uint64_t> flatten(ArrayRef<BranchCounts> Branches) {
  std::vector<uint64_t> Counts;
  for (const BranchCounts &B : Branches)
    Counts.insert(Counts.end(), {B.Warps, B.Divergent, B.Lanes});
  return Counts;
}

static std::vector<uint64_t> flatten(ArrayRef<TripCounts> Loops) {
  std::vector<uint64_t> Counts;
  for (const TripCounts &T : Loops)
    append_range(Counts, T);
  return Counts;
}

/// Every launch has one value for each parameter that is counted.
static uint64_t launchesOf(const FunctionCounts &F) {
  uint64_t Most = 0;
  for (const ValueCounts &Values : F.Arguments) {
    uint64_t Sum = 0;
    for (const auto &[Value, Count] : Values)
      addTo(Sum, Count);
    Most = std::max(Most, Sum);
  }
  return Most;
}

/// LLVM's writer looks for values of one site that are equal, in a set that
/// cannot have the greatest number. Of other kinds than sizes it does not.
static SmallVector<ValueProfile, 2>
profilesOfArguments(ArrayRef<ValueCounts> Arguments) {
  ValueProfile Values(IPVK_MemOPSize, Arguments),
      Greatest(IPVK_IndirectCallTarget, {});
  for (ValueCounts &Of : Values.second)
    if (auto Found = Of.find(~uint64_t(0)); Found != Of.end()) {
      Greatest.second.resize(Arguments.size());
      Greatest.second[&Of - Values.second.data()].insert(Of.extract(Found));
    }
  return {std::move(Values), std::move(Greatest)};
}

std::string ProfileData::write() const {
  RecordWriter Out(InstrProfKind::IRInstrumentation |
                   InstrProfKind::ContextSensitive);
  for (const auto &[Of, F] : Functions) {
    Out.addEdges(Of, F);
    if (!F.Branches.empty())
      Out.addSide(DivergenceRecordPrefix, Of, flatten(F.Branches));
    if (!F.Loops.empty())
      Out.addSide(TripsRecordPrefix, Of, flatten(F.Loops));
    // LLVM wants a counter in every record: launches.
    if (!F.Arguments.empty())
      Out.addSide(ArgumentsRecordPrefix, Of, {launchesOf(F)},
                  profilesOfArguments(F.Arguments));
  }
  return Out.finish();
}

std::string
writeEdges(ArrayRef<std::pair<ProfileData::Key, const FunctionCounts *>> Of) {
  RecordWriter Out(InstrProfKind::IRInstrumentation);
  for (const auto &[Key, F] : Of)
    Out.addEdges(Key, *F);
  return Out.finish();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::vector<ValueCounts> valuesOf(const NamedInstrProfRecord &R,
                                         uint32_t Kind) {
  std::vector<ValueCounts> Sites(R.getNumValueSites(Kind));
  for (auto [I, Site] : enumerate(Sites))
    for (const InstrProfValueData &V : R.getValueArrayForSite(Kind, I))
      addTo(Site[V.Value], V.Count);
  return Sites;
}

/// Puts a record where it belongs; false if it cannot be one of ours.
static bool take(const NamedInstrProfRecord &R, ProfileData &To) {
  std::string_view Name(R.Name.data(), R.Name.size());
  std::string_view Of = functionOfRecord(Name);
  FunctionCounts &F = To.Functions[{
      std::string(Of), R.Hash & NamedInstrProfRecord::FUNC_HASH_MASK}];
  if (Of.size() == Name.size()) {
    F.Edges = R.Counts;
    F.Targets = valuesOf(R, IPVK_IndirectCallTarget);
    return true;
  }
  if (Name.starts_with(ArgumentsRecordPrefix)) {
    F.Arguments = valuesOf(R, IPVK_MemOPSize);
    std::vector<ValueCounts> Greatest = valuesOf(R, IPVK_IndirectCallTarget);
    return Greatest.empty() || addAll(F.Arguments, Greatest);
  }
  ArrayRef<uint64_t> Counts = R.Counts;
  if (Name.starts_with(TripsRecordPrefix)) {
    for (; Counts.size() >= TripBuckets;
         Counts = Counts.drop_front(TripBuckets))
      copy(Counts.take_front(TripBuckets), F.Loops.emplace_back().begin());
    return Counts.empty();
  }
  for (; Counts.size() >= CountersOfBranch;
       Counts = Counts.drop_front(CountersOfBranch))
    F.Branches.push_back({Counts[0], Counts[1], Counts[2]});
  return Counts.empty();
}

Expected<ProfileData> ProfileData::read(StringRef Bytes, StringRef Name) {
  auto Fail = [&](const Twine &Why) {
    return createStringError("profile '" + Name + "': " + Why);
  };
  // LLVM's reader trusts the offsets of a file.
  if (!readProfileTable({Bytes.data(), Bytes.size()}))
    return Fail("it is no indexed profile of IR instrumentation, or damaged");
  auto Reader = IndexedInstrProfReader::create(
      MemoryBuffer::getMemBufferCopy(Bytes, Name));
  if (!Reader)
    return Fail(toString(Reader.takeError()));
  ProfileData Result;
  for (const NamedInstrProfRecord &R : **Reader)
    if (!take(R, Result))
      return Fail("record '" + R.Name + "' is not of a known form");
  if ((*Reader)->hasError())
    return Fail(toString((*Reader)->getError()));
  for (const auto &[Of, F] : Result.Functions)
    if (F.Edges.empty())
      return Fail("'" + Of.first + "' has side records only");
  return Result;
}

Error ProfileData::addToFile(StringRef Path) const {
  // Others that add to the file at the same time, in this process or another,
  // wait. To read, add and write takes far less than this.
  constexpr std::chrono::seconds Patience(60);
  auto Lock = FileLock::take(Path, Patience);
  if (!Lock)
    return Lock.takeError();
  ProfileData Sum;
  if (sys::fs::exists(Path)) {
    auto Old = MemoryBuffer::getFile(Path);
    if (!Old)
      return createStringError(Path + ": " + Old.getError().message());
    if (Error E = read((*Old)->getBuffer(), Path).moveInto(Sum))
      return E;
  }
  if (Error E = Sum.add(*this))
    return createStringError(Path + ": " + toString(std::move(E)));
  Error E = writeToOutput(Path, [&](raw_ostream &OS) {
    OS << Sum.write();
    return Error::success();
  });
  return E ? createStringError(Path + ": " + toString(std::move(E)))
           : Error::success();
}

} // namespace heddle::pgo
