//===- Bundle.cpp - Workloads that travel -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle is JSON:
//
//   { "form": 3, "chips": [NAME, ...], "figures": TEXT,
//     "options": [OPTION, ...],
//     "kernels": [NAME, ...], "limits": { NAME: TEXT, ... },
//     "files": [BASE64, ...],
//     "workloads": [{ "manifest": {...}, "weight": W }, ...] }
//
// In the manifests, names of files are replaced by "fileN", the N-th of the
// files, which is also what they are called where they are unpacked: no name
// from elsewhere becomes a path. A bundle of another form, or with a limit that
// is unknown here, is an error: its results would be others.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "heddle/Support/JSON.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace heddle::tune {

static constexpr int64_t Form = 3;

static std::string nameOfFile(size_t Index) {
  return "file" + std::to_string(Index);
}

namespace {

/// Collects the files that manifests name.
class Packer {
public:
  /// Replaces the names in a manifest, which are relative to a folder.
  Error replaceNames(json::Value &V, StringRef Folder);
  json::Array takeFiles() { return std::move(Files); }

private:
  Error add(json::Value &Name, StringRef Folder);

  std::map<std::string, size_t> Known; ///< By path.
  json::Array Files;
};

} // namespace

/// A member that names a file, or a list of files.
static bool namesFiles(StringRef Member) {
  return Member == "file" || Member == "module" || Member == "modules";
}

Error Packer::add(json::Value &Name, StringRef Folder) {
  if (json::Array *Names = Name.getAsArray()) {
    for (json::Value &V : *Names)
      if (Error E = add(V, Folder))
        return E;
    return Error::success();
  }
  std::optional<StringRef> Text = Name.getAsString();
  if (!Text)
    return Error::success(); // the manifest's reader says what is wrong
  SmallString<128> Path(*Text);
  sys::path::make_absolute(Folder, Path);
  auto [At, IsNew] = Known.try_emplace(Path.str().str(), Known.size());
  if (IsNew) {
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer)
      return createStringError(Path + ": " + Buffer.getError().message());
    Files.push_back(encodeBase64((*Buffer)->getBuffer()));
  }
  Name = nameOfFile(At->second);
  return Error::success();
}

Error Packer::replaceNames(json::Value &V, StringRef Folder) {
  if (json::Array *Values = V.getAsArray())
    for (json::Value &Element : *Values)
      if (Error E = replaceNames(Element, Folder))
        return E;
  if (json::Object *Members = V.getAsObject())
    for (auto &[Name, Member] : *Members)
      if (Error E = namesFiles(Name) ? add(Member, Folder)
                                     : replaceNames(Member, Folder))
        return E;
  return Error::success();
}

static Expected<json::Value> readJSON(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  Expected<json::Value> V = parseJSON((*Buffer)->getBuffer());
  if (!V)
    return createStringError(Path + ": " + toString(V.takeError()));
  return V;
}

Expected<std::string> makeBundle(const Options &O) {
  Packer Files;
  json::Array Workloads;
  for (const WorkloadOption &W : O.Workloads) {
    Expected<json::Value> Manifest = readJSON(W.Path);
    if (!Manifest)
      return Manifest.takeError();
    SmallString<128> Folder(W.Path);
    sys::path::remove_filename(Folder);
    if (std::error_code E = sys::fs::make_absolute(Folder))
      return errorCodeToError(E);
    if (json::Object *Top = Manifest->getAsObject(); Top && !O.Module.empty()) {
      SmallString<128> Module(O.Module);
      if (std::error_code E = sys::fs::make_absolute(Module))
        return errorCodeToError(E);
      Top->erase("modules");
      (*Top)["module"] = Module.str().str();
    }
    if (Error E = Files.replaceNames(*Manifest, Folder))
      return std::move(E);
    Workloads.push_back(
        json::Object{{"manifest", std::move(*Manifest)}, {"weight", W.Weight}});
  }
  return formatv("{0}", json::Value(json::Object{
                            {"form", Form},
                            {"limits", O.Bounds.toJSON()},
                            {"chips", json::Array(O.Chips)},
                            {"figures", O.Figures},
                            {"options", json::Array(O.CompilerArgs)},
                            {"kernels", json::Array(O.Kernels)},
                            {"files", Files.takeFiles()},
                            {"workloads", std::move(Workloads)}}))
      .str();
}

static std::vector<std::string> stringsOf(const json::Object &Top,
                                          StringRef Member) {
  std::vector<std::string> Result;
  if (const json::Array *Values = Top.getArray(Member))
    for (const json::Value &V : *Values)
      Result.push_back(V.getAsString().value_or("").str());
  return Result;
}

static Error writeText(const Twine &Path, StringRef Text) {
  std::error_code Code;
  raw_fd_ostream OS(Path.str(), Code);
  if (!Code) {
    OS << Text;
    OS.close();
    Code = OS.error();
    OS.clear_error();
  }
  return Code ? createStringError(Path + ": " + Code.message())
              : Error::success();
}

Error UnpackedBundle::writeFile(size_t Index, StringRef Contents) {
  std::vector<char> Bytes;
  if (Error E = decodeBase64(Contents, Bytes))
    return E;
  return writeText(Folder + "/" + nameOfFile(Index),
                   {Bytes.data(), Bytes.size()});
}

Expected<std::unique_ptr<UnpackedBundle>>
UnpackedBundle::unpack(StringRef Bundle) {
  auto B = std::make_unique<UnpackedBundle>();
  Expected<json::Value> Root = parseJSON(Bundle);
  if (!Root)
    return Root.takeError();
  const json::Object *Top = Root->getAsObject();
  const json::Array *Workloads = Top ? Top->getArray("workloads") : nullptr;
  const json::Object *Bounds = Top ? Top->getObject("limits") : nullptr;
  if (!Workloads || !Bounds || Top->getInteger("form") != Form)
    return createStringError("malformed bundle, or one of another ptx-tune");
  if (Error E = Limits::fromJSON(*Bounds).moveInto(B->O.Bounds))
    return std::move(E);
  SmallString<128> Folder;
  if (std::error_code Code = sys::fs::createUniqueDirectory("ptx-tune", Folder))
    return createStringError("temporary folder: " + Code.message());
  B->Folder = Folder.str().str();
  std::vector<std::string> Files = stringsOf(*Top, "files");
  for (size_t I = 0; I != Files.size(); ++I)
    if (Error E = B->writeFile(I, Files[I]))
      return std::move(E);
  B->O.Chips = stringsOf(*Top, "chips");
  B->O.Figures = Top->getString("figures").value_or("").str();
  B->O.CompilerArgs = stringsOf(*Top, "options");
  B->O.Kernels = stringsOf(*Top, "kernels");
  for (const json::Value &V : *Workloads) {
    const json::Object *W = V.getAsObject();
    const json::Value *Manifest = W ? W->get("manifest") : nullptr;
    if (!Manifest)
      return createStringError("malformed bundle");
    std::string Path = B->Folder + "/manifest" +
                       std::to_string(B->O.Workloads.size()) + ".json";
    if (Error E = writeText(Path, formatv("{0}", *Manifest).str()))
      return std::move(E);
    B->O.Workloads.push_back({Path, W->getNumber("weight").value_or(1)});
  }
  if (Error E = createEmulatorObjective(B->O).moveInto(B->Where))
    return std::move(E);
  return B;
}

UnpackedBundle::~UnpackedBundle() {
  if (!Folder.empty())
    (void)sys::fs::remove_directories(Folder);
}

} // namespace heddle::tune
