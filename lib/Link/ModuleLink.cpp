//===- ModuleLink.cpp - Links LLVM modules ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which definition of a name is kept is decided here; the others become
// declarations. LLVM's linker, which then meets one definition of each name at
// most, moves the contents, unless the modules stay apart. Then bodies of
// functions may not have been read yet.
//
//===----------------------------------------------------------------------===//

#include "heddle/Link/ModuleLink.h"
#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"

#include "Origin.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Target/Relocatable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace heddle {

bool isProvided(const GlobalValue &Declaration) {
  const auto *F = dyn_cast<Function>(&Declaration);
  if (!F) // dynamic shared memory
    return Declaration.getAddressSpace() == addrspace::Shared;
  return F->isIntrinsic() || isProvidedFunction(F->getName());
}

bool isProvidedFunction(StringRef Name) {
  return Name.starts_with("__heddle_") || DeviceLibrary::defines(Name) ||
         any_of(isa::systemCalls(), [&](const isa::SystemCallInfo &S) {
           return Name == StringRef(S.Function.data(), S.Function.size());
         });
}

namespace {

/// Which of two definitions of a name is kept: the stronger one.
enum class Strength : uint8_t { Undefined, Common, Weak, Strong };

Strength strengthOf(const GlobalValue &G) {
  if (G.isDeclaration())
    return Strength::Undefined;
  if (G.hasWeakODRLinkage() || G.hasLinkOnceLinkage())
    return Strength::Weak;
  return G.hasWeakAnyLinkage() ? Strength::Common : Strength::Strong;
}

const Function *functionOf(const GlobalValue &G) {
  return dyn_cast_or_null<Function>(G.getAliaseeObject());
}

StringRef kindOf(const GlobalValue &G) {
  const Function *F = functionOf(G);
  if (!F)
    return "variable";
  return ir::isKernel(*F) ? "kernel" : "function";
}

/// Bytes of a variable; 0: its declaration does not say.
uint64_t sizeOf(const GlobalValue &G) {
  return G.getDataLayout().getTypeAllocSize(G.getValueType());
}

/// A type by its structure: modules of clang may have several names for one.
void printType(Type *T, raw_ostream &OS) {
  ListSeparator Comma;
  if (auto *Array = dyn_cast<ArrayType>(T)) {
    OS << '[' << Array->getNumElements() << " x ";
    printType(Array->getElementType(), OS);
    OS << ']';
  } else if (auto *Struct = dyn_cast<StructType>(T)) {
    OS << (Struct->isPacked() ? "<{" : "{");
    for (Type *Element : Struct->elements()) {
      OS << Comma;
      printType(Element, OS);
    }
    OS << (Struct->isPacked() ? "}>" : "}");
  } else {
    OS << *T;
  }
}

bool isSameType(Type *A, Type *B) {
  if (A == B)
    return true;
  std::string Texts[2];
  for (auto [T, Text] : zip_equal(ArrayRef({A, B}), Texts)) {
    raw_string_ostream OS(Text);
    printType(T, OS);
  }
  return Texts[0] == Texts[1];
}

bool isSameSignature(const FunctionType &A, const FunctionType &B) {
  return A.isVarArg() == B.isVarArg() &&
         isSameType(A.getReturnType(), B.getReturnType()) &&
         A.getNumParams() == B.getNumParams() &&
         all_of(zip(A.params(), B.params()), [](auto Pair) {
           return isSameType(std::get<0>(Pair), std::get<1>(Pair));
         });
}

/// The type as a message shows it, with the sizes of arrays passed as
/// arguments.
std::string signatureOf(const Function &F) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Type *Result = F.getReturnType(); !Result->isVoidTy()) {
    printType(Result, OS);
    OS << ' ';
  }
  OS << '(';
  ListSeparator Comma;
  for (const Argument &A : F.args()) {
    OS << Comma;
    Type *Array = A.getParamByValType();
    if (!Array)
      Array = A.getParamStructRetType();
    printType(Array ? Array : A.getType(), OS);
  }
  OS << ')';
  return Text;
}

