//===- ObjectResolver.h - Which symbol is which -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first half of linking objects: reads them, takes members of archives, and
// finds the definition of every name. Private to lib/Link.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_LINK_OBJECTRESOLVER_H
#define HEDDLE_LIB_LINK_OBJECTRESOLVER_H

#include "heddle/Link/ObjectLink.h"
#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace heddle::link {

/// An object that is read.
struct InputObject {
  InputObject(const ObjectToLink &From, ObjectFile Object)
      : From(From), Object(std::move(Object)) {}

  const ObjectToLink &From;
  ObjectFile Object;
  /// Functions by name, and types of symbols that others may name.
  llvm::StringMap<const FunctionMetadata *> Functions;
  llvm::StringMap<llvm::StringRef> Types;
};

/// A symbol of an object.
struct SymbolPlace {
  InputObject *Input = nullptr;
  uint32_t Index = 0;

  const Symbol &symbol() const { return Input->Object.symbols()[Index]; }
  bool isDefined() const { return !symbol().isUndefined(); }
};

class ObjectResolver {
public:
  ObjectResolver(const ObjectLinkOptions &Options, LinkMessages &Messages)
      : Options(Options), Messages(Messages) {}

  /// Reads all inputs and takes those that are needed.
  llvm::Error read(llvm::ArrayRef<ObjectToLink> Inputs);
  /// The objects that take part, in their order.
  llvm::ArrayRef<InputObject *> taken() const { return Taken; }
  /// What a symbol stands for: its definition, if there is one, else itself.
  SymbolPlace resolve(SymbolPlace P) const;
  bool failed() const { return Failed; }
  void error(const InputObject &Where, const llvm::Twine &Message) {
    Failed = true;
    Messages.error(Where.From.Name, Message);
  }

private:
  llvm::Error readObject(const ObjectToLink &Input);
  void take(InputObject &Input);
  void takeMembers();
  void addSymbol(SymbolPlace New);
  bool isCompatible(SymbolPlace A, SymbolPlace B);

  const ObjectLinkOptions &Options;
  LinkMessages &Messages;
  std::deque<InputObject> Objects;
  std::vector<InputObject *> Taken;
  llvm::StringMap<SymbolPlace> Symbols;
  bool Failed = false;
};

} // namespace heddle::link

#endif // HEDDLE_LIB_LINK_OBJECTRESOLVER_H
