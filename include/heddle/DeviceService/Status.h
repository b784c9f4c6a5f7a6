//===- Status.h - Who uses what of a device service -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `heddle-deviced --status` prints, for those who show it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_STATUS_H
#define HEDDLE_DEVICESERVICE_STATUS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace heddle::deviced {

/// A connection of a process to a device.
struct ClientStatus {
#define HEDDLE_CLIENT_STATUS(Type, Field, Name, Meaning) Type Field = {};
#include "heddle/DeviceService/Status.def"
};

llvm::json::Object describe(const ClientStatus &C);
/// What a service says of its clients. What it does not say is zero.
llvm::Expected<std::vector<ClientStatus>> parseStatus(llvm::StringRef Text);

/// The clients of the service that programs of this environment find; none
/// where there is none, or where it does not answer.
std::vector<ClientStatus> clientsOfService();

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_STATUS_H
