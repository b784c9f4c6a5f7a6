//===- Counters.cpp - What loaded code has counted --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of a variable's counters is that of FunctionShape::counters.
//
//===----------------------------------------------------------------------===//

#include "heddle/ProfileData/Counters.h"

#include "heddle/Object/ObjectFile.h"
#include "heddle/Support/JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MD5.h"

using namespace llvm;

namespace heddle::pgo {

/// Values of one parameter that are told apart. LLVM keeps no more.
static constexpr size_t MaxValues = 255;

static Error addPointers(StringRef Line, std::vector<PointerTable> &Tables) {
  Expected<json::Value> Value = parseJSON(Line);
  if (!Value)
    return Value.takeError();
  const json::Object *O = Value->getAsObject();
  std::optional<StringRef> Variable =
      O ? O->getString("pointers") : std::nullopt;
  const json::Array *Names = O ? O->getArray("functions") : nullptr;
  if (!Variable || !Names)
    return Error::success(); // of a function
  PointerTable &T = Tables.emplace_back();
  T.Variable = Variable->str();
  for (const json::Value &Name : *Names)
    T.Functions.push_back(Name.getAsString().value_or("").str());
  return Error::success();
}

static Error addFunctions(StringRef Text, CountedCode &To) {
  Expected<std::vector<FunctionShape>> Found = decodeShapes(Text);
  if (!Found)
    return Found.takeError();
  append_range(To.Functions, *Found);
  for (StringRef Line : split(Text, '\n'))
    if (!Line.trim('\0').empty())
      if (Error Bad = addPointers(Line.trim('\0'), To.Pointers))
        return Bad;
  return Error::success();
}

Expected<CountedCode> readCountedCode(ArrayRef<uint8_t> CodeObject) {
  Expected<ObjectFile> Object = ObjectFile::create(CodeObject);
  if (!Object)
    return Object.takeError();
  // A linked program has a section of each object.
  CountedCode Code;
  for (const Section &S : Object->sections())
    if (S.Name == ShapeSectionName)
      if (Error E = addFunctions(toStringRef(S.Contents), Code))
        return std::move(E);
  return Code;
}

Expected<std::map<uint64_t, uint64_t>>
resolvePointers(rt::Device &D, const rt::Module &M,
                ArrayRef<PointerTable> Tables) {
  std::map<uint64_t, uint64_t> Names;
  for (const PointerTable &T : Tables) {
    const rt::SymbolInfo *Symbol = M.findSymbol(T.Variable);
    if (!Symbol)
      continue; // of a replacement's variables
    if (Symbol->Size != T.Functions.size() * sizeof(uint64_t))
      return createStringError("variable '" + T.Variable +
                               "' has another number of functions");
    std::vector<uint8_t> Bytes(Symbol->Size);
    if (Error E = D.copyFromDevice(Bytes, Symbol->Address))
      return std::move(E);
    for (auto [I, Name] : enumerate(T.Functions))
      Names[support::endian::read64le(&Bytes[I * sizeof(uint64_t)])] =
          MD5Hash(Name);
  }
  return Names;
}

ValueCounts targetsOf(const std::map<uint64_t, uint64_t> &CallsOf,
                      const std::map<uint64_t, uint64_t> &Names) {
  ValueCounts Targets;
  for (const auto &[Address, Count] : CallsOf)
    if (auto Name = Names.find(Address); Name != Names.end())
      Targets[Name->second] += Count;
  return Targets;
}

namespace {

/// Takes counters apart.
class CounterReader {
public:
  explicit CounterReader(ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}
  uint64_t next() {
    uint64_t Value = support::endian::read64le(Bytes.data());
    Bytes = Bytes.drop_front(sizeof(Value));
    return Value;
  }

private:
  ArrayRef<uint8_t> Bytes;
};

} // namespace

static FunctionCounts takeApart(const FunctionShape &S, ArrayRef<uint8_t> Bytes,
                                const std::map<uint64_t, uint64_t> &Names) {
  CounterReader In(Bytes);
  FunctionCounts F;
  F.Edges.resize(S.Edges);
  for (uint64_t &Edge : F.Edges)
    Edge = In.next();
  F.Branches.resize(S.Branches);
  for (BranchCounts &B : F.Branches) {
    B.Warps = In.next();
    B.Divergent = In.next();
    B.Lanes = In.next();
  }
  F.Loops.resize(S.Loops);
  for (TripCounts &Trips : F.Loops)
    for (uint64_t &Count : Trips)
      Count = In.next();
  F.Targets.resize(S.Calls);
  for (ValueCounts &Targets : F.Targets) {
    std::map<uint64_t, uint64_t> Calls;
    for (unsigned I = 0; I != ValuesOfCall; ++I) {
      uint64_t Address = In.next();
      Calls[Address] += In.next();
    }
    Targets = targetsOf(Calls, Names);
  }
  return F;
}

Expected<ProfileData> readCounters(rt::Device &D, const rt::Module &M,
                                   const CountedCode &Code) {
  auto Names = resolvePointers(D, M, Code.Pointers);
  if (!Names)
    return Names.takeError();
  ProfileData Result;
  for (const FunctionShape &S : Code.Functions) {
    const rt::SymbolInfo *Symbol =
        S.Variable.empty() ? nullptr : M.findSymbol(S.Variable);
    if (!Symbol)
      continue; // it has probes, or was dropped with its function
    // What a shape says is not trusted.
    if (Symbol->Size != S.Copies * S.bytesOfCopy())
      return createStringError("variable '" + S.Variable + "' has " +
                               Twine(Symbol->Size) + " bytes, not " +
                               Twine(S.Copies) + " times " +
                               Twine(S.counters()) + " counters");
    std::vector<uint8_t> Bytes(Symbol->Size);
    if (Error E = D.copyFromDevice(Bytes, Symbol->Address))
      return std::move(E);
    for (uint32_t I = 0; I != S.Copies; ++I) {
      ArrayRef Copy =
          ArrayRef(Bytes).slice(I * S.bytesOfCopy(), S.bytesOfCopy());
      if (Error E = Result.Functions[{S.Name, S.Hash}].add(
              takeApart(S, Copy, *Names)))
        return std::move(E);
    }
  }
  return Result;
}

/// A scalar's value; none for arrays.
static std::optional<uint64_t> valueOf(const rt::ParamInfo &P,
                                       ArrayRef<uint8_t> Params) {
  uint8_t Bytes[8] = {};
  if (P.Size > sizeof(Bytes) || StringRef(P.Type).contains('[') ||
      uint64_t(P.Offset) + P.Size > Params.size())
    return std::nullopt;
  copy(Params.slice(P.Offset, P.Size), Bytes);
  return support::endian::read64le(Bytes);
}

void countArguments(ArrayRef<FunctionShape> Shapes,
                    const rt::KernelInfo &Kernel, ArrayRef<uint8_t> Params,
                    ProfileData &To) {
  const FunctionShape *Shape = find_if(
      Shapes, [&](const FunctionShape &S) { return S.Name == Kernel.Name; });
  if (Shape == Shapes.end())
    return;
  FunctionCounts &F = To.Functions[{Shape->Name, Shape->Hash}];
  F.Arguments.resize(Kernel.Params.size());
  for (auto [P, Values] : zip_equal(Kernel.Params, F.Arguments))
    if (std::optional<uint64_t> Value = valueOf(P, Params))
      if (Values.size() < MaxValues || Values.count(*Value))
        ++Values[*Value];
}

} // namespace heddle::pgo