StringRef spaceName(unsigned AS) {
  switch (AS) {
  case addrspace::Global:
    return ".global";
  case addrspace::Shared:
    return ".shared";
  case addrspace::Const:
    return ".const";
  default:
    return "another state space";
  }
}

class Resolver {
public:
  Resolver(std::vector<ModuleToLink> &Inputs, const ModuleLinkOptions &Options,
           LinkMessages &Messages)
      : Inputs(Inputs), Options(Options), Messages(Messages) {}

  /// False after errors.
  bool resolve();
  /// Makes every definition that is not kept a declaration.
  void dropLosers();
  /// Gives what belongs to a module names that nothing else has.
  void renameLocals();
  /// A module without contents, with the flags of what was taken.
  std::unique_ptr<Module> startResult();
  Expected<std::unique_ptr<Module>> merge();
  /// Only the flags of what merge() would make.
  Expected<std::unique_ptr<Module>> mergeFlags();
  /// The modules that take part.
  ArrayRef<const ModuleToLink *> taken() const { return Taken; }

private:
  /// A name as one of the modules has it.
  struct Place {
    GlobalValue *G;
    const ModuleToLink *Input;
  };

  void takeMembers();
  void addModule(const ModuleToLink &Input);
  bool isElsewhere(const GlobalValue &G) const;
  void checkElsewhere();
  void addSymbol(Place New);
  void chooseDefinition(Place &Kept, Place New);
  void compareWeak(const Place &Kept, const Place &New);
  bool isCompatible(const Place &A, const Place &B);
  bool isCompatibleFunction(const Place &A, const Place &B);
  bool isCompatibleVariable(const Place &A, const Place &B);
  void reportUndefined();
  void error(const Place &Where, const Twine &Message) {
    Failed = true;
    Messages.error(Where.Input->Name, Message);
  }

  std::vector<ModuleToLink> &Inputs;
  const ModuleLinkOptions &Options;
  LinkMessages &Messages;
  /// The definition of each name, or its first declaration.
  StringMap<Place> Symbols;
  /// Names in the order of their first appearance.
  std::vector<StringRef> Order;
  std::vector<const ModuleToLink *> Taken;
  StringMap<MaybeAlign> Aligns; ///< the strictest one asked for
  bool Failed = false;
};

bool isLinked(const GlobalValue &G) {
  return !G.hasLocalLinkage() && !G.hasAppendingLinkage() && G.hasName() &&
         !G.getName().starts_with("llvm.");
}

/// Whether the module says anything about G that has to be obeyed.
bool isNamed(const GlobalValue &G, const ModuleToLink &Input) {
  return isLinked(G) && (Input.IsLazy || !G.isDeclaration() || !G.use_empty());
}

void Resolver::addModule(const ModuleToLink &Input) {
  Taken.push_back(&Input);
  for (GlobalValue &G : Input.M->global_values())
    if (isNamed(G, Input))
      addSymbol({&G, &Input});
}

bool Resolver::isCompatibleFunction(const Place &A, const Place &B) {
  const Function *FA = functionOf(*A.G), *FB = functionOf(*B.G);
  std::string TypeA = signatureOf(*FA), TypeB = signatureOf(*FB);
  if (isSameSignature(*FA->getFunctionType(), *FB->getFunctionType()) &&
      TypeA == TypeB)
    return true;
  error(B, "function '" + B.G->getName() + "' has the type " + TypeB +
               " here and " + TypeA + " in " + A.Input->Name);
  return false;
}

