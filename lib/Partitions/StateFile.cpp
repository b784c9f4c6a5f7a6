//===- StateFile.cpp - Keeps how devices are divided ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of JSON in the folder of records, and one beside it that is locked
// while it is changed: the file itself is replaced as a whole, so that nobody
// reads half of it.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Record.h"
#include "heddle/Partitions/Partitions.h"
#include "heddle/Support/JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::partitions {

static constexpr StringLiteral FileName = "/partitions.json",
                               LockName = "/partitions.lock";

static Error unavailable(const Twine &Message) {
  return make_error<RefusedChange>(Refusal::Unavailable, Message.str());
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

std::string Partitions::text() const {
  json::Object All;
  for (const auto &[Name, D] : Devices) {
    if (!D.IsEnabled)
      continue;
    json::Array Instances;
    for (const Instance &I : D.Instances) {
      json::Array Computes;
      for (const ComputeInstance &C : I.Computes)
        Computes.push_back(json::Object{
            {"id", C.Id},
            {"start", C.Start},
            {"slices", C.Slices},
            {"uuid", toHex(StringRef(C.Device.data(), C.Device.size()))}});
      Instances.push_back(json::Object{{"id", I.Id},
                                       {"profile", I.Profile},
                                       {"start", I.Start},
                                       {"compute", std::move(Computes)}});
    }
    All[Name] = std::move(Instances);
  }
  std::string Text;
  raw_string_ostream(Text) << formatv("{0:2}\n", json::Value(std::move(All)));
  return Text;
}

static bool readNumber(const json::Object &From, StringRef Name, unsigned &To) {
  std::optional<int64_t> Number = From.getInteger(Name);
  if (!Number || *Number < 0 || *Number > 255)
    return false;
  To = *Number;
  return true;
}

static std::optional<ComputeInstance> readCompute(const json::Value &From) {
  ComputeInstance C = {};
  const json::Object *O = From.getAsObject();
  std::string Bytes;
  std::optional<StringRef> Hex =
      O ? O->getString("uuid") : std::optional<StringRef>();
  if (!Hex || !tryGetFromHex(*Hex, Bytes) || Bytes.size() != C.Device.size() ||
      !readNumber(*O, "id", C.Id) || !readNumber(*O, "start", C.Start) ||
      !readNumber(*O, "slices", C.Slices))
    return std::nullopt;
  copy(Bytes, C.Device.begin());
  return C;
}

static std::optional<Instance> readInstance(const json::Value &From) {
  Instance I = {};
  const json::Object *O = From.getAsObject();
  const json::Array *Computes = O ? O->getArray("compute") : nullptr;
  if (!Computes || !readNumber(*O, "id", I.Id) ||
      !readNumber(*O, "profile", I.Profile) ||
      !readNumber(*O, "start", I.Start))
    return std::nullopt;
  for (const json::Value &V : *Computes) {
    std::optional<ComputeInstance> C = readCompute(V);
    if (!C)
      return std::nullopt;
    I.Computes.push_back(*C);
  }
  return I;
}

Error Partitions::add(StringRef Text) {
  Expected<json::Value> Root = parseJSON(Text);
  if (!Root)
    return Root.takeError();
  const json::Object *All = Root->getAsObject();
  if (!All)
    return createStringError("is no object");
  for (const auto &[Name, Value] : *All) {
    Divided &D = Devices[StringRef(Name).str()];
    D.IsEnabled = true;
    const json::Array *Instances = Value.getAsArray();
    for (const json::Value &V : Instances ? *Instances : json::Array()) {
      std::optional<Instance> I = readInstance(V);
      if (!I)
        return createStringError("an instance of " + Name.str() +
                                 " is damaged");
      D.Instances.push_back(std::move(*I));
    }
    if (!Instances)
      return createStringError(StringRef(Name) + " is no array");
  }
  return Error::success();
}

Expected<Partitions> Partitions::parse(StringRef Text) {
  Partitions P;
  if (Error E = P.add(Text))
    return std::move(E);
  return P;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

Expected<Partitions> Partitions::read() {
  Partitions P;
  Expected<std::string> Folder = clients::recordFolder();
  if (!Folder) {
    // Who uses records says why.
    consumeError(Folder.takeError());
    return P;
  }
  std::string Path = *Folder + FileName.str();
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!File && File.getError() == std::errc::no_such_file_or_directory)
    return P;
  if (!File)
    return unavailable("cannot read '" + Path +
                       "': " + File.getError().message());
  if (Error E = P.add((*File)->getBuffer()))
    return unavailable("'" + Path + "': " + toString(std::move(E)));
  return P;
}

static Error replaceFile(const std::string &Path, StringRef Text) {
  std::string New = Path + ".new";
  std::error_code Failed;
  {
    raw_fd_ostream File(New, Failed);
    if (!Failed) {
      File << Text;
      File.close();
      Failed = File.error();
      File.clear_error();
    }
  }
  if (!Failed)
    Failed = sys::fs::rename(New, Path);
  return Failed
             ? unavailable("cannot write '" + Path + "': " + Failed.message())
             : Error::success();
}

Error Partitions::change(function_ref<Error(Partitions &)> Change) {
  Expected<std::string> Folder = clients::recordFolder();
  if (!Folder)
    return unavailable(toString(Folder.takeError()));
  std::string Lock = *Folder + LockName.str();
  int File = ::open(Lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (File < 0 || ::flock(File, LOCK_EX) != 0) {
    std::string Reason = std::strerror(errno);
    if (File >= 0)
      ::close(File);
    return unavailable("cannot lock '" + Lock + "': " + Reason);
  }
  scope_exit Unlock([File] { ::close(File); });
  Expected<Partitions> P = read();
  if (!P)
    return P.takeError();
  if (Error E = Change(*P))
    return E;
  return replaceFile(*Folder + FileName.str(), P->text());
}

} // namespace heddle::partitions
