//===- DriverExportTables.cpp - Tables without a header ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table begins with its size in bytes, functions follow. NVIDIA's check of
// its own driver is not answered, nor anything that leads to it.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverExportTables.h"
#include "Driver/Driver.h"

#include <cstdint>
#include <cstring>

using namespace heddle::cuda;

static CUresult notSupported() { return cudaErrorNotSupported; }

namespace {

/// The tools' table, which public lists of such tables name after CUPTI, and
/// which they give functions up to byte 0x1E0. Ours says that it has none:
/// CUPTI asks the size first, as it has to of an older driver, and then reports
/// that it cannot work. Where there is no table at all, CUPTI 13.2 looks up the
/// text of its error, for which it asks for the table. Version 12 calls the
/// function at 0x100 without a look at the size, so there are some that fail.
struct ToolsTable {
  uint64_t Bytes = sizeof(Bytes);
  CUresult (*Functions[127])();

  ToolsTable() {
    for (auto &Function : Functions)
      Function = notSupported;
  }
};

} // namespace

constexpr unsigned char ToolsIdentifier[16] = {
    0x7C, 0xB6, 0x3F, 0x9B, 0x9C, 0xA4, 0x8E, 0x42,
    0xA4, 0x84, 0xBE, 0xB6, 0x6E, 0x6A, 0xED, 0x7F};

const void *heddle::cuda::findExportTable(const void *Identifier) {
  static const ToolsTable Tools;
  if (Identifier && std::memcmp(Identifier, ToolsIdentifier, 16) == 0)
    return &Tools;
  return nullptr;
}