bool Resolver::isCompatibleVariable(const Place &A, const Place &B) {
  unsigned SpaceA = A.G->getAddressSpace(), SpaceB = B.G->getAddressSpace();
  if (SpaceA != SpaceB) {
    error(B, "variable '" + B.G->getName() + "' is in " + spaceName(SpaceB) +
                 " here and in " + spaceName(SpaceA) + " in " + A.Input->Name);
    return false;
  }
  uint64_t SizeA = sizeOf(*A.G), SizeB = sizeOf(*B.G);
  bool IsOpen = (A.G->isDeclaration() && !SizeA) ||
                (B.G->isDeclaration() && !SizeB) ||
                strengthOf(*A.G) == Strength::Common ||
                strengthOf(*B.G) == Strength::Common;
  if (SizeA == SizeB || IsOpen)
    return true;
  error(B, "variable '" + B.G->getName() + "' has " + Twine(SizeB) +
               " bytes here and " + Twine(SizeA) + " in " + A.Input->Name);
  return false;
}

/// Says what is wrong if A and B cannot be the same thing.
bool Resolver::isCompatible(const Place &A, const Place &B) {
  StringRef KindA = kindOf(*A.G), KindB = kindOf(*B.G);
  if (KindA == KindB)
    return functionOf(*A.G) ? isCompatibleFunction(A, B)
                            : isCompatibleVariable(A, B);
  error(B, "'" + B.G->getName() + "' is a " + KindB + " here and a " + KindA +
               " in " + A.Input->Name);
  return false;
}

/// Says so if a weak function is not the one that is kept.
void Resolver::compareWeak(const Place &Kept, const Place &New) {
  auto *A = const_cast<Function *>(functionOf(*Kept.G)),
       *B = const_cast<Function *>(functionOf(*New.G));
  if (!A)
    return;
  for (Function *F : {A, B})
    if (Error E = F->materialize())
      return error(F == A ? Kept : New,
                   "invalid LLVM bitcode: " + toString(std::move(E)));
  if (StructuralHash(*A, /*DetailedHash=*/true) !=
      StructuralHash(*B, /*DetailedHash=*/true))
    Messages.differs(New.Input->Name, "weak " + kindOf(*New.G) + " '" +
                                          New.G->getName() +
                                          "' differs from the one in " +
                                          Kept.Input->Name + ", which is kept");
}

void Resolver::chooseDefinition(Place &Kept, Place New) {
  Strength Old = strengthOf(*Kept.G), Now = strengthOf(*New.G);
  if (Old == Strength::Strong && Now == Strength::Strong) {
    error(New, kindOf(*New.G) + " '" + New.G->getName() +
                   "' is defined here and in " + Kept.Input->Name);
    return;
  }
  // Of commons, the largest; it is the smallest that a definition may be.
  bool IsLarger = !functionOf(*New.G) && sizeOf(*New.G) > sizeOf(*Kept.G);
  bool IsSmaller = !functionOf(*New.G) && sizeOf(*New.G) < sizeOf(*Kept.G);
  if ((Old == Strength::Common && Now > Old && IsSmaller) ||
      (Now == Strength::Common && Old > Now && IsLarger)) {
    error(New, ".common variable '" + New.G->getName() + "' has " +
                   Twine(sizeOf(*New.G)) + " bytes here and " +
                   Twine(sizeOf(*Kept.G)) + " in " + Kept.Input->Name +
                   ", and the definition is not the largest");
    return;
  }
  if (Old == Strength::Weak && Now == Strength::Weak)
    compareWeak(Kept, New);
  if (Now > Old || (Now == Old && Now == Strength::Common && IsLarger))
    Kept = New;
}

void Resolver::addSymbol(Place New) {
  if (const auto *V = dyn_cast<GlobalVariable>(New.G)) {
    MaybeAlign &Strictest = Aligns[V->getName()];
    if (!Strictest || V->getAlign().valueOrOne() > *Strictest)
      Strictest = V->getAlign();
  }
  auto [At, IsNew] = Symbols.try_emplace(New.G->getName(), New);
  if (IsNew) {
    Order.push_back(At->first());
    return;
  }
  Place &Kept = At->second;
  if (!isCompatible(Kept, New))
    return;
  if (Kept.G->isDeclaration()) {
    if (!New.G->isDeclaration())
      Kept = New;
  } else if (!New.G->isDeclaration()) {
    chooseDefinition(Kept, New);
  }
}

