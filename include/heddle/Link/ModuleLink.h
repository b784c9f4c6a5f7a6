//===- ModuleLink.h - Links LLVM modules ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolves symbols between modules in the form of docs/ir-contract.md and makes
// one module of them, before code generation. docs/linking.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LINK_MODULELINK_H
#define HEDDLE_LINK_MODULELINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// A module to link. All of one link belong to one LLVMContext.
struct ModuleToLink {
  std::string Name; ///< of the input, for messages
  std::unique_ptr<llvm::Module> M;
  /// A member of an archive: taken only where it defines what is missing.
  bool IsOnDemand = false;
  /// Bodies of functions are read when they are asked for. It declares nothing
  /// that it does not use.
  bool IsLazy = false;
};

/// Takes what there is to say about symbols; File is the input's name.
class LinkMessages {
public:
  virtual ~LinkMessages() = default;
  virtual void error(llvm::StringRef File, const llvm::Twine &Message) = 0;
  /// Two definitions of a weak function are not the same.
  virtual void differs(llvm::StringRef File, const llvm::Twine &Message) = 0;
  /// Machine code has two types of a function. Says so and returns true if it
  /// is linked all the same; else it is an error.
  virtual bool mismatches(llvm::StringRef File, const llvm::Twine &Message) = 0;
};

/// Whether a declaration needs no definition: the device, its library or a
/// launch provides it.
bool isProvided(const llvm::GlobalValue &Declaration);

/// The same for a function of a name.
bool isProvidedFunction(llvm::StringRef Name);

struct ModuleLinkOptions {
  /// -r, or other objects follow: leave what is undefined so, and what is weak
  /// weak.
  bool AllowUndefined = false;
  /// Names that others than these modules leave undefined.
  llvm::ArrayRef<std::string> Needed;
  /// Names that others than these modules define, and not weakly, with the
  /// names of the inputs.
  llvm::StringMap<std::string> DefinedElsewhere;
};

/// Tells the backend what the symbols are that other modules may name
/// (heddle/Target/Relocatable.h).
void describeLinkedSymbols(llvm::Module &M);

/// Links \p Inputs, of which none are left. Every error of symbols has been
/// told to \p Messages when the result is an Error, which says only that the
/// link failed. The modules' order is that of their contents in the result; the
/// flags ptx.version and ptx.target become the highest.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkModules(std::vector<ModuleToLink> Inputs, const ModuleLinkOptions &Options,
            LinkMessages &Messages);

/// What linkModules does before it moves contents: settles which definition of
/// each name is kept, and makes the others declarations. Leaves those of the
/// inputs that take part, in their order, and gives what belongs to one module
/// a name that nothing else in the program has. Bodies of functions are read
/// only where two weak ones are compared. The result is an empty module with
/// the flags that the linked one would have.
llvm::Expected<std::unique_ptr<llvm::Module>>
resolveModules(std::vector<ModuleToLink> &Inputs,
               const ModuleLinkOptions &Options, LinkMessages &Messages);

/// Names that the host uses; all of them unless IsGiven.
struct UsedNames {
  bool IsGiven = false;
  llvm::ArrayRef<std::string> Names;
};

/// Whether the host may use a variable by its name.
bool isHostVisible(const llvm::GlobalVariable &G);

/// The error of an option that names what is not defined.
llvm::Error undefinedName(llvm::StringRef Option, llvm::StringRef Kind,
                          llvm::StringRef Name);

/// Leaves out the kernels that are not used, and lets the compiler drop the
/// variables in global and constant memory that are not, if no code names them.
/// A name that is not defined is an error.
llvm::Error dropUnused(llvm::Module &M, const UsedNames &Kernels,
                       const UsedNames &Variables);

/// Makes every function internal, since only the program's own code can reach
/// it, but for \p Needed, which code outside of M names.
void internalizeFunctions(llvm::Module &M, llvm::ArrayRef<std::string> Needed);

} // namespace heddle

#endif // HEDDLE_LINK_MODULELINK_H
