//===- ThinProgram.cpp - A program whose modules stay apart -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A partition takes copies of all functions that its root may call, but for
// large ones that others call as well. That is more than ThinLTO on a CPU
// imports: on this machine hardly a small function is worth a call. What a
// pointer may point to has one address, so that it is a partition of its own;
// others that call it by name, or through a pointer while there are few of
// them, have copies to inline from.
//
//===----------------------------------------------------------------------===//

#include "Link/ThinProgram.h"

#include "PrepareModule.h"

#include "passes/lto/Passes.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Relocatable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

/// While there are no more functions than this whose address is taken, each
/// partition with a call through a pointer has copies of them.
static constexpr size_t MaxKnownTargets = 64;

/// Instructions of a function that is not copied to several partitions. What
/// the inliner takes at most (HeddleInlineCost.h) for one argument that points
/// to a variable, and then some.
static constexpr unsigned MaxCopiedInstructions = 1000;

static bool isDefinedFunction(const GlobalValue &G) {
  return isa<Function>(G) && !G.isDeclaration() && !ir::isKernel(G);
}

std::string whyTogether(const LinkInputs &Inputs, const Settings &S,
                        const Reporter &Report) {
  if (S.Emit != "obj")
    return "--emit=" + S.Emit + " shows one module";
  if (S.OptLevel < 2)
    return "below -O2 no function is inlined";
  if (S.Counting)
    return "each function counts once";
  if (Report.isEnabled(WarningId::DoublePrecision))
    return "warnings about double precision are of the whole program";
  for (const ModuleToLink &Input : Inputs.Modules) {
    if (!Input.M->ifunc_empty())
      return "'" + Input.Name + "' has ifuncs";
    for (const NamedMDNode &N : Input.M->named_metadata())
      if (N.getName() != "llvm.module.flags" && N.getName() != "llvm.dbg.cu")
        return "'" + Input.Name + "' has metadata '" + N.getName().str() + "'";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// The kernels that are wanted, and the variables that the host may use. Those
/// of an open program are sorted out when the machine code is linked.
Error ThinProgram::findRoots(const Settings &S) {
  if (IsOpen) {
    for (const Node &N : Index.nodes())
      if (const auto *V = dyn_cast<GlobalVariable>(N.G);
          V ? isHostVisible(*V) : ir::isKernel(*N.G))
        Roots.push_back(&N);
    return Error::success();
  }
  for (const std::string &Name : S.KernelsUsed)
    if (GlobalValue *G = Index.findName(Name); !G || !ir::isKernel(*G))
      return undefinedName("--kernels-used", "kernel", Name);
  for (const std::string &Name : S.VariablesUsed) {
    auto *G = dyn_cast_or_null<GlobalVariable>(Index.findName(Name));
    if (!G || !isHostVisible(*G))
      return undefinedName("--variables-used", "variable", Name);
  }
  auto IsWanted = [](bool IsGiven, ArrayRef<std::string> Names, StringRef N) {
    return !IsGiven || is_contained(Names, N);
  };
  for (const Node &N : Index.nodes()) {
    StringRef Name = N.G->getName();
    const auto *V = dyn_cast<GlobalVariable>(N.G);
    bool IsRoot =
        V ? isHostVisible(*V) &&
                (V->hasSection() ||
                 IsWanted(S.DropVariables, S.VariablesUsed, Name))
          : ir::isKernel(*N.G) && IsWanted(S.DropKernels, S.KernelsUsed, Name);
    if (IsRoot)
      Roots.push_back(&N);
  }
  return Error::success();
}

/// Takes what machine code names. Shared memory among it has one place.
void ThinProgram::findNeeded(ArrayRef<std::string> Names) {
  for (const std::string &Name : Names) {
    const GlobalValue *G = Index.findName(Name);
    const Node *N = G && !G->hasLocalLinkage() ? Index.find(G) : nullptr;
    if (!N)
      continue;
    Roots.push_back(N);
    if (isDefinedFunction(*G))
      Exported.insert(G);
    else if (G->getAddressSpace() == addrspace::Shared)
      CommonShared.insert(G);
  }
}

void ThinProgram::findLive() {
  Live.insert_range(Roots);
  for (size_t I = 0; I != Live.size(); ++I)
    for (const auto *List : {&Live[I]->Calls, &Live[I]->Names})
      for (GlobalValue *To : *List)
        if (const Node *N = Index.find(To))
          Live.insert(N);
}

void ThinProgram::findExported() {
  for (const Node *N : Live)
    for (GlobalValue *To : N->Names)
      if (isDefinedFunction(*To))
        Exported.insert(To);
}

/// The large functions that more than one partition would have.
void ThinProgram::findApart() {
  DenseMap<const Node *, unsigned> Copies;
  for (const Partition &P : Partitions)
    for (const Node *N : P.Bodies)
      if (N != P.Root && N->Instructions > MaxCopiedInstructions &&
          !isExported(N->G) && ++Copies[N] > 1)
        Apart.insert(N->G);
}

/// What Root may call, with it.
ThinProgram::Partition ThinProgram::makePartition(const Node &Root) const {
  SetVector<const Node *> Bodies;
  Partition P;
  P.Root = &Root;
  Bodies.insert(&Root);
  auto Add = [&](const GlobalValue *G) {
    if (const Node *N = Index.find(G);
        N && isDefinedFunction(*G) && !isApart(G))
      Bodies.insert(N);
  };
  for (size_t I = 0; I != Bodies.size(); ++I) {
    for_each(Bodies[I]->Calls, Add);
    if (Bodies[I]->CallsPointers && !IsOpen &&
        Exported.size() <= MaxKnownTargets) {
      P.KnowsTargets = true;
      for_each(Exported, Add);
    }
  }
  P.Bodies = Bodies.takeVector();
  sort(P.Bodies,
       [](const Node *A, const Node *B) { return A->Number < B->Number; });
  return P;
}

/// Whether N has a partition of its own.
bool ThinProgram::isRoot(const Node &N) const {
  return Live.contains(&N) &&
         (ir::isKernel(*N.G) || isExported(N.G) || isApart(N.G));
}

void ThinProgram::makePartitions() {
  Partitions.clear();
  for (const Node &N : Index.nodes())
    if (isRoot(N))
      Partitions.push_back(makePartition(N));
}

/// The variables in shared memory that a partition defines or has in common
/// with others, in the program's order.
SmallVector<GlobalVariable *, 0>
ThinProgram::sharedOf(const Partition &P) const {
  SetVector<GlobalVariable *> Found;
  for (const Node *N : P.Bodies)
    for (GlobalValue *To : N->Names)
      if (auto *V = dyn_cast<GlobalVariable>(To);
          V && V->getAddressSpace() == addrspace::Shared)
        Found.insert(V);
  SmallVector<GlobalVariable *, 0> Ordered = Found.takeVector();
  auto NumberOf = [&](const GlobalVariable *V) {
    const Node *N = Index.find(V);
    return std::pair(N ? N->Number : 0, V->getName());
  };
  sort(Ordered, [&](const GlobalVariable *A, const GlobalVariable *B) {
    return NumberOf(A) < NumberOf(B);
  });
  return Ordered;
}

/// A function that any kernel may call knows one place only.
void ThinProgram::findCommonShared() {
  for (const Partition &P : Partitions)
    if (!ir::isKernel(*P.Root->G))
      for (const GlobalVariable *V : sharedOf(P))
        if (!V->isDeclaration())
          CommonShared.insert(V);
}

std::vector<StringRef> ThinProgram::functionNames() const {
  std::vector<StringRef> Names;
  for (const Node &N : Index.nodes())
    if (isa<Function>(N.G) && Live.contains(&N))
      Names.push_back(N.G->getName());
  return Names;
}

size_t ThinProgram::instructions() const {
  size_t Count = 0;
  for (const Partition &P : Partitions)
    for (const Node *N : P.Bodies)
      Count += N->Instructions;
  return Count;
}

Expected<std::unique_ptr<ThinProgram>>
ThinProgram::create(LinkInputs Inputs, ArrayRef<ObjectToLink> Code,
                    const Settings &S, LinkMessages &Messages) {
  std::unique_ptr<ThinProgram> P(new ThinProgram(Inputs, S));
  Expected<ObjectNames> Names = collectNames(Code);
  if (!Names)
    return Names.takeError();
  P->IsOpen = !Code.empty();
  Expected<std::unique_ptr<Module>> Flags = resolveModules(
      Inputs.Modules, {P->IsOpen, Names->Undefined, std::move(Names->Defined)},
      Messages);
  if (!Flags)
    return Flags.takeError();
  P->Flags = std::move(*Flags);
  P->Modules = std::move(Inputs.Modules);
  P->Index.connect(P->Modules);
  if (Error E = P->findRoots(S))
    return std::move(E);
  P->findNeeded(Names->Needed);
  P->findLive();
  P->findExported();
  P->makePartitions();
  P->findApart();
  if (!P->Apart.empty())
    P->makePartitions();
  P->findCommonShared();
  P->Own.Relocatable = !P->isClosed();
  return P;
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// What a part knows of a variable that another one defines.
static void describe(const GlobalVariable &G, raw_ostream &OS) {
  OS << *G.getValueType() << " addrspace " << G.getAddressSpace() << " align "
     << G.getAlign().valueOrOne().value() << " constant " << G.isConstant()
     << " defined " << !G.isDeclaration() << " section " << G.getSection()
     << " attributes " << G.getAttributes().getAsString(/*InAttrGrp=*/true);
}

/// The hashes of the modules stand for what is in the functions; what names
/// come to mean and what parts have in common is told for each.
std::string ThinProgram::origin(size_t I) {
  if (Own.Profile) // It is in the functions, and not in what they are from.
    return {};
  const Partition &P = Partitions[I];
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "thin partition " << P.Root->G->getName() << " closed " << isClosed()
     << " knows " << P.KnowsTargets << '\n';
  Flags->print(OS, nullptr);
  for (const Node *N : P.Bodies) {
    OS << N->Contents << ' ' << N->G->getName() << ' ' << isExported(N->G)
       << ' ' << N->G->getLinkage() << '\n';
    for (const auto *List : {&N->Calls, &N->Names})
      for (const GlobalValue *To : *List) {
        OS << "  " << To->getName() << ' ' << isExported(To) << ' '
           << isApart(To) << ' ' << CommonShared.contains(To) << ' ';
        if (const auto *V = dyn_cast<GlobalVariable>(To))
          describe(*V, OS);
        OS << '\n';
      }
  }
  return Text;
}

namespace {

/// Structures by what is in them: names of types belong to modules, and two
/// modules may call one type differently.
class TypesWithoutNames : public ValueMapTypeRemapper {
public:
  Type *remapType(Type *T) override {
    Type *&New = Known[T];
    return New ? New : Known[T] = make(T);
  }

private:
  SmallVector<Type *> remapAll(ArrayRef<Type *> Types) {
    return map_to_vector(Types, [this](Type *T) { return remapType(T); });
  }
  Type *make(Type *T) {
    if (auto *Array = dyn_cast<ArrayType>(T))
      return ArrayType::get(remapType(Array->getElementType()),
                            Array->getNumElements());
    if (auto *F = dyn_cast<FunctionType>(T))
      return FunctionType::get(remapType(F->getReturnType()),
                               remapAll(F->params()), F->isVarArg());
    if (auto *Struct = dyn_cast<StructType>(T); Struct && !Struct->isOpaque())
      return StructType::get(T->getContext(), remapAll(Struct->elements()),
                             Struct->isPacked());
    return T;
  }

  DenseMap<Type *, Type *> Known;
};

} // namespace

/// Makes the module of a partition.
class ThinProgram::Builder : public ValueMaterializer {
public:
  explicit Builder(const ThinProgram &P);
  Value *materialize(Value *V) override;
  Error takeBodies(const Partition &From);
  void takeVariable(const GlobalVariable &G);
  std::unique_ptr<Module> Part;

private:
  Function *declare(const Function &F);
  GlobalVariable *declare(const GlobalVariable &G);
  void setLinkage(Function &New, const Node &N, const Partition &From) const;

  const ThinProgram &P;
  DenseMap<const GlobalValue *, GlobalValue *> Here; ///< By what is kept.
  ValueToValueMapTy Map;
  TypesWithoutNames Types;
};

ThinProgram::Builder::Builder(const ThinProgram &P)
    : Part(CloneModule(*P.Flags)), P(P) {
  Part->setModuleIdentifier("");
}

Function *ThinProgram::Builder::declare(const Function &F) {
  Function *New =
      Function::Create(cast<FunctionType>(Types.remapType(F.getFunctionType())),
                       GlobalValue::ExternalLinkage, F.getAddressSpace(),
                       F.getName(), Part.get());
  New->copyAttributesFrom(&F);
  for (unsigned I = 0; I != New->arg_size(); ++I)
    for (Attribute::AttrKind Kind : {Attribute::ByVal, Attribute::StructRet})
      if (Attribute A = New->getParamAttribute(I, Kind); A.isValid()) {
        Type *T = Types.remapType(A.getValueAsType());
        New->removeParamAttr(I, Kind);
        New->addParamAttr(I, Attribute::get(New->getContext(), Kind, T));
      }
  return New;
}

/// Nothing in shared memory has a value to start with.
GlobalVariable *ThinProgram::Builder::declare(const GlobalVariable &G) {
  bool IsOwn = G.getAddressSpace() == addrspace::Shared && !G.isDeclaration() &&
               !P.CommonShared.contains(&G);
  Type *T = Types.remapType(G.getValueType());
  auto *New = new GlobalVariable(
      *Part, T, G.isConstant(),
      IsOwn ? GlobalValue::InternalLinkage : GlobalValue::ExternalLinkage,
      IsOwn ? PoisonValue::get(T) : nullptr, G.getName(), nullptr,
      G.getThreadLocalMode(), G.getAddressSpace());
  New->copyAttributesFrom(&G);
  return New;
}

Value *ThinProgram::Builder::materialize(Value *V) {
  auto *Named = dyn_cast<GlobalValue>(V);
  if (!Named)
    return nullptr;
  GlobalValue *G = P.Index.kept(*Named);
  GlobalValue *&New = Here[G];
  // What is defined nowhere each module declares for itself.
  if (!New && G->isDeclaration())
    New = Part->getNamedValue(G->getName());
  if (!New) {
    // A declaration of the module that names the function is as good as its
    // definition, of which nothing needs to be known.
    if (auto *F = dyn_cast<Function>(G))
      New = declare(isa<Function>(Named) ? *cast<Function>(Named) : *F);
    else
      New = declare(*cast<GlobalVariable>(G));
    New->setName(G->getName());
  }
  return New;
}

static Error readBody(Function &F) {
  if (Error E = F.materialize())
    return createStringError("invalid LLVM bitcode of function '" +
                             F.getName() + "': " + toString(std::move(E)));
  return Error::success();
}

/// What is a module's own has a name of its own too, so that other parts can
/// name it.
GlobalValue::LinkageTypes ThinProgram::linkageOf(const GlobalValue &G) const {
  return G.hasLocalLinkage() && !isClosed() ? GlobalValue::ExternalLinkage
                                            : G.getLinkage();
}

/// What other parts know of a function that has a body here.
void ThinProgram::Builder::setLinkage(Function &New, const Node &N,
                                      const Partition &From) const {
  if (P.isExported(N.G))
    New.addFnAttr(attr::PointerTarget);
  if (&N == From.Root)
    New.setLinkage(P.linkageOf(*N.G));
  else
    New.setLinkage(P.isExported(N.G) ? GlobalValue::AvailableExternallyLinkage
                                     : GlobalValue::InternalLinkage);
}

Error ThinProgram::Builder::takeBodies(const Partition &From) {
  for (const Node *N : From.Bodies) {
    auto *F = cast<Function>(N->G);
    if (Error E = readBody(*F))
      return E;
    Here[F] = declare(*F);
  }
  // Their order is that of their places.
  for (GlobalVariable *V : P.sharedOf(From))
    materialize(V);
  for (const Node *N : From.Bodies) {
    auto *F = cast<Function>(N->G);
    auto *New = cast<Function>(Here[F]);
    for (auto [There, Argument] : zip_equal(F->args(), New->args())) {
      Argument.setName(There.getName());
      Map[&There] = &Argument;
    }
    SmallVector<ReturnInst *, 8> Returns;
    // With debug information, the list of compile units becomes longer.
    CloneFunctionInto(New, F, Map,
                      F->getSubprogram()
                          ? CloneFunctionChangeType::DifferentModule
                          : CloneFunctionChangeType::ClonedModule,
                      Returns, "", nullptr, &Types, this);
    setLinkage(*New, *N, From);
  }
  return Error::success();
}

/// The definition of a variable.
void ThinProgram::Builder::takeVariable(const GlobalVariable &G) {
  auto *New =
      cast<GlobalVariable>(materialize(const_cast<GlobalVariable *>(&G)));
  New->setLinkage(P.linkageOf(G));
  if (G.hasInitializer())
    New->setInitializer(cast<Constant>(
        MapValue(G.getInitializer(), Map, RF_None, &Types, this)));
  New->copyMetadata(&G, /*Offset=*/0);
  New->eraseMetadata(LLVMContext::MD_dbg); // of a compile unit elsewhere
}

Expected<std::unique_ptr<Module>>
ThinProgram::finish(std::unique_ptr<Module> Part) const {
  std::string Fault;
  raw_string_ostream OS(Fault);
  if (verifyModule(*Part, &OS))
    return createStringError("invalid LLVM bitcode: " + Fault);
  if (Error E = prepareModule(*Part, Own))
    return std::move(E);
  if (Own.Relocatable) {
    describeLinkedSymbols(*Part);
    setRelocatable(*Part);
  }
  return Part;
}

Expected<std::unique_ptr<Module>> ThinProgram::extract(size_t I) {
  const Partition &P = Partitions[I];
  Builder B(*this);
  if (Error E = B.takeBodies(P))
    return std::move(E);
  if (P.KnowsTargets && !isClosed())
    passes::setTargetsKnown(*B.Part);
  renameSharedVariables(*B.Part);
  return finish(std::move(B.Part));
}

Expected<std::unique_ptr<Module>> ThinProgram::variables() {
  Builder B(*this);
  for (const Node &N : Index.nodes())
    if (const auto *V = dyn_cast<GlobalVariable>(N.G);
        V && Live.contains(&N) &&
        (V->getAddressSpace() != addrspace::Shared || CommonShared.contains(V)))
      B.takeVariable(*V);
  keepVariables(*B.Part);
  return finish(std::move(B.Part));
}

} // namespace heddle::compiler