/// Takes members of archives until none defines what is missing.
void Resolver::takeMembers() {
  auto IsWanted = [&](const ModuleToLink &Input) {
    return any_of(Input.M->global_values(), [&](const GlobalValue &G) {
      if (!isLinked(G) || G.isDeclaration())
        return false;
      auto Found = Symbols.find(G.getName());
      if (Found == Symbols.end())
        return is_contained(Options.Needed, G.getName());
      return Found->second.G->isDeclaration() && !isProvided(*Found->second.G);
    });
  };
  std::vector<bool> IsTaken(Inputs.size());
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (auto [I, Input] : enumerate(Inputs))
      if (Input.IsOnDemand && !IsTaken[I] && IsWanted(Input)) {
        IsTaken[I] = Changed = true;
        addModule(Input);
      }
  }
}

/// Whether an object has the definition of G.
bool Resolver::isElsewhere(const GlobalValue &G) const {
  return Options.DefinedElsewhere.contains(G.getName());
}

void Resolver::checkElsewhere() {
  for (StringRef Name : Order) {
    const Place &P = Symbols.find(Name)->second;
    if (isElsewhere(*P.G) && strengthOf(*P.G) == Strength::Strong)
      error(P, kindOf(*P.G) + " '" + Name + "' is defined here and in " +
                   Options.DefinedElsewhere.lookup(Name));
  }
}

void Resolver::reportUndefined() {
  for (StringRef Name : Order) {
    const Place &P = Symbols.find(Name)->second;
    if (P.G->isDeclaration() && !isProvided(*P.G))
      error(P, "undefined reference to " + kindOf(*P.G) + " '" + Name + "'");
  }
}

bool Resolver::resolve() {
  for (const ModuleToLink &Input : Inputs)
    if (!Input.IsOnDemand)
      addModule(Input);
  takeMembers();
  checkElsewhere();
  if (!Options.AllowUndefined)
    reportUndefined();
  return !Failed;
}

/// The aliases in the module that stand for F. They keep its body, whatever is
/// kept of F's own name.
SmallVector<GlobalAlias *> aliasesOf(Function &F) {
  SmallVector<GlobalAlias *> Found;
  for (GlobalAlias &A : F.getParent()->aliases())
    if (A.getAliaseeObject() == &F)
      Found.push_back(&A);
  return Found;
}

/// Leaves the body to F's aliases, and a declaration of F in its place.
void splitAliasee(Function &F, ArrayRef<GlobalAlias *> Aliases) {
  Function *New =
      Function::Create(F.getFunctionType(), GlobalValue::ExternalLinkage,
                       F.getAddressSpace(), "", F.getParent());
  New->copyAttributesFrom(&F);
  New->takeName(&F);
  F.replaceAllUsesWith(New);
  F.setName(New->getName());
  F.setComdat(nullptr);
  F.setLinkage(GlobalValue::InternalLinkage);
  for (GlobalAlias *A : Aliases)
    A->setAliasee(&F);
}

void makeDeclaration(GlobalValue &G) {
  if (auto *F = dyn_cast<Function>(&G)) {
    SmallVector<GlobalAlias *> Aliases = aliasesOf(*F);
    if (!Aliases.empty())
      return splitAliasee(*F, Aliases);
    F->deleteBody();
    F->setComdat(nullptr);
  } else if (auto *V = dyn_cast<GlobalVariable>(&G)) {
    V->setInitializer(nullptr);
    V->setLinkage(GlobalValue::ExternalLinkage);
    V->setComdat(nullptr);
    V->clearMetadata();
    V->setSection("");
  } else { // an alias of a function
    Module &M = *G.getParent();
    auto *F = Function::Create(cast<FunctionType>(G.getValueType()),
                               GlobalValue::ExternalLinkage, "", M);
    F->copyAttributesFrom(functionOf(G));
    F->takeName(&G);
    G.replaceAllUsesWith(F);
    G.eraseFromParent();
  }
}

