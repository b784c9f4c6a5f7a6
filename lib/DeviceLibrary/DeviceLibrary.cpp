//===- DeviceLibrary.cpp - Links the device library -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies what a module needs of the embedded bitcode, of which only those
// functions are read.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace heddle;
using namespace llvm;

namespace {

/// Where a function's bitcode is.
struct Part {
  StringLiteral Name;
  unsigned Offset, Size;
};

} // namespace

static constexpr unsigned char Bitcode[] = {
#include "heddle/DeviceLibrary/DeviceLibrary.inc"
};

/// In the order of names.
static constexpr Part Parts[] = {
#include "heddle/DeviceLibrary/DeviceLibraryFunctions.inc"
};

/// Null if the library has no such function.
static const Part *findPart(StringRef Name) {
  const Part *It = lower_bound(
      Parts, Name, [](const Part &P, StringRef Name) { return P.Name < Name; });
  return It != std::end(Parts) && It->Name == Name ? It : nullptr;
}

bool DeviceLibrary::defines(StringRef Name) { return findPart(Name); }

bool DeviceLibrary::isNeededBy(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && !F.isIntrinsic() && !F.use_empty() &&
           findPart(F.getName());
  });
}

DeviceLibrary::DeviceLibrary(LLVMContext &Context) : Context(Context) {}
DeviceLibrary::~DeviceLibrary() = default;

static Expected<std::unique_ptr<Module>> read(const Part &P,
                                              LLVMContext &Context) {
  StringRef Bytes(reinterpret_cast<const char *>(Bitcode) + P.Offset, P.Size);
  Expected<std::unique_ptr<Module>> M =
      getLazyBitcodeModule(MemoryBufferRef(Bytes, "device library"), Context);
  if (!M)
    return M.takeError();
  if (Error E = (*M)->materializeMetadata())
    return std::move(E);
  bool HasOnlyTables = all_of((*M)->globals(), [](const GlobalVariable &G) {
    return G.isConstant() && G.hasInitializer() && G.hasLocalLinkage();
  });
  if (!HasOnlyTables || !(*M)->alias_empty())
    return createStringError("the device library has variables");
  if (Error E = (*M)->getFunction(P.Name)->materialize())
    return std::move(E);
  return M;
}

/// A function with its body; null if the library has none of that name.
Expected<const Function *> DeviceLibrary::find(StringRef Name) {
  const Part *P = findPart(Name);
  if (!P)
    return nullptr;
  std::unique_ptr<Module> &M = Modules[Name];
  if (!M) {
    Expected<std::unique_ptr<Module>> Read = read(*P, Context);
    if (!Read)
      return Read.takeError();
    M = std::move(*Read);
  }
  return M->getFunction(Name);
}

/// Makes a function of the library one of the module's own: not visible
/// outside, and without what clang says of the machine that it compiled for.
static void adopt(Function &F) {
  F.setLinkage(GlobalValue::InternalLinkage);
  F.setDSOLocal(true);
  for (StringRef Attribute : {"target-cpu", "target-features", "tune-cpu"})
    F.removeFnAttr(Attribute);
}

namespace {

/// Brings into a module what a function copied into it names.
class Declarer : public ValueMaterializer {
public:
  explicit Declarer(Module &M) : M(M) {}
  Value *materialize(Value *V) override {
    if (auto *F = dyn_cast<Function>(V))
      return declare(*F);
    auto *G = dyn_cast<GlobalVariable>(V);
    return G ? copy(*G) : nullptr;
  }
  std::vector<Function *> Declared;

private:
  Function *declare(const Function &F) {
    Function *Here = M.getFunction(F.getName());
    if (!Here) {
      Here =
          Function::Create(F.getFunctionType(), F.getLinkage(), F.getName(), M);
      Here->copyAttributesFrom(&F);
      Declared.push_back(Here);
    }
    return Here;
  }
  /// A table of constants.
  GlobalVariable *copy(const GlobalVariable &G) {
    GlobalVariable *&Here = Tables[G.getName()];
    if (!Here) {
      Here = new GlobalVariable(M, G.getValueType(), /*isConstant=*/true,
                                G.getLinkage(), nullptr, G.getName(), nullptr,
                                G.getThreadLocalMode(), G.getAddressSpace());
      Here->copyAttributesFrom(&G);
      ValueToValueMapTy Map;
      Here->setInitializer(
          MapValue(G.getInitializer(), Map, RF_None, nullptr, this));
    }
    return Here;
  }

  Module &M;
  /// By name: each function's bitcode has tables of its own.
  StringMap<GlobalVariable *> Tables;
};

} // namespace

/// Gives the declaration To the body of From.
static void copyFunction(Function &To, const Function &From,
                         Declarer &Declare) {
  ValueToValueMapTy Map;
  for (auto [There, Here] : zip_equal(From.args(), To.args())) {
    Here.setName(There.getName());
    Map[&There] = &Here;
  }
  SmallVector<ReturnInst *, 8> Returns;
  AttributeList Declared = To.getAttributes();
  To.copyAttributesFrom(&From);
  CloneFunctionInto(&To, &From, Map, CloneFunctionChangeType::ClonedModule,
                    Returns, "", nullptr, nullptr, &Declare);
  // A structure is passed as its callers pass it.
  for (Argument &A : To.args())
    if (Type *Structure = Declared.getParamByValType(A.getArgNo())) {
      A.addAttr(Attribute::getWithByValType(To.getContext(), Structure));
      if (MaybeAlign Align = Declared.getParamAlignment(A.getArgNo()))
        A.addAttr(Attribute::getWithAlignment(To.getContext(), *Align));
    }
  adopt(To);
}

/// The bodies were compiled for another target; what they say holds for ours,
/// too, as they use memory only through what they are given.
Error DeviceLibrary::linkInto(Module &M) {
  Declarer Declare(M);
  for (Function &F : M)
    if (F.isDeclaration() && !F.use_empty())
      Declare.Declared.push_back(&F);
  // What is copied may add to the list.
  for (size_t I = 0; I != Declare.Declared.size(); ++I) {
    Function &Here = *Declare.Declared[I];
    Expected<const Function *> There = find(Here.getName());
    if (!There)
      return There.takeError();
    if (!*There)
      continue;
    if ((*There)->getFunctionType() != Here.getFunctionType())
      return createStringError("'" + Here.getName() +
                               "' is declared unlike in the device library");
    copyFunction(Here, **There, Declare);
  }
  return Error::success();
}

Error heddle::linkDeviceLibrary(Module &M) {
  if (!DeviceLibrary::isNeededBy(M))
    return Error::success();
  return DeviceLibrary(M.getContext()).linkInto(M);
}
