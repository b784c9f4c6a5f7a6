//===- Properties.h - Devices and processes as columns ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --query-gpu, --query-compute-apps and -q print, from the tables.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_PROPERTIES_H
#define HEDDLE_TOOLS_PTX_SMI_PROPERTIES_H

#include "Snapshot.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::smi {

/// How --format wants the lines of a query.
struct QueryFormat {
  bool HasHeader = true, HasUnits = true;

  /// Reads `csv`, and `noheader` and `nounits` behind it.
  static llvm::Expected<QueryFormat> parse(llvm::StringRef Text);
};

/// Prints one line for each device, or for each process of each, or for each
/// that is on its account, with the properties of a list such as `index,name`;
/// an error if there is no such one.
llvm::Error queryDevices(const Snapshot &S, llvm::StringRef List,
                         QueryFormat Format, llvm::raw_ostream &OS);
llvm::Error queryProcesses(const Snapshot &S, llvm::StringRef List,
                           QueryFormat Format, llvm::raw_ostream &OS);
llvm::Error queryAccounts(const Snapshot &S, llvm::StringRef List,
                          QueryFormat Format, llvm::raw_ostream &OS);
/// Whether a list has known properties only, before anything is printed.
llvm::Error checkDeviceQuery(llvm::StringRef List);
llvm::Error checkProcessQuery(llvm::StringRef List);
llvm::Error checkAccountQuery(llvm::StringRef List);
void explainDeviceQueries(llvm::raw_ostream &OS);
void explainProcessQueries(llvm::raw_ostream &OS);
void explainAccountQueries(llvm::raw_ostream &OS);

/// Everything, as an XML document or as indented text.
void printXML(const Snapshot &S, llvm::raw_ostream &OS);
void printText(const Snapshot &S, llvm::raw_ostream &OS);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_PROPERTIES_H
