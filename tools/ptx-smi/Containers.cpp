//===- Containers.cpp - Devices for containers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is no device file: a container needs the libraries and programs, at the
// places where they are, the folder of records, and to know which device is
// its.
//
//===----------------------------------------------------------------------===//

#include "Containers.h"
#include "heddle/Clients/Record.h"
#include "heddle/DeviceService/Protocol.h"
#include "heddle/Support/InstalledTree.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cstdlib>

using namespace llvm;

namespace heddle::smi {

/// LLVM's values keep no text that a StringRef refers to.
static json::Object mountOf(StringRef Folder, bool IsWritten) {
  return json::Object{{"hostPath", Folder.str()},
                      {"containerPath", Folder.str()},
                      {"options", json::Array{IsWritten ? "rw" : "ro", "nosuid",
                                              "nodev", "bind"}}};
}

/// Numbers as nvidia-ctk has them: 0, and 0:1 for the second part of a device.
static json::Object deviceOf(StringRef Name, StringRef Visible) {
  json::Array Variables{("CUDA_VISIBLE_DEVICES=" + Visible).str()};
  return json::Object{
      {"name", Name.str()},
      {"containerEdits", json::Object{{"env", std::move(Variables)}}}};
}

/// For all of them.
static Expected<json::Object> commonEdits() {
  std::string Programs, Libraries, Records;
  if (Error E = programFolder().moveInto(Programs))
    return std::move(E);
  if (Error E = cudaLibraryFolder().moveInto(Libraries))
    return std::move(E);
  if (Error E = clients::recordFolder().moveInto(Records))
    return std::move(E);
  // The compiler is beside the libraries with NVIDIA's names, or above them.
  StringRef Compiler = Libraries;
  Compiler.consume_back("/heddle-cuda");
  json::Array Variables{"LD_LIBRARY_PATH=" + Libraries,
                        "HEDDLE_CLIENTS=" + Records};
  if (const char *Machine = std::getenv("HEDDLE_DEVICES"))
    Variables.push_back(std::string("HEDDLE_DEVICES=") + Machine);
  json::Array Mounts{mountOf(Programs, false), mountOf(Compiler, false),
                     mountOf(Records, true)};
  // A service that shares devices out does so in containers, too.
  if (std::string Socket = deviced::serviceAddress().Path; !Socket.empty()) {
    Variables.push_back("HEDDLE_DEVICE_SERVICE=" + Socket);
    Mounts.push_back(mountOf(Socket, true));
  }
  return json::Object{{"env", std::move(Variables)},
                      {"mounts", std::move(Mounts)}};
}

Error printContainerDevices(const Snapshot &S, StringRef Kind,
                            raw_ostream &OS) {
  Expected<json::Object> Common = commonEdits();
  if (!Common)
    return Common.takeError();
  json::Array Devices;
  std::vector<std::string> All;
  for (const DeviceState &D : S.Devices) {
    std::string Index = std::to_string(D.Index);
    All.push_back(D.UUID);
    Devices.push_back(deviceOf(Index, D.UUID));
    for (size_t I = 0; I != D.Parts.size(); ++I)
      Devices.push_back(
          deviceOf(Index + ":" + std::to_string(I), D.Parts[I].UUID));
  }
  Devices.push_back(deviceOf("all", join(All, ",")));
  OS << formatv("{0:2}", json::Value(json::Object{
                             {"cdiVersion", "0.5.0"},
                             {"kind", Kind.str()},
                             {"devices", std::move(Devices)},
                             {"containerEdits", std::move(*Common)}}))
     << "\n";
  return Error::success();
}

} // namespace heddle::smi
