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
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace heddle;
using namespace llvm;

static constexpr unsigned char Bitcode[] = {
#include "heddle/DeviceLibrary/DeviceLibrary.inc"
};

static Expected<std::unique_ptr<Module>> readLibrary(LLVMContext &Context) {
  StringRef Bytes(reinterpret_cast<const char *>(Bitcode), sizeof(Bitcode));
  return getLazyBitcodeModule(MemoryBufferRef(Bytes, "device library"),
                              Context);
}

/// The names that the library defines. Most modules need none of them, and
/// reading the library to find that out would take longer than compiling a
/// small kernel.
static const StringSet<> &definedNames() {
  static const StringSet<> Names = [] {
    LLVMContext Context;
    std::unique_ptr<Module> Library = cantFail(readLibrary(Context));
    StringSet<> Result;
    for (const Function &F : *Library)
      if (!F.isDeclaration())
        Result.insert(F.getName());
    return Result;
  }();
  return Names;
}

bool DeviceLibrary::isNeededBy(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.isDeclaration() && !F.isIntrinsic() && !F.use_empty() &&
           definedNames().contains(F.getName());
  });
}

DeviceLibrary::DeviceLibrary(std::unique_ptr<Module> Functions)
    : Functions(std::move(Functions)) {}
DeviceLibrary::DeviceLibrary(DeviceLibrary &&) noexcept = default;
DeviceLibrary::~DeviceLibrary() = default;

Expected<DeviceLibrary> DeviceLibrary::load(LLVMContext &Context) {
  Expected<std::unique_ptr<Module>> Library = readLibrary(Context);
  if (!Library)
    return Library.takeError();
  if (Error E = (*Library)->materializeMetadata())
    return std::move(E);
  bool HasOnlyTables =
      all_of((*Library)->globals(), [](const GlobalVariable &G) {
        return G.isConstant() && G.hasInitializer() && G.hasLocalLinkage();
      });
  if (!HasOnlyTables || !(*Library)->alias_empty())
    return createStringError("the device library has variables");
  return DeviceLibrary(std::move(*Library));
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
    GlobalVariable *&Here = Tables[&G];
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
  DenseMap<const GlobalVariable *, GlobalVariable *> Tables;
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
  To.copyAttributesFrom(&From);
  CloneFunctionInto(&To, &From, Map, CloneFunctionChangeType::ClonedModule,
                    Returns, "", nullptr, nullptr, &Declare);
  adopt(To);
}

/// The bodies were compiled for another target; what they say holds for ours,
/// too, as they use no memory.
Error DeviceLibrary::linkInto(Module &M) const {
  Declarer Declare(M);
  for (Function &F : M)
    if (F.isDeclaration() && !F.use_empty())
      Declare.Declared.push_back(&F);
  // What is copied may add to the list.
  for (size_t I = 0; I != Declare.Declared.size(); ++I) {
    Function &Here = *Declare.Declared[I];
    Function *There = Functions->getFunction(Here.getName());
    if (!There || There->isDeclaration())
      continue;
    if (There->getFunctionType() != Here.getFunctionType())
      return createStringError("'" + Here.getName() +
                               "' is declared unlike in the device library");
    if (Error E = There->materialize())
      return E;
    copyFunction(Here, *There, Declare);
  }
  return Error::success();
}

Error heddle::linkDeviceLibrary(Module &M) {
  if (!DeviceLibrary::isNeededBy(M))
    return Error::success();
  Expected<DeviceLibrary> Library = DeviceLibrary::load(M.getContext());
  return Library ? Library->linkInto(M) : Library.takeError();
}