void Resolver::dropLosers() {
  for (const ModuleToLink *Input : Taken) {
    SmallVector<GlobalValue *> Losers;
    for (GlobalValue &G : Input->M->global_values()) {
      if (!isNamed(G, *Input))
        continue;
      const Place &Kept = Symbols.find(G.getName())->second;
      if (auto *V = dyn_cast<GlobalVariable>(&G))
        V->setAlignment(Aligns.lookup(G.getName()));
      if ((Kept.G != &G || isElsewhere(G)) && !G.isDeclaration())
        Losers.push_back(&G);
      else if (!Options.AllowUndefined && !G.isDeclaration())
        // The program is complete: nothing can take its place any more.
        G.setLinkage(GlobalValue::ExternalLinkage);
    }
    // Aliases first: only those that are left keep what they stand for.
    auto IsAlias = [](GlobalValue *G) { return GlobalAlias::classof(G); };
    SmallVector<GlobalValue *> Ordered;
    copy_if(Losers, std::back_inserter(Ordered), IsAlias);
    copy_if(Losers, std::back_inserter(Ordered), std::not_fn(IsAlias));
    for_each(Ordered, [](GlobalValue *G) { makeDeclaration(*G); });
  }
}

/// What the modules were made from: the highest version and target. Takes the
/// flags from the modules, as LLVM's linker would compare them.
class Origin {
public:
  void take(Module &M) {
    NamedMDNode *Flags = M.getModuleFlagsMetadata();
    if (!Flags)
      return;
    SmallVector<MDNode *> Kept;
    for (MDNode *Flag : Flags->operands()) {
      auto *Key = cast<MDString>(Flag->getOperand(1));
      if (Key->getString() == RelocatableFlag)
        continue; // of the object that the module was taken from
      std::string *Known = find(Key->getString());
      const auto *Value = dyn_cast<MDString>(Flag->getOperand(2));
      if (!Known || !Value)
        Kept.push_back(Flag);
      else
        link::raiseOrigin(*Known, Value->getString());
    }
    Flags->clearOperands();
    for (MDNode *Flag : Kept)
      Flags->addOperand(Flag);
  }
  void record(Module &M) const {
    for (const auto &[Name, Value] : Known)
      if (!Value.empty())
        M.addModuleFlag(Module::Warning, Name,
                        MDString::get(M.getContext(), Value));
  }

private:
  std::string *find(StringRef Name) {
    for (auto &[Flag, Value] : Known)
      if (Flag == Name)
        return &Value;
    return nullptr;
  }
  std::pair<StringRef, std::string> Known[2] = {{"ptx.version", ""},
                                                {"ptx.target", ""}};
};

/// What a name is told apart by: the file's name without folder and ending.
std::string stemOf(StringRef InputName) {
  if (InputName.consume_back(")")) // a member of an archive
    InputName = InputName.rsplit('(').second;
  return sys::path::stem(InputName).str();
}

void Resolver::renameLocals() {
  StringSet<> Names;
  for (StringRef Name : Order)
    Names.insert(Name);
  for (const ModuleToLink *Input : Taken)
    for (GlobalValue &G : Input->M->global_values()) {
      if (!G.hasLocalLinkage() || G.getName().starts_with("llvm.") ||
          (G.hasName() && Names.insert(G.getName()).second))
        continue;
      std::string Base = (G.getName() + "." + stemOf(Input->Name)).str();
      std::string Name = Base;
      for (unsigned I = 1;
           Input->M->getNamedValue(Name) || !Names.insert(Name).second; ++I)
        Name = Base + "." + std::to_string(I);
      G.setName(Name);
    }
}

std::unique_ptr<Module> Resolver::startResult() {
  Module &First = *Taken.front()->M;
  auto Result = std::make_unique<Module>("", First.getContext());
  Result->setDataLayout(First.getDataLayout());
  Result->setTargetTriple(First.getTargetTriple());
  Origin TheOrigin;
  for (const ModuleToLink *Input : Taken)
    TheOrigin.take(*Input->M);
  TheOrigin.record(*Result);
  return Result;
}

