//===- NativeTranslator.cpp - Kernels as code of the host -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit at a time. What cannot be translated is emulated.
//
//===----------------------------------------------------------------------===//

#include "NativeTranslator.h"
#include "HostCompiler.h"
#include "Lowering.h"
#include "TimeSlices.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

namespace {

/// Units of more instructions take longer to translate than they save.
constexpr size_t MostInstructions = 20000;

class NativeTranslator : public Translator {
public:
  NativeTranslator(std::unique_ptr<HostCompiler> Host, const WarpLayout &Layout,
                   std::shared_ptr<ObjectStore> Store)
      : Host(std::move(Host)), Layout(Layout), Store(std::move(Store)) {}

  std::shared_ptr<const TranslatedCode> translate(const CodeImage &Image,
                                                  uint32_t Entry) override;

private:
  Expected<std::shared_ptr<const TranslatedCode>>
  tryTranslate(const CodeImage &Image, uint32_t Entry);

  Expected<std::unique_ptr<MemoryBuffer>> objectOf(Module &M);

  std::unique_ptr<HostCompiler> Host;
  const WarpLayout Layout;
  const std::shared_ptr<ObjectStore> Store; ///< Or null.
};

} // namespace

/// What the emulator asks for: the numbers of the entries.
static std::shared_ptr<TranslatedCode> describe(const Unit &U) {
  auto Code = std::make_shared<TranslatedCode>();
  Code->First = U.Blocks.begin()->first;
  Code->Entries.assign(U.Blocks.rbegin()->first - Code->First + 1,
                       TranslatedCode::NoEntry);
  Code->Turns.resize(Code->Entries.size());
  for (const auto &[First, B] : U.Blocks) {
    Code->Entries[First - Code->First] = B.Entry;
    if (B.EndsTurn)
      Code->Turns[First - FirstSlice - Code->First] = true;
  }
  Code->ReadFirst = U.readFirst();
  Code->BeginsWarps = U.isAlone();
  return Code;
}

/// All that the object depends on: the code, in which the microcode and the
/// layout of warps are, and the host.
static std::string keyOf(const Module &M, const std::string &Host) {
  std::string Key = Host + '\n';
  raw_string_ostream OS(Key);
  WriteBitcodeToFile(M, OS);
  return Key;
}

/// What the store has of \p M, or else a new object.
Expected<std::unique_ptr<MemoryBuffer>> NativeTranslator::objectOf(Module &M) {
  if (!Store)
    return Host->compile(M);
  std::string Key = keyOf(M, Host->hostDescription());
  if (std::optional<std::string> Found = Store->find(Key))
    return MemoryBuffer::getMemBufferCopy(*Found);
  auto Object = Host->compile(M);
  if (Object)
    Store->insert(Key, (*Object)->getBuffer().str());
  return Object;
}

Expected<std::shared_ptr<const TranslatedCode>>
NativeTranslator::tryTranslate(const CodeImage &Image, uint32_t Entry) {
  Unit U(Image, Entry);
  size_t Count = 0;
  for (const auto &[First, B] : U.Blocks)
    Count += B.Last - First + 1;
  if (U.NumEntries == 0 || Count > MostInstructions)
    return nullptr;
  LLVMContext C;
  Module M("unit", C);
  std::vector<CountedStretch> Stretches =
      Lowering(U, Layout, Host->features(), M).run("run");
  auto Object = objectOf(M);
  if (!Object)
    return Object.takeError();
  auto Address = Host->load(std::move(*Object), "run");
  if (!Address)
    return Address.takeError();
  std::shared_ptr<TranslatedCode> Code = describe(U);
  Code->Stretches = std::move(Stretches);
  Code->Run = reinterpret_cast<decltype(Code->Run)>(*Address);
  return Code;
}

std::shared_ptr<const TranslatedCode>
NativeTranslator::translate(const CodeImage &Image, uint32_t Entry) {
  auto Code = tryTranslate(Image, Entry);
  if (Code)
    return *Code;
  errs() << "heddle: a kernel is emulated: " << toString(Code.takeError())
         << "\n";
  return nullptr;
}

Translator *createTranslator(const WarpLayout &Layout,
                             const std::string &Processor,
                             std::shared_ptr<ObjectStore> Store,
                             std::string &Message) {
  auto Host = HostCompiler::create(Processor);
  if (!Host) {
    Message = toString(Host.takeError());
    return nullptr;
  }
  return new NativeTranslator(std::move(*Host), Layout, std::move(Store));
}

} // namespace heddle::native
