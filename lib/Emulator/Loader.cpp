//===- Loader.cpp - From code objects to code that can run ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows docs/object-format.md. ObjectFile has checked all offsets and
// indices.
//
//===----------------------------------------------------------------------===//

#include "Loader.h"
#include "Code/FunctionEntries.h"
#include "Code/LateCode.h"
#include "heddle/ISA/LaunchConstants.h"
#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <limits>

using namespace llvm;

namespace heddle::emu {

namespace {

/// Code of so many bytes is decoded late: there are some 100,000 instructions,
/// which take about 15 times as much when they are decoded.
constexpr uint64_t LateBytes = 1 << 20;

/// Managed memory begins at a page of its own.
constexpr uint64_t ManagedAlign = 4096;

Error makeError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

rt::Dim3 toDim3(const Extents &E) { return {E.X, E.Y, E.Z}; }

rt::KernelInfo toKernelInfo(const KernelMetadata &M) {
  rt::KernelInfo Info;
  Info.Name = M.Name;
  for (const ParamMetadata &P : M.Params)
    Info.Params.push_back({P.Name, P.Offset, P.Size, P.Align, P.Type});
  Info.ParamBytes = M.ParamBytes;
  Info.SharedBytes = M.SharedBytes;
  Info.LocalBytes = M.LocalBytes;
  Info.SpillStoreBytes = M.SpillStoreBytes;
  Info.SpillLoadBytes = M.SpillLoadBytes;
  Info.DynamicStack = M.DynamicStack;
  Info.Registers = M.Registers;
  Info.UniformRegisters = M.UniformRegisters;
  if (M.MaxBlock)
    Info.MaxBlock = toDim3(*M.MaxBlock);
  if (M.RequiredBlock)
    Info.RequiredBlock = toDim3(*M.RequiredBlock);
  Info.MaxRegisters = M.MaxRegisters;
  if (M.RequiredCluster)
    Info.RequiredCluster = toDim3(*M.RequiredCluster);
  Info.MaxClusterRank = M.MaxClusterRank;
  Info.ExplicitCluster = M.ExplicitCluster.value_or(false);
  Info.MergedCTAs = std::max(M.MergedCTAs.value_or(1), 1u);
  return Info;
}

class Loader {
public:
  Loader(const ObjectFile &Object, const isa::ChipInfo &Chip,
         DeviceMemory &Memory, LoadedCode &Code, HostVectors Vectors,
         LoadPurpose Purpose)
      : Object(Object), Chip(Chip), Memory(Memory), Code(Code),
        Vectors(Vectors), Variables(Purpose.Replaces), Shares(Purpose.Managed),
        IsReplaceable(Purpose.IsReplaceable),
        Elsewhere(Object.symbols().size()),
        Addresses(Object.sections().size(), 0),
        IsNeeded(Object.sections().size(), true) {}

  Error load();

private:
  Error findVariables();
  void findNeededSections();
  Error placeCode();
  Error placeFunctions();
  Error pointToFunctions(ArrayRef<uint32_t> Taken);
  Error placeFunctionTable();
  Error placeGlobals();
  Error shareManaged(uint64_t Size);
  Error placeConstants();
  Error placeShared();
  void beginDecoding();
  Error decodeCode();
  Error fillData();
  void addKernels();
  void addSymbols();
  Error relocate(uint32_t Section, MutableArrayRef<uint8_t> Bytes);
  bool isKernelSection(uint32_t Section) const;
  bool usesDynamicShared(uint32_t Section) const;
  bool functionsUseDynamicShared() const;