Expected<std::unique_ptr<Module>> Resolver::merge() {
  std::unique_ptr<Module> Result = startResult();
  Linker TheLinker(*Result);
  for (const ModuleToLink *Input : Taken) {
    auto &M = const_cast<ModuleToLink *>(Input)->M;
    if (TheLinker.linkInModule(std::move(M)))
      return createStringError("cannot link " + Input->Name);
  }
  Result->setModuleIdentifier("");
  Result->setSourceFileName("");
  return Result;
}

Expected<std::unique_ptr<Module>> Resolver::mergeFlags() {
  std::unique_ptr<Module> Result = startResult();
  Linker TheLinker(*Result);
  for (const ModuleToLink *Input : Taken) {
    auto Flags = std::make_unique<Module>("", Result->getContext());
    Flags->setDataLayout(Result->getDataLayout());
    Flags->setTargetTriple(Result->getTargetTriple());
    if (NamedMDNode *Own = Input->M->getModuleFlagsMetadata())
      for (MDNode *Flag : Own->operands())
        Flags->getOrInsertModuleFlagsMetadata()->addOperand(Flag);
    if (TheLinker.linkInModule(std::move(Flags)))
      return createStringError("cannot link " + Input->Name);
  }
  Result->setModuleIdentifier("");
  Result->setSourceFileName("");
  return Result;
}

} // namespace

void describeLinkedSymbols(Module &M) {
  for (Function &F : M)
    if (isLinked(F) && !F.isIntrinsic())
      F.addFnAttr(attr::LinkType, ir::isKernel(F)
                                      ? "a kernel"
                                      : "a function " + signatureOf(F));
  for (GlobalVariable &G : M.globals())
    if (isLinked(G))
      G.addAttribute(attr::LinkType, (spaceName(G.getAddressSpace()) + " " +
                                      Twine(sizeOf(G)) + " bytes")
                                         .str());
}

static Error checkModules(ArrayRef<ModuleToLink> Inputs) {
  if (all_of(Inputs, [](const ModuleToLink &I) { return I.IsOnDemand; }))
    return createStringError("there is nothing to link but archives");
  for (const ModuleToLink &Input : Inputs)
    if (Input.M->getDataLayout() != Inputs.front().M->getDataLayout())
      return createStringError(Input.Name + " is not LLVM IR for this target");
  return Error::success();
}

Expected<std::unique_ptr<Module>>
resolveModules(std::vector<ModuleToLink> &Inputs,
               const ModuleLinkOptions &Options, LinkMessages &Messages) {
  if (Error E = checkModules(Inputs))
    return std::move(E);
  Resolver TheResolver(Inputs, Options, Messages);
  if (!TheResolver.resolve())
    return createStringError("linking aborted due to errors");
  TheResolver.dropLosers();
  TheResolver.renameLocals();
  Expected<std::unique_ptr<Module>> Flags = TheResolver.mergeFlags();
  if (!Flags)
    return Flags.takeError();
  // Members of archives come in the order in which they are needed.
  std::vector<ModuleToLink> Taken;
  for (const ModuleToLink *Input : TheResolver.taken())
    Taken.push_back(std::move(*const_cast<ModuleToLink *>(Input)));
  Inputs = std::move(Taken);
  return Flags;
}

Expected<std::unique_ptr<Module>> linkModules(std::vector<ModuleToLink> Inputs,
                                              const ModuleLinkOptions &Options,
                                              LinkMessages &Messages) {
  if (Error E = checkModules(Inputs))
    return std::move(E);
  Resolver TheResolver(Inputs, Options, Messages);
  if (!TheResolver.resolve())
    return createStringError("linking aborted due to errors");
  TheResolver.dropLosers();
  return TheResolver.merge();
}

} // namespace heddle
