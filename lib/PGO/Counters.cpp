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

#include "heddle/PGO/Counters.h"

#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace heddle::pgo {

/// Values of one parameter that are told apart. LLVM keeps no more.
static constexpr size_t MaxValues = 255;

Expected<std::vector<FunctionShape>> readShapes(ArrayRef<uint8_t> CodeObject) {
  Expected<ObjectFile> Object = ObjectFile::create(CodeObject);
  if (!Object)
    return Object.takeError();
  std::vector<FunctionShape> Shapes;
  // A linked program has a section of each object.
  for (const Section &S : Object->sections()) {
    if (S.Name != ShapeSectionName)
      continue;
    Expected<std::vector<FunctionShape>> Found =
        decodeShapes(toStringRef(S.Contents));
    if (!Found)
      return Found.takeError();
    append_range(Shapes, *Found);
  }
  return Shapes;
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

static FunctionCounts takeApart(const FunctionShape &S,
                                ArrayRef<uint8_t> Bytes) {
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
  return F;
}

Expected<ProfileData> readCounters(rt::Device &D, const rt::Module &M,
                                   ArrayRef<FunctionShape> Shapes) {
  ProfileData Result;
  for (const FunctionShape &S : Shapes) {
    const rt::SymbolInfo *Symbol =
        S.Variable.empty() ? nullptr : M.findSymbol(S.Variable);
    if (!Symbol)
      continue; // it has probes, or was dropped with its function
    // What a shape says is not trusted.
    if (Symbol->Size / sizeof(uint64_t) != S.counters() ||
        Symbol->Size % sizeof(uint64_t))
      return createStringError("variable '" + S.Variable + "' has " +
                               Twine(Symbol->Size) + " bytes, not " +
                               Twine(S.counters()) + " counters");
    std::vector<uint8_t> Bytes(Symbol->Size);
    if (Error E = D.copyFromDevice(Bytes, Symbol->Address))
      return std::move(E);
    if (Error E = Result.Functions[{S.Name, S.Hash}].add(takeApart(S, Bytes)))
      return std::move(E);
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
