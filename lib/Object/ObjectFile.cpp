//===- ObjectFile.cpp - Reader of code objects ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a code object from the outside in: header, section table, symbols,
// relocations, metadata, kernels. Each step relies only on what the steps
// before it have checked.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace llvm;

using ELFT = object::ELF64LE;

namespace {

/// The field that a relocation of a type fills.
struct RelocationField {
  StringRef Name;
  uint64_t Offset;
  uint64_t Size;
  enum ValueKind { None, Absolute, PCRelative, Constant, Shared } Value;
};

} // namespace

/// Null for a type that does not exist.
static const RelocationField *relocationField(uint32_t Type) {
  static const RelocationField Fields[] = {
#define HEDDLE_RELOCATION(Name, Number, FieldOffset, FieldSize, Value)         \
  {#Name, FieldOffset, FieldSize, RelocationField::Value},
#include "heddle/Object/Relocations.def"
  };
  switch (static_cast<RelocationType>(Type)) {
#define HEDDLE_RELOCATION(Name, Number, FieldOffset, FieldSize, Value)         \
  case RelocationType::Name:                                                   \
    static_assert(Number < std::size(Fields),                                  \
                  "numbers are the table's order");                            \
    return &Fields[Number];
#include "heddle/Object/Relocations.def"
  }
  return nullptr;
}

StringRef heddle::relocationName(RelocationType Type) {
  const RelocationField *Field = relocationField(static_cast<uint32_t>(Type));
  return Field ? Field->Name : StringRef();
}

static std::string hex(uint64_t Value) { return "0x" + utohexstr(Value); }

/// Whether \p Name is \p Prefix or starts with it and a dot.
static bool isSectionOf(StringRef Name, StringRef Prefix) {
  return Name.consume_front(Prefix) && (Name.empty() || Name.front() == '.');
}

//===----------------------------------------------------------------------===//
// ObjectReader
//===----------------------------------------------------------------------===//

namespace heddle {

/// Fills an ObjectFile.
class ObjectReader {
public:
  explicit ObjectReader(ArrayRef<uint8_t> Bytes) : Bytes(Bytes) {}

  Expected<ObjectFile> read() {
    using Step = Error (ObjectReader::*)();
    for (Step Next :
         {&ObjectReader::readHeader, &ObjectReader::readSectionTable,
          &ObjectReader::readSections, &ObjectReader::readSymbols,
          &ObjectReader::readRelocations, &ObjectReader::readMetadata,
          &ObjectReader::readKernels})
      if (Error Err = (this->*Next)())
        return std::move(Err);
    return std::move(Object);
  }

private:
  Error readHeader();
  Error readSectionTable();
  Error readSections();
  Error readSymbols();
  Error readRelocations();
  Error readMetadata();
  Error readKernels();

  Expected<Section> readSection(uint32_t Index);
  Error checkKind(const Section &S, const Twine &Where) const;
  Expected<Symbol> readSymbol(const ELFT::Sym &Raw, StringRef Strings,
                              const Twine &Where) const;
  Error readRelocationSection(uint32_t Index);
  Expected<Relocation> readRelocation(const ELFT::Rela &Raw,
                                      uint32_t TargetIndex,
                                      const Twine &Where) const;

  static Error fail(const Twine &Message) {
    return createStringError("malformed code object: " + Message);
  }

  /// The bytes [Offset, Offset + Size) of the file.
  Expected<ArrayRef<uint8_t>> slice(uint64_t Offset, uint64_t Size,
                                    const Twine &What) const {
    if (Offset > Bytes.size() || Size > Bytes.size() - Offset)
      return fail(What + ": " + hex(Size) + " bytes at offset " + hex(Offset) +
                  " are outside the file of " + hex(Bytes.size()) + " bytes");
    return Bytes.slice(Offset, Size);
  }

  /// The contents of a section as records of one type.
  template <typename T>
  Expected<ArrayRef<T>> records(uint32_t Index, const Twine &Where) const {
    static_assert(alignof(T) == 1, "read in place, wherever it stands");
    if (RawSections[Index].sh_entsize != sizeof(T))
      return fail(Where + ": entry size is " +
                  Twine(uint64_t(RawSections[Index].sh_entsize)) + ", not " +
                  Twine(sizeof(T)));
    ArrayRef<uint8_t> Contents = Object.Sections[Index].Contents;
    if (Contents.size() % sizeof(T))
      return fail(Where + ": size is no multiple of its entry size");
    return ArrayRef(reinterpret_cast<const T *>(Contents.data()),
                    Contents.size() / sizeof(T));
  }

  /// The string at \p Offset of a string table, up to its zero byte.
  static Expected<StringRef> string(StringRef Table, uint64_t Offset,
                                    const Twine &What) {
    if (Offset >= Table.size())
      return fail(What + ": name at offset " + hex(Offset) +
                  " is outside the string table");
    size_t Length = Table.substr(Offset).find('\0');
    if (Length == StringRef::npos)
      return fail(What + ": name at offset " + hex(Offset) +
                  " has no end in the string table");
    return Table.substr(Offset, Length);
  }

  /// The contents of the string table in section \p Index.
  Expected<StringRef> stringTable(uint32_t Index, const Twine &What) const {
    if (Index >= RawSections.size())
      return fail(What + ": string table " + Twine(Index) + " does not exist");
    const ELFT::Shdr &Raw = RawSections[Index];
    if (Raw.sh_type != ELF::SHT_STRTAB)
      return fail(What + ": section " + Twine(Index) + " is no string table");
    Expected<ArrayRef<uint8_t>> Contents =
        slice(Raw.sh_offset, Raw.sh_size, What + ": string table");
    if (!Contents)
      return Contents.takeError();
    return toStringRef(*Contents);
  }

  std::string describe(uint32_t SectionIndex) const {
    return "section " + std::to_string(SectionIndex) + " '" +
           Object.Sections[SectionIndex].Name.str() + "'";
  }

  ArrayRef<uint8_t> Bytes;
  const ELFT::Ehdr *Header = nullptr;
  ArrayRef<ELFT::Shdr> RawSections;
  StringRef SectionNames;
  std::optional<uint32_t> SymbolTable; ///< Section index.
  ObjectFile Object;
};

} // namespace heddle

Error ObjectReader::readHeader() {
  if (Bytes.size() < sizeof(ELFT::Ehdr))
    return fail("no room for an ELF header in " + Twine(Bytes.size()) +
                " bytes");
  Header = reinterpret_cast<const ELFT::Ehdr *>(Bytes.data());
  if (!Header->checkMagic())
    return fail("no ELF file");
  if (Header->getFileClass() != ELF::ELFCLASS64 ||
      Header->getDataEncoding() != ELF::ELFDATA2LSB)
    return fail("not 64-bit little-endian ELF");
  if (Header->e_machine != ELFMachine)
    return fail("for machine " + hex(Header->e_machine) + ", not Heddle's " +
                hex(ELFMachine));
  if (Header->e_flags != ELFVersion)
    return fail("version " + Twine(uint32_t(Header->e_flags)) +
                "; this reader knows version " + Twine(ELFVersion));
  if (Header->e_type != ELF::ET_REL)
    return fail("ELF type " + Twine(unsigned(Header->e_type)) +
                " is not relocatable");
  if (Header->e_version != ELF::EV_CURRENT)
    return fail("ELF version " + Twine(uint32_t(Header->e_version)));
  return Error::success();
}

Error ObjectReader::readSectionTable() {
  // A count of 0 with a table means that the first section holds the count,
  // which files of over 65279 sections need.
  if (Header->e_shentsize != sizeof(ELFT::Shdr))
    return fail("section headers of " + Twine(unsigned(Header->e_shentsize)) +
                " bytes");
  Expected<ArrayRef<uint8_t>> First =
      slice(Header->e_shoff, sizeof(ELFT::Shdr), "section table");
  if (!First)
    return First.takeError();
  auto *Table = reinterpret_cast<const ELFT::Shdr *>(First->data());
  uint64_t Count =
      Header->e_shnum ? uint64_t(Header->e_shnum) : uint64_t(Table->sh_size);
  if (Count == 0 || Count > Bytes.size() / sizeof(ELFT::Shdr))
    return fail("section table: " + Twine(Count) + " sections in a file of " +
                Twine(Bytes.size()) + " bytes");
  Expected<ArrayRef<uint8_t>> All =
      slice(Header->e_shoff, Count * sizeof(ELFT::Shdr), "section table");
  if (!All)
    return All.takeError();
  RawSections = ArrayRef(Table, Count);

  uint32_t NamesIndex = Header->e_shstrndx == ELF::SHN_XINDEX
                            ? uint32_t(Table->sh_link)
                            : uint32_t(Header->e_shstrndx);
  Expected<StringRef> Names = stringTable(NamesIndex, "section names");
  if (!Names)
    return Names.takeError();
  SectionNames = *Names;
  return Error::success();
}

Error ObjectReader::readSections() {
  Object.Sections.emplace_back(); // the empty one that ELF starts with
  for (uint32_t I = 1, E = RawSections.size(); I != E; ++I) {
    Expected<Section> S = readSection(I);
    if (!S)
      return S.takeError();
    Object.Sections.push_back(*S);
    if (S->Type == ELF::SHT_SYMTAB) {
      if (SymbolTable)
        return fail(describe(I) + ": a second symbol table");
      SymbolTable = I;
    }
  }
  Object.Relocations.resize(RawSections.size());
  return Error::success();
}

static LoadKind loadKind(StringRef Name) {
  if (isSectionOf(Name, TextSectionPrefix))
    return LoadKind::Text;
  for (StringRef Prefix :
       {DataSectionPrefix, ReadOnlySectionPrefix, ZeroSectionPrefix})
    if (isSectionOf(Name, Prefix))
      return LoadKind::Global;
  if (isSectionOf(Name, ConstantSectionPrefix))
    return LoadKind::Constant;
  if (isSectionOf(Name, SharedSectionPrefix))
    return LoadKind::Shared;
  return Name.starts_with(".debug_") ? LoadKind::Debug : LoadKind::Other;
}

Expected<Section> ObjectReader::readSection(uint32_t Index) {
  const ELFT::Shdr &Raw = RawSections[Index];
  Expected<StringRef> Name =
      string(SectionNames, Raw.sh_name, "section " + Twine(Index));
  if (!Name)
    return Name.takeError();
  std::string Where = ("section " + Twine(Index) + " '" + *Name + "'").str();
  Section S;
  S.Name = *Name;
  S.Type = Raw.sh_type;
  S.Flags = Raw.sh_flags;
  S.Size = Raw.sh_size;
  S.Address = Raw.sh_addr;
  S.Align = std::max<uint64_t>(Raw.sh_addralign, 1);
  // Names mean something only where ELF's type says that there are contents.
  if (S.Type == ELF::SHT_PROGBITS || S.Type == ELF::SHT_NOBITS)
    S.Kind = loadKind(S.Name);
  if (!isPowerOf2_64(S.Align))
    return fail(Where + ": alignment " + hex(S.Align) + " is no power of two");
  if (S.Type != ELF::SHT_NOBITS) {
    Expected<ArrayRef<uint8_t>> Contents =
        slice(Raw.sh_offset, Raw.sh_size, Where);
    if (!Contents)
      return Contents.takeError();
    S.Contents = *Contents;
  }
  if (Error Err = checkKind(S, Where))
    return std::move(Err);
  return S;
}

/// What is loaded as its kind says must look like it.
Error ObjectReader::checkKind(const Section &S, const Twine &Where) const {
  bool HasContents = S.Type == ELF::SHT_PROGBITS;
  switch (S.Kind) {
  case LoadKind::Text:
    if (!HasContents)
      return fail(Where + ": code without contents");
    if (S.Size % InstructionAlign)
      return fail(Where + ": " + hex(S.Size) +
                  " bytes are no whole number of "
                  "instructions");
    return Error::success();
  case LoadKind::Constant:
  case LoadKind::Shared:
    if (S.Size > UINT32_MAX)
      return fail(Where + ": " + hex(S.Size) +
                  " bytes are over the 32-bit window");
    if (S.Kind == LoadKind::Shared && HasContents && S.Size)
      return fail(Where + ": shared memory cannot have contents");
    return Error::success();
  case LoadKind::Global:
    // Addresses have 64 bits, the windows of the other memories included.
    if (S.Size >> 48)
      return fail(Where + ": " + hex(S.Size) + " bytes are too many");
    return Error::success();
  case LoadKind::Debug:
    return HasContents ? Error::success()
                       : fail(Where + ": debug information without contents");
  case LoadKind::Other:
    if ((S.Flags & ELF::SHF_ALLOC) && S.Type != ELF::SHT_NOTE && S.Size)
      return fail(Where + ": unknown section that wants to be loaded");
    return Error::success();
  }
  return fail(Where + ": unknown kind");
}

Error ObjectReader::readSymbols() {
  Object.Symbols.emplace_back().IsAbsolute = true; // the empty one, value 0
  if (!SymbolTable)
    return Error::success();
  std::string Where = describe(*SymbolTable);
  Expected<ArrayRef<ELFT::Sym>> Raw = records<ELFT::Sym>(*SymbolTable, Where);
  if (!Raw)
    return Raw.takeError();
  Expected<StringRef> Strings =
      stringTable(RawSections[*SymbolTable].sh_link, Where);
  if (!Strings)
    return Strings.takeError();
  StringSet<> Defined;
  for (size_t I = 1; I < Raw->size(); ++I) {
    Expected<Symbol> S = readSymbol((*Raw)[I], *Strings, "symbol " + Twine(I));
    if (!S)
      return S.takeError();
    if (S->Binding != Symbol::BindingKind::Local && !S->isUndefined() &&
        !Defined.insert(S->Name).second)
      return fail("symbol '" + S->Name + "' is defined twice");
    Object.Symbols.push_back(*S);
  }
  return Error::success();
}

static std::optional<Symbol::BindingKind> symbolBinding(unsigned Binding) {
  switch (Binding) {
  case ELF::STB_LOCAL:
    return Symbol::BindingKind::Local;
  case ELF::STB_GLOBAL:
    return Symbol::BindingKind::Global;
  case ELF::STB_WEAK:
    return Symbol::BindingKind::Weak;
  default:
    return std::nullopt;
  }
}

static std::optional<Symbol::TypeKind> symbolType(unsigned Type) {
  switch (Type) {
  case ELF::STT_NOTYPE:
    return Symbol::TypeKind::None;
  case ELF::STT_OBJECT:
    return Symbol::TypeKind::Object;
  case ELF::STT_FUNC:
    return Symbol::TypeKind::Function;
  case ELF::STT_SECTION:
    return Symbol::TypeKind::Section;
  case ELF::STT_FILE:
    return Symbol::TypeKind::File;
  default:
    return std::nullopt;
  }
}

Expected<Symbol> ObjectReader::readSymbol(const ELFT::Sym &Raw,
                                          StringRef Strings,
                                          const Twine &Where) const {
  Symbol S;
  Expected<StringRef> Name = string(Strings, Raw.st_name, Where);
  if (!Name)
    return Name.takeError();
  S.Name = *Name;
  std::string Named = (Where + " '" + *Name + "'").str();
  std::optional<Symbol::BindingKind> Binding = symbolBinding(Raw.getBinding());
  std::optional<Symbol::TypeKind> Type = symbolType(Raw.getType());
  if (!Binding || !Type)
    return fail(Named + ": binding " + Twine(unsigned(Raw.getBinding())) +
                " and type " + Twine(unsigned(Raw.getType())) +
                " are not known");
  S.Binding = *Binding;
  S.Type = *Type;
  S.Value = Raw.st_value;
  S.Size = Raw.st_size;
  uint32_t Index = Raw.st_shndx;
  if (Index == ELF::SHN_ABS || S.Type == Symbol::TypeKind::File) {
    S.IsAbsolute = true;
    return S;
  }
  if (Index == ELF::SHN_UNDEF)
    return S;
  if (Index >= Object.Sections.size())
    return fail(Named + ": section " + hex(Index) + " does not exist");
  S.Section = Index;
  const Section &Home = Object.Sections[Index];
  if (S.Type == Symbol::TypeKind::Section && S.Name.empty())
    S.Name = Home.Name;
  if (S.Value > Home.Size || S.Size > Home.Size - S.Value)
    return fail(Named + ": " + hex(S.Size) + " bytes at " + hex(S.Value) +
                " are outside " + describe(Index) + " of " + hex(Home.Size) +
                " bytes");
  if (S.Type == Symbol::TypeKind::Function &&
      (Home.Kind != LoadKind::Text || S.Value % InstructionAlign))
    return fail(Named + ": a function that is not at an instruction");
  return S;
}

Error ObjectReader::readRelocations() {
  for (uint32_t I = 1, E = RawSections.size(); I != E; ++I) {
    if (Object.Sections[I].Type == ELF::SHT_REL)
      return fail(describe(I) + ": relocations without addends");
    if (Object.Sections[I].Type == ELF::SHT_RELA ||
        Object.Sections[I].Type == DebugRelocationsType)
      if (Error Err = readRelocationSection(I))
        return Err;
  }
  return Error::success();
}

Error ObjectReader::readRelocationSection(uint32_t Index) {
  std::string Where = describe(Index);
  uint32_t Target = RawSections[Index].sh_info;
  if (Target == 0 || Target >= Object.Sections.size())
    return fail(Where + ": relocates section " + Twine(Target) +
                ", which does not exist");
  if (!SymbolTable || RawSections[Index].sh_link != *SymbolTable)
    return fail(Where + ": does not refer to the symbol table");
  if (!Object.Relocations[Target].empty())
    return fail(Where + ": a second relocation section of " + describe(Target));
  Expected<ArrayRef<ELFT::Rela>> Raw = records<ELFT::Rela>(Index, Where);
  if (!Raw)
    return Raw.takeError();
  for (size_t I = 0; I != Raw->size(); ++I) {
    Expected<Relocation> R =
        readRelocation((*Raw)[I], Target, Where + ": relocation " + Twine(I));
    if (!R)
      return R.takeError();
    Object.Relocations[Target].push_back(*R);
  }
  return Error::success();
}

/// Whether the value of a relocation means something for a symbol in a section
/// of this kind.
static bool isValueOf(RelocationField::ValueKind Value, LoadKind Kind) {
  switch (Value) {
  case RelocationField::None:
    return true;
  case RelocationField::Absolute:
    return Kind != LoadKind::Other;
  case RelocationField::PCRelative:
    return Kind == LoadKind::Text;
  case RelocationField::Constant:
    return Kind == LoadKind::Constant;
  case RelocationField::Shared:
    return Kind == LoadKind::Shared;
  }
  return false;
}

Expected<Relocation> ObjectReader::readRelocation(const ELFT::Rela &Raw,
                                                  uint32_t TargetIndex,
                                                  const Twine &Where) const {
  const RelocationField *Field = relocationField(Raw.getType(false));
  if (!Field)
    return fail(Where + ": unknown type " + Twine(Raw.getType(false)));
  Relocation R;
  R.Type = static_cast<RelocationType>(Raw.getType(false));
  R.Offset = Raw.r_offset;
  R.Symbol = Raw.getSymbol(false);
  R.Addend = Raw.r_addend;
  const Section &Target = Object.Sections[TargetIndex];
  // A field after the start of an instruction belongs to a whole instruction,
  // which is a compact one at least.
  bool IsInstruction = Field->Offset != 0;
  uint64_t Span = IsInstruction
                      ? alignTo(Field->Offset + Field->Size, InstructionAlign)
                      : Field->Size;
  uint64_t Bytes = Target.Contents.size();
  if (R.Offset > Bytes || Span > Bytes - R.Offset)
    return fail(Where + ": " + Field->Name + " at " + hex(R.Offset) +
                " is outside the contents of " + describe(TargetIndex));
  if (IsInstruction &&
      (Target.Kind != LoadKind::Text || R.Offset % InstructionAlign))
    return fail(Where + ": " + Field->Name + " at " + hex(R.Offset) + " of " +
                describe(TargetIndex) + " is not at an instruction");
  if (R.Symbol >= Object.Symbols.size())
    return fail(Where + ": symbol " + Twine(R.Symbol) + " does not exist");
  const Symbol &S = Object.Symbols[R.Symbol];
  if (S.Section && !isValueOf(Field->Value, Object.Sections[*S.Section].Kind))
    return fail(Where + ": " + Field->Name + " cannot refer to '" + S.Name +
                "' in " + describe(*S.Section));
  return R;
}

Error ObjectReader::readMetadata() {
  std::optional<uint32_t> Note;
  for (uint32_t I = 1, E = Object.Sections.size(); I != E; ++I) {
    if (Object.Sections[I].Name != NoteSectionName)
      continue;
    if (Note)
      return fail(describe(I) + ": a second metadata section");
    Note = I;
  }
  if (!Note)
    return fail("no section " + Twine(NoteSectionName));
  if (Object.Sections[*Note].Type != ELF::SHT_NOTE)
    return fail(describe(*Note) + ": is no note");
  Expected<ModuleMetadata> Metadata =
      decodeMetadataNote(toStringRef(Object.Sections[*Note].Contents));
  if (!Metadata)
    return fail(toString(Metadata.takeError()));
  Object.Metadata = std::move(*Metadata);
  return Error::success();
}

Error ObjectReader::readKernels() {
  StringMap<uint32_t> Functions;
  for (uint32_t I = 1, E = Object.Symbols.size(); I != E; ++I) {
    const Symbol &S = Object.Symbols[I];
    if (S.Type == Symbol::TypeKind::Function && S.Section)
      Functions.try_emplace(S.Name, I);
  }
  for (const KernelMetadata &Metadata : Object.Metadata.Kernels) {
    auto Found = Functions.find(Metadata.Name);
    if (Found == Functions.end())
      return fail("kernel '" + Metadata.Name + "' has no code");
    const Symbol &S = Object.Symbols[Found->second];
    StringRef SectionName = Object.Sections[*S.Section].Name;
    if (SectionName != TextSectionPrefix + ("." + Metadata.Name))
      return fail("kernel '" + Metadata.Name + "' is in section '" +
                  SectionName + "'");
    if (S.Value >= Object.Sections[*S.Section].Size)
      return fail("kernel '" + Metadata.Name + "' has no instruction");
    Object.Kernels.push_back({&Metadata, *S.Section, Found->second});
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// ObjectFile
//===----------------------------------------------------------------------===//

Expected<ObjectFile> ObjectFile::create(ArrayRef<uint8_t> Bytes) {
  return ObjectReader(Bytes).read();
}

std::optional<uint32_t> ObjectFile::findSection(StringRef Name) const {
  for (uint32_t I = 1, E = Sections.size(); I < E; ++I)
    if (Sections[I].Name == Name)
      return I;
  return std::nullopt;
}

const Kernel *ObjectFile::findKernel(StringRef Name) const {
  for (const Kernel &K : Kernels)
    if (K.Metadata->Name == Name)
      return &K;
  return nullptr;
}

/// Whether \p Value can stand in the field as its kind of value.
static bool fits(const RelocationField &Field, uint64_t Value) {
  bool FitsSigned = isInt<32>(static_cast<int64_t>(Value));
  bool FitsUnsigned = isUInt<32>(Value);
  switch (Field.Value) {
  case RelocationField::None:
    return true;
  case RelocationField::Absolute:
    return Field.Size == 8 || FitsSigned || FitsUnsigned;
  case RelocationField::PCRelative:
    return FitsSigned;
  case RelocationField::Constant:
  case RelocationField::Shared:
    return FitsUnsigned;
  }
  return false;
}

/// Whether a relocation is for a place within a function, as those of a jump
/// table are, and not for the function.
static bool isWithinFunction(const heddle::Symbol &S, const Relocation &R) {
  return S.Value + R.Addend != 0;
}

std::vector<uint32_t> ObjectFile::addressTakenFunctions() const {
  std::vector<bool> IsTaken(Sections.size());
  for (auto [Index, Relocs] : enumerate(Relocations)) {
    LoadKind Kind = Sections[Index].Kind;
    if (Kind == LoadKind::Debug || Kind == LoadKind::Other)
      continue;
    for (const Relocation &R : Relocs) {
      const heddle::Symbol &S = Symbols[R.Symbol];
      if (S.Section && Sections[*S.Section].Kind == LoadKind::Text &&
          R.Type != RelocationType::R_HEDDLE_PCREL32 && !isWithinFunction(S, R))
        IsTaken[*S.Section] = true;
    }
  }
  std::vector<uint32_t> Taken;
  for (uint32_t I = 0; I != Sections.size(); ++I)
    if (IsTaken[I])
      Taken.push_back(I);
  return Taken;
}

bool ObjectFile::hasMoreRegisters(uint32_t Most) const {
  return any_of(Kernels, [&](const Kernel &K) {
    const KernelMetadata &M = *K.Metadata;
    return M.Registers > Most && !M.MaxBlock && !M.RequiredBlock &&
           !M.MaxRegisters;
  });
}

Error ObjectFile::relocate(uint32_t SectionIndex, ArrayRef<uint64_t> Addresses,
                           MutableArrayRef<uint8_t> Bytes,
                           SymbolResolver Resolve,
                           ArrayRef<std::optional<uint64_t>> Elsewhere) const {
  if (Addresses.size() != Sections.size() || SectionIndex >= Sections.size() ||
      Bytes.size() != Sections[SectionIndex].Contents.size())
    return createStringError("relocate: the addresses or the bytes are not "
                             "those of the section");
  for (const Relocation &R : Relocations[SectionIndex]) {
    const RelocationField &Field =
        *relocationField(static_cast<uint32_t>(R.Type));
    if (Field.Value == RelocationField::None)
      continue;
    const heddle::Symbol &S = Symbols[R.Symbol];
    std::optional<uint64_t> Value = S.Value;
    bool IsCode = S.Section && Sections[*S.Section].Kind == LoadKind::Text;
    if (!Elsewhere.empty() && Elsewhere[R.Symbol] &&
        Field.Value != RelocationField::PCRelative &&
        !(IsCode && isWithinFunction(S, R)))
      Value = Elsewhere[R.Symbol];
    else if (S.Section)
      Value = Addresses[*S.Section] + S.Value;
    else if (S.isUndefined())
      Value = Resolve(S, R);
    if (!Value && S.Binding == Symbol::BindingKind::Weak)
      Value = 0;
    if (!Value)
      return createStringError("undefined symbol '" + S.Name +
                               "' in section '" + Sections[SectionIndex].Name +
                               "'");
    *Value += R.Addend;
    if (Field.Value == RelocationField::PCRelative)
      *Value -= Addresses[SectionIndex] + R.Offset + InstructionBytes;
    if (!fits(Field, *Value))
      return createStringError(
          "relocation " + Field.Name + " at " + hex(R.Offset) +
          " of section '" + Sections[SectionIndex].Name + "': " + hex(*Value) +
          " for symbol '" + S.Name + "' does not fit");
    uint8_t *Place = Bytes.data() + R.Offset + Field.Offset;
    for (uint64_t I = 0; I != Field.Size; ++I)
      Place[I] = static_cast<uint8_t>(*Value >> (8 * I));
  }
  return Error::success();
}
