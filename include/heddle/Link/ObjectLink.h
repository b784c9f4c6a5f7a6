//===- ObjectLink.h - Links code objects ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts machine code of several objects together: resolves their symbols, leaves
// out what nothing reaches, and finds what each kernel needs with all that it
// may call. docs/linking.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LINK_OBJECTLINK_H
#define HEDDLE_LINK_OBJECTLINK_H

#include "heddle/Link/ModuleLink.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle {

/// A relocatable object (LinkMetadata).
struct ObjectToLink {
  std::string Name; ///< of the input, for messages
  llvm::ArrayRef<uint8_t> Bytes;
  bool IsOnDemand = false; ///< as in ModuleToLink
};

struct ObjectLinkOptions {
  std::string Chip; ///< for which all objects must be
  /// -r: make a relocatable object, and leave what is undefined so.
  bool IsPartial = false;
  bool DropDebugInfo = false;
  UsedNames Kernels, Variables;
};

/// Links \p Inputs to one object. Every error of symbols has been told to
/// \p Messages when the result is an Error that says only that linking failed;
/// other errors name the input.
llvm::Expected<std::string> linkObjects(llvm::ArrayRef<ObjectToLink> Inputs,
                                        const ObjectLinkOptions &Options,
                                        LinkMessages &Messages);

/// What modules that are linked with objects have to know of these.
struct ObjectNames {
  /// What an object leaves undefined, for which members of archives are taken.
  std::vector<std::string> Undefined;
  /// That, and weak definitions: modules must keep their own.
  std::vector<std::string> Needed;
  /// What an object defines, and not weakly: the input's name. Members of
  /// archives, which may not be taken, are not among it.
  llvm::StringMap<std::string> Defined;
};

/// The names of \p Inputs. Invalid objects are errors.
llvm::Expected<ObjectNames> collectNames(llvm::ArrayRef<ObjectToLink> Inputs);

} // namespace heddle

#endif // HEDDLE_LINK_OBJECTLINK_H
