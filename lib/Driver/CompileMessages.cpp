//===- CompileMessages.cpp - Compilations between processes -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes and reads requests and answers.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompileMessages.h"

#include "heddle-cache/Bytes.h"
#include "heddle/Driver/ResultCodec.h"

#include <algorithm>

namespace heddle {

static void appendText(std::string &Out, std::string_view Text) {
  cache::appendNumber<uint64_t>(Out, Text.size());
  Out += Text;
}

static std::string_view takeText(cache::ByteReader &R) {
  return R.take(R.number<uint64_t>());
}

std::string encodeCompileMessage(const CompileMessage &Message) {
  std::string Out;
  cache::appendNumber<uint64_t>(Out, Message.Options.size());
  for (const std::string &Option : Message.Options)
    appendText(Out, Option);
  appendText(Out, Message.Name);
  cache::appendNumber<uint64_t>(Out, Message.MemoryLimit);
  appendText(Out, Message.Input);
  return Out;
}

std::optional<CompileMessage> decodeCompileMessage(std::string_view Bytes) {
  CompileMessage Message;
  cache::ByteReader R(Bytes);
  auto Count = R.number<uint64_t>();
  // Each option takes some bytes, so that a wrong count ends with the bytes.
  for (uint64_t I = 0; I != Count && R.ok(); ++I)
    Message.Options.emplace_back(takeText(R));
  Message.Name = takeText(R);
  Message.MemoryLimit = R.number<uint64_t>();
  Message.Input = takeText(R);
  if (!R.ok() || !R.atEnd())
    return std::nullopt;
  return Message;
}

/// Places of messages besides what encodeResult keeps.
std::string encodeAnswer(const CompileResult &Result) {
  std::string Out;
  cache::Entry Entry = encodeResult(Result, {});
  for (const std::string *Part : {&Entry.Metadata, &Entry.Log, &Entry.Code})
    appendText(Out, *Part);
  appendText(Out, Result.Failure);
  for (bool Flag : {Result.Succeeded, Result.Stopped, Result.MemoryExceeded})
    cache::appendNumber<uint8_t>(Out, Flag);
  for (const Diagnostic &D : Result.Messages)
    for (unsigned N : {D.Where.Line, D.Where.Column, D.Where.EndColumn})
      cache::appendNumber<uint32_t>(Out, N);
  return Out;
}

std::optional<CompileResult> decodeAnswer(std::string_view Bytes) {
  cache::ByteReader R(Bytes);
  cache::Entry Entry;
  for (std::string *Part : {&Entry.Metadata, &Entry.Log, &Entry.Code})
    *Part = takeText(R);
  Rendering How;
  std::optional<CompileResult> Result = decodeResult(Entry, How);
  if (!Result)
    return std::nullopt;
  Result->Failure = takeText(R);
  for (bool *Flag :
       {&Result->Succeeded, &Result->Stopped, &Result->MemoryExceeded})
    *Flag = R.number<uint8_t>() != 0;
  for (Diagnostic &D : Result->Messages)
    for (unsigned *N : {&D.Where.Line, &D.Where.Column, &D.Where.EndColumn})
      *N = R.number<uint32_t>();
  if (!R.ok() || !R.atEnd())
    return std::nullopt;
  return Result;
}

} // namespace heddle
