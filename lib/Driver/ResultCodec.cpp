//===- ResultCodec.cpp - Compilations as cache entries ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads figures and messages.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/ResultCodec.h"

#include "heddle-cache/Bytes.h"

#include <bit>

namespace heddle {

namespace {

/// Writes values one after the other.
class Writer {
public:
  void operator()(bool V) { cache::appendNumber<uint8_t>(Out, V); }
  void operator()(unsigned V) { cache::appendNumber<uint32_t>(Out, V); }
  void operator()(uint64_t V) { cache::appendNumber<uint64_t>(Out, V); }
  void operator()(double V) { (*this)(std::bit_cast<uint64_t>(V)); }
  template <typename E>
    requires std::is_enum_v<E>
  void operator()(E V) {
    cache::appendNumber<uint8_t>(Out, static_cast<uint8_t>(V));
  }
  void operator()(const std::string &V) {
    (*this)(static_cast<unsigned>(V.size()));
    Out += V;
  }
  std::string Out;
};

/// Reads them back in the same order.
class Reader {
public:
  explicit Reader(std::string_view Bytes) : Bytes(Bytes) {}
  void operator()(bool &V) { V = Bytes.number<uint8_t>() != 0; }
  void operator()(unsigned &V) { V = Bytes.number<uint32_t>(); }
  void operator()(uint64_t &V) { V = Bytes.number<uint64_t>(); }
  void operator()(double &V) {
    V = std::bit_cast<double>(Bytes.number<uint64_t>());
  }
  template <typename E>
    requires std::is_enum_v<E>
  void operator()(E &V) {
    V = static_cast<E>(Bytes.number<uint8_t>());
  }
  void operator()(std::string &V) {
    unsigned Size = Bytes.number<uint32_t>();
    V = Bytes.take(Size);
  }
  cache::ByteReader Bytes;
};

/// The fields of the structures, in one order for both directions.
template <typename F, typename T> void eachFigure(F &&Each, T &R) {
  Each(R.CheckedOnly);
  Each(R.Chip);
  Each(R.GlobalBytes);
  Each(R.ConstantBytes);
  Each(R.Milliseconds);
  Each(R.InOnePass);
  Each(R.NotInOnePass);
}

template <typename F, typename T>
void eachField(F &&Each, T &R)
  requires requires { R.IsEntry; }
{
  Each(R.Name);
  Each(R.IsEntry);
  Each(R.Registers);
  Each(R.Barriers);
  Each(R.StackBytes);
  Each(R.CumulativeStackBytes);
  Each(R.SpillStoreBytes);
  Each(R.SpillLoadBytes);
  Each(R.SharedBytes);
  Each(R.ParamBytes);
  Each(R.CodeBytes);
  Each(R.Milliseconds);
}

template <typename F, typename T>
void eachField(F &&Each, T &D)
  requires requires { D.Rendered; }
{
  Each(D.Level);
  Each(D.File);
  Each(D.Message);
  Each(D.Rendered);
}

template <typename T> void writeList(Writer &W, const std::vector<T> &List) {
  W(static_cast<unsigned>(List.size()));
  for (const T &Item : List)
    eachField(W, Item);
}

template <typename T> void readList(Reader &R, std::vector<T> &List) {
  unsigned Count = 0;
  R(Count);
  // Each item takes some bytes, so that a wrong count ends with the bytes.
  for (unsigned I = 0; I != Count && R.Bytes.ok(); ++I) {
    List.emplace_back();
    eachField(R, List.back());
  }
}

} // namespace

cache::Entry encodeResult(const CompileResult &Result, const Rendering &How) {
  Writer Figures, Log;
  eachFigure(Figures, Result);
  writeList(Figures, Result.Functions);
  Log(How.Name);
  Log(How.Color);
  writeList(Log, Result.Messages);
  return {std::move(Figures.Out), std::move(Log.Out), Result.Bytes};
}

std::optional<CompileResult> decodeResult(const cache::Entry &Entry,
                                          Rendering &How) {
  CompileResult Result;
  Reader Figures(Entry.Metadata), Log(Entry.Log);
  eachFigure(Figures, Result);
  readList(Figures, Result.Functions);
  Log(How.Name);
  Log(How.Color);
  readList(Log, Result.Messages);
  if (!Figures.Bytes.atEnd() || !Log.Bytes.atEnd())
    return std::nullopt;
  Result.Bytes = Entry.Code;
  Result.Succeeded = true;
  return Result;
}

} // namespace heddle