  const ObjectFile &Object;
  const isa::ChipInfo &Chip;
  DeviceMemory &Memory;
  LoadedCode &Code;
  HostVectors Vectors;
  const LoadedCode *Variables; ///< Which has those of the object; or null.
  const LoadedCode *Shares;    ///< Which has its managed ones; or null.
  bool IsReplaceable;
  uint64_t CodeEnd = 0; ///< Behind the code.
  /// By symbol, where a variable of Variables is, or where pointers to a
  /// function lead, unless that is its own code.
  std::vector<std::optional<uint64_t>> Elsewhere;
  std::vector<uint64_t> Addresses; ///< By section.
  std::vector<bool> IsNeeded;      ///< By section of data: whether to load it.
  std::vector<uint32_t> TextSections; ///< In the order of the image.
  std::vector<std::pair<uint32_t, Allocation *>> GlobalSections;
  std::vector<uint32_t> DynamicStart; ///< Of shared memory, by kernel.
  uint32_t ModuleDynamicStart = 0;
};

Error Loader::load() {
  if (Object.metadata().Chip != Chip.Name)
    return makeError("the code object is for the chip '" +
                     Object.metadata().Chip + "', not for '" +
                     Twine(StringRef(Chip.Name.data(), Chip.Name.size())) +
                     "'");
  for (auto Step :
       {&Loader::findVariables, &Loader::placeCode, &Loader::placeFunctions,
        &Loader::placeFunctionTable, &Loader::placeGlobals,
        &Loader::placeConstants, &Loader::placeShared, &Loader::decodeCode,
        &Loader::fillData})
    if (Error E = (this->*Step)())
      return E;
  addKernels();
  addSymbols();
  return Error::success();
}

/// The variables that exist already.
Error Loader::findVariables() {
  if (!Variables)
    return Error::success();
  StringMap<const rt::SymbolInfo *> Known;
  for (const rt::SymbolInfo &V : Variables->Symbols)
    Known[V.Name] = &V;
  for (auto [Index, S] : enumerate(Object.symbols())) {
    if (!S.Section || S.Type != Symbol::TypeKind::Object)
      continue;
    LoadKind Kind = Object.sections()[*S.Section].Kind;
    if (Kind != LoadKind::Global && Kind != LoadKind::Constant)
      continue;
    auto It = Known.find(S.Name);
    bool IsConstant = Kind == LoadKind::Constant;
    if (It == Known.end() || It->second->Size != S.Size ||
        IsConstant !=
            (It->second->Space == rt::SymbolInfo::SpaceKind::Constant))
      return makeError("the module that is replaced has no variable '" +
                       S.Name + "' of " + Twine(S.Size) + " bytes");
    Elsewhere[Index] =
        It->second->Address - (IsConstant ? Variables->Constants->Base : 0);
  }
  Code.Symbols = Variables->Symbols;
  Code.Constants = Variables->Constants;
  findNeededSections();
  return Error::success();
}

/// Of data, only what code or needed data refers to and is not elsewhere, such
/// as tables that the compiler made.
void Loader::findNeededSections() {
  auto IsData = [&](uint32_t Section) {
    LoadKind Kind = Object.sections()[Section].Kind;
    return Kind == LoadKind::Global || Kind == LoadKind::Constant;
  };
  for (auto [Index, Section] : enumerate(Object.sections()))
    IsNeeded[Index] = !IsData(Index);
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (auto [Index, Section] : enumerate(Object.sections())) {
      if (!IsNeeded[Index])
        continue;
      for (const Relocation &R : Object.relocations(Index)) {
        const Symbol &S = Object.symbols()[R.Symbol];
        if (Elsewhere[R.Symbol] || !S.Section || IsNeeded[*S.Section])
          continue;
        IsNeeded[*S.Section] = Changed = true;
      }
    }
  }
}

Error Loader::placeCode() {
  uint64_t Address = Code.Image.Base;
  for (auto [Index, Section] : enumerate(Object.sections())) {
    if (Section.Kind != LoadKind::Text)
      continue;
    if (Section.Size % isa::CompactBytes ||
        Section.Contents.size() != Section.Size)
      return makeError("section '" + Section.Name +
                       "': its size is no multiple of an instruction's");
    TextSections.push_back(Index);
    Addresses[Index] = Address;
    Address += sectionSpace(Section.Size, Chip);
  }
  if (Address - Code.Image.Base > std::numeric_limits<int32_t>::max())
    return makeError("the code is too large");
  CodeEnd = Address;
  return Error::success();
}

/// Decides what pointers to functions hold.
Error Loader::placeFunctions() {
  std::vector<uint32_t> Taken = Object.addressTakenFunctions();
  if (Variables) {
    Code.Functions = Variables->Functions;
    Code.EntryBase = Variables->EntryBase;
    for (LoadedFunction &F : Code.Functions)
      F.Code = 0;
    return pointToFunctions(Taken);
  }
  if (IsReplaceable && !Taken.empty())
    Code.EntryBase = CodeEnd;
  for (auto [N, Section] : enumerate(Taken)) {
    uint64_t Pointer = Code.EntryBase ? Code.EntryBase + N * FunctionEntryBytes
                                      : Addresses[Section];
    Code.Functions.push_back(
        {Object.sections()[Section].Name.str(), Pointer, Addresses[Section]});
  }
  return Code.EntryBase ? pointToFunctions(Taken) : Error::success();
}

/// Has the addresses of functions stand for what Code.Functions says.
Error Loader::pointToFunctions(ArrayRef<uint32_t> Taken) {
  StringMap<LoadedFunction *> Known;
  for (LoadedFunction &F : Code.Functions)
    if (!Known.try_emplace(F.Section, &F).second)
      return makeError("there are two sections '" + F.Section +
                       "', whose functions have one name");
  std::vector<LoadedFunction *> Of(Object.sections().size());
  for (uint32_t Section : Taken) {
    Of[Section] = Known.lookup(Object.sections()[Section].Name);
    if (Of[Section])
      Of[Section]->Code = Addresses[Section];
  }
  for (auto [Index, S] : enumerate(Object.symbols()))
    if (S.Section && Of[*S.Section])
      Elsewhere[Index] = Of[*S.Section]->Pointer + S.Value;
  return Error::success();
}

/// Where the entries of functions go in launches of this code.
Error Loader::placeFunctionTable() {
  if (!Code.EntryBase)
    return Error::success();
  constexpr uint64_t Bytes = sizeof(uint64_t);
  Code.FunctionTable = Memory.allocate(Code.Functions.size() * Bytes, 256);
  if (!Code.FunctionTable)
    return makeError("out of memory for the addresses of functions");
  Code.Blocks.push_back(Code.FunctionTable);
  for (auto [N, F] : enumerate(Code.Functions))
    support::endian::write64le(Code.FunctionTable->Host + N * Bytes, F.Code);
  return Error::success();
}

/// The managed variables of the same code on another device.
Error Loader::shareManaged(uint64_t Size) {
  Code.Managed = Shares->Managed;
  if (Code.Managed && Code.Managed->allocation().Size == Size)
    return Error::success();
  return makeError("the managed variables of the other device's code are not "
                   "those of this code");
}

Error Loader::placeGlobals() {
  for (auto [Index, Section] : enumerate(Object.sections())) {
    if (Section.Kind != LoadKind::Global || !IsNeeded[Index])
      continue;
    bool IsManaged = Section.Name == ManagedSectionName;
    if (Shares && IsManaged) {
      if (Error E = shareManaged(Section.Size))
        return E;
      Addresses[Index] = Code.Managed->allocation().Base;
      continue; // They have their values.
    }
    if (IsManaged)
      Code.Managed =
          SharedBlock::create(Memory.space(), Section.Size,
                              std::max<uint64_t>(Section.Align, ManagedAlign));
    Allocation *A = !IsManaged ? Memory.allocate(Section.Size, Section.Align)
                    : Code.Managed ? &Code.Managed->allocation()
                                   : nullptr;
    if (!A)
      return makeError("section '" + Section.Name + "': out of memory");
    if (!A->IsMapped)
      Code.Blocks.push_back(A);
    GlobalSections.push_back({static_cast<uint32_t>(Index), A});
    Addresses[Index] = A->Base;
  }
  return Error::success();
}

Error Loader::placeConstants() {
  uint64_t Size = 0;
  for (auto [Index, Section] : enumerate(Object.sections()))
    if (Section.Kind == LoadKind::Constant && IsNeeded[Index]) {
      Addresses[Index] = alignTo(Size, Section.Align);
      Size = Addresses[Index] + Section.Size;
    }
  if (Size == 0)
    return Error::success();
  // A launch has one bank, and that is the other module's.
  if (Variables)
    return makeError("the code has constants of its own");
  Code.Constants = Memory.allocate(Size, 256);
  if (!Code.Constants)
    return makeError("out of memory for constants");
  Code.Blocks.push_back(Code.Constants);
  return Error::success();
}

/// Static shared memory: what all kernels share, then each kernel's own.
Error Loader::placeShared() {
  uint64_t Common = 0;
  for (auto [Index, Section] : enumerate(Object.sections()))
    if (Section.Kind == LoadKind::Shared && Section.Name == ".shared") {
      Addresses[Index] = alignTo(Common, Section.Align);
      Common = Addresses[Index] + Section.Size;
    }
  for (const Kernel &K : Object.kernels()) {
    uint64_t Size = Common;
    std::string Own = ".shared." + K.Metadata->Name;
    for (auto [Index, Section] : enumerate(Object.sections()))
      if (Section.Kind == LoadKind::Shared && Section.Name == Own) {
        Addresses[Index] = alignTo(Size, Section.Align);
        Size = Addresses[Index] + Section.Size;
      }
    if (Size > std::numeric_limits<int32_t>::max())
      return makeError("kernel '" + K.Metadata->Name +
                       "' has too much shared memory");
    Code.SharedBytes.push_back(
        std::max<uint32_t>(Size, K.Metadata->SharedBytes));
    DynamicStart.push_back(
        alignTo(Code.SharedBytes.back(), LinkedDynamicAlignment));
    if (usesDynamicShared(K.Section))
      Code.SharedBytes.back() = DynamicStart.back();
    ModuleDynamicStart = std::max(ModuleDynamicStart, DynamicStart.back());
  }
  // A function serves several kernels: all must have it at the same place.
  if (functionsUseDynamicShared())
    for (size_t N = 0; N < DynamicStart.size(); ++N)
      Code.SharedBytes[N] = DynamicStart[N] = ModuleDynamicStart;
  return Error::success();
}

bool Loader::isKernelSection(uint32_t Section) const {
  for (const Kernel &K : Object.kernels())
    if (K.Section == Section)
      return true;
  return false;
}

bool Loader::usesDynamicShared(uint32_t Section) const {
  return any_of(Object.relocations(Section), [&](const Relocation &R) {
    return R.Type == RelocationType::R_HEDDLE_SHARED32 &&
           Object.symbols()[R.Symbol].isUndefined();
  });
}

bool Loader::functionsUseDynamicShared() const {
  for (auto [Index, Section] : enumerate(Object.sections()))
    if (!isKernelSection(Index) && usesDynamicShared(Index))
      return true;
  return false;
}

Error Loader::relocate(uint32_t Section, MutableArrayRef<uint8_t> Bytes) {
  uint32_t Dynamic = ModuleDynamicStart;
  for (auto [N, K] : enumerate(Object.kernels()))
    if (K.Section == Section)
      Dynamic = DynamicStart[N];
  return Object.relocate(
      Section, Addresses, Bytes,
      [&](const Symbol &, const Relocation &R) -> std::optional<uint64_t> {
        if (R.Type == RelocationType::R_HEDDLE_SHARED32)
          return Dynamic;
        return std::nullopt;
      },
      Elsewhere);
}

/// Has a large program's sections decoded when they are reached. Until then
/// nobody knows which registers they name, and whether they print.
void Loader::beginDecoding() {
  // An entry is two instructions.
  size_t Count = Code.EntryBase ? 2 * Code.Functions.size() + 1 : 0;
  for (uint32_t Index : TextSections)
    Count += countInstructions(Object.sections()[Index].Contents);
  Code.Image.reserve(Count);
  if (CodeEnd - Code.Image.Base < LateBytes)
    return;
  Code.Image.Late = std::make_shared<LateCode>(Code.Image, Chip, Vectors);
  Code.Image.Used = {ZeroRow, UniformZeroRow, NumConvergence};
  Code.Image.Prints = true;
}

Error Loader::decodeCode() {
  beginDecoding();
  for (uint32_t Index : TextSections) {
    const Section &S = Object.sections()[Index];
    std::vector<uint8_t> Bytes(S.Contents.begin(), S.Contents.end());
    if (Error E = relocate(Index, Bytes))
      return E;
    if (Code.Image.Late)
      Code.Image.Late->add(S.Name.str(), std::move(Bytes));
    else
      decodeSection(Code.Image, S.Name.str(), Bytes, Chip, Vectors);
    Code.Image.Sections.back().ObjectSection = Index;
  }
  if (Code.EntryBase) {
    beginEntries(Code.Image, Code.EntryBase);
    decodeSection(Code.Image, "entries of functions",
                  encodeFunctionEntries(Code.Functions.size()), Chip, Vectors);
  }
  resolveTargets(Code.Image);
  if (Error E = Code.Probes.load(Object, Addresses, Code.Image))
    return E;
  Expected<LineTable> Lines = LineTable::create(Object);
  if (!Lines)
    return Lines.takeError();
  Code.Lines = std::move(*Lines);
  return Error::success();
}

Error Loader::fillData() {
  auto Fill = [&](uint32_t Index, uint8_t *Host) -> Error {
    const Section &S = Object.sections()[Index];
    std::memset(Host, 0, S.Size);
    if (S.Contents.empty())
      return Error::success();
    std::memcpy(Host, S.Contents.data(), S.Contents.size());
    return relocate(Index, {Host, S.Contents.size()});
  };
  for (auto [Index, A] : GlobalSections)
    if (Error E = Fill(Index, A->Host))
      return E;
  for (auto [Index, Section] : enumerate(Object.sections()))
    if (Section.Kind == LoadKind::Constant && Section.Size && IsNeeded[Index])
      if (Error E = Fill(Index, Code.Constants->Host + Addresses[Index]))
        return E;
  return Error::success();
}

void Loader::addKernels() {
  for (const Kernel &K : Object.kernels()) {
    rt::KernelInfo Info = toKernelInfo(*K.Metadata);
    Info.CodeBytes = Object.sections()[K.Section].Size;
    if (Code.EntryBase && Info.DynamicStack)
      Info.Registers = std::max(Info.Registers, isa::EntryRegister + 2);
    Code.Kernels.push_back(std::move(Info));
    Code.Entries.push_back(Code.Image.indexOf(
        Addresses[K.Section] + Object.symbols()[K.Symbol].Value));
  }
}

void Loader::addSymbols() {
  if (Variables)
    return; // as findVariables says
  for (const Symbol &S : Object.symbols()) {
    if (!S.Section || S.Type != Symbol::TypeKind::Object)
      continue;
    LoadKind Kind = Object.sections()[*S.Section].Kind;
    rt::SymbolInfo Info;
    Info.Name = S.Name.str();
    Info.Address = Addresses[*S.Section] + S.Value;
    Info.Size = S.Size;
    StringRef Section = Object.sections()[*S.Section].Name;
    Info.IsManaged = Section == ManagedSectionName;
    if (Section == SamplerSectionName)
      Code.Samplers.push_back(Info.Address);
    if (Kind == LoadKind::Constant) {
      Info.Space = rt::SymbolInfo::SpaceKind::Constant;
      Info.Address += Code.Constants ? Code.Constants->Base : 0;
    } else if (Kind != LoadKind::Global) {
      continue;
    }
    Code.Symbols.push_back(std::move(Info));
  }
}

} // namespace

void unload(LoadedCode &Code, DeviceMemory &Memory) {
  for (Allocation *A : Code.Blocks)
    Memory.release(A);
  Code.Blocks.clear();
  Code.Managed.reset();
}

Expected<std::unique_ptr<LoadedCode>>
loadCodeObject(ArrayRef<uint8_t> Bytes, const isa::ChipInfo &Chip,
               DeviceMemory &Memory, uint64_t CodeBase, HostVectors Vectors,
               LoadPurpose Purpose) {
  Expected<ObjectFile> Object = ObjectFile::create(Bytes);
  if (!Object)
    return Object.takeError();
  auto Code = std::make_unique<LoadedCode>();
  Code->Image.Base = CodeBase;
  if (Error E = Loader(*Object, Chip, Memory, *Code, Vectors, Purpose).load()) {
    unload(*Code, Memory);
    return std::move(E);
  }
  return std::move(Code);
}

} // namespace heddle::emu
