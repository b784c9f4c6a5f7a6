//===- Journal.cpp - Measurements that outlive a run ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first line says what the others belong to.
//
//===----------------------------------------------------------------------===//

#include "Journal.h"
#include "heddle/Support/JSON.h"
#include "heddle/Support/Version.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::tune {

static json::Object headOf(uint64_t Identity, const Limits &Bounds) {
  return json::Object{{"heddle_tuning_journal", 3},
                      {"compiler", HEDDLE_VERSION},
                      {"limits", Bounds.str()},
                      {"identity", utohexstr(Identity)}};
}

/// Why a journal with another first line is not for this search.
static Error refuse(const json::Value *Head, const Limits &Bounds) {
  const json::Object *O = Head ? Head->getAsObject() : nullptr;
  std::optional<StringRef> Other = O ? O->getString("limits") : std::nullopt;
  if (Other && *Other != Bounds.str())
    return createStringError(
        "it belongs to a search " +
        (Other->empty() ? "without limits" : "with " + *Other) +
        "; remove it to begin anew");
  return createStringError("it belongs to another input, chip, option or "
                           "compiler; remove it to begin anew");
}

/// One line of the journal; none if it is not whole.
static std::optional<
    std::pair<std::pair<std::string, tuning::Configuration>, Measurement>>
parseLine(StringRef Line) {
  Expected<json::Value> Value = parseJSON(Line);
  if (!Value) {
    consumeError(Value.takeError());
    return std::nullopt;
  }
  const json::Object *O = Value->getAsObject();
  const json::Object *Decisions = O ? O->getObject("configuration") : nullptr;
  auto Kernel = O ? O->getString("kernel") : std::nullopt;
  if (!Decisions || !Kernel)
    return std::nullopt;
  tuning::Configuration C;
  for (const auto &[Name, V] : *Decisions)
    C[StringRef(Name).str()] = V.getAsInteger().value_or(0);
  std::optional<Measurement> M = measurementOf(*O);
  if (!M)
    return std::nullopt;
  return {{{Kernel->str(), std::move(C)}, *M}};
}

Error Journal::read(StringRef Text, uint64_t Identity, const Limits &Bounds) {
  auto [Head, Rest] = Text.split('\n');
  Expected<json::Value> First = parseJSON(Head);
  if (!First) {
    consumeError(First.takeError());
    return refuse(nullptr, Bounds);
  }
  if (*First != json::Value(headOf(Identity, Bounds)))
    return refuse(&*First, Bounds);
  SmallVector<StringRef> Lines;
  Rest.split(Lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    if (auto Entry = parseLine(Line))
      Known.insert(std::move(*Entry));
  return Error::success();
}

Expected<std::unique_ptr<Journal>>
Journal::open(StringRef Path, uint64_t Identity, const Limits &Bounds) {
  auto J = std::make_unique<Journal>();
  if (Path.empty())
    return J;
  auto Fail = [&](const Twine &Message) {
    return createStringError("journal " + Path + ": " + Message);
  };
  std::string Text;
  if (sys::fs::exists(Path)) {
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer)
      return Fail(Buffer.getError().message());
    Text = (*Buffer)->getBuffer().str();
    // A line without its end was being written when the process died.
    Text.resize(Text.rfind('\n') + 1);
  }
  if (!Text.empty())
    if (Error E = J->read(Text, Identity, Bounds))
      return Fail(toString(std::move(E)));
  int FD = -1;
  std::error_code Code = sys::fs::openFileForWrite(
      Path, FD, sys::fs::CD_OpenAlways, sys::fs::OF_None);
  if (!Code) {
    J->File = std::make_unique<raw_fd_ostream>(FD, /*shouldClose=*/true);
    Code = sys::fs::resize_file(FD, Text.size());
  }
  if (Code)
    return Fail(Code.message());
  J->File->seek(Text.size());
  if (Text.empty())
    *J->File << formatv("{0}\n", json::Value(headOf(Identity, Bounds)));
  J->File->flush();
  return J;
}

std::optional<Measurement> Journal::find(StringRef Kernel,
                                         const tuning::Configuration &C) const {
  std::lock_guard Lock(Guard);
  auto Found = Known.find({Kernel.str(), C});
  if (Found == Known.end())
    return std::nullopt;
  return Found->second;
}

Error Journal::add(StringRef Kernel, const tuning::Configuration &C,
                   const Measurement &M) {
  std::lock_guard Lock(Guard);
  Known[{Kernel.str(), C}] = M;
  if (!File)
    return Error::success();
  json::Object Line = toJSON(M);
  Line["kernel"] = Kernel;
  Line["configuration"] = configurationJSON(C);
  *File << formatv("{0}\n", json::Value(std::move(Line)));
  File->flush();
  if (std::error_code Code = File->error()) {
    File->clear_error();
    return createStringError("journal: " + Code.message());
  }
  return Error::success();
}

} // namespace heddle::tune
