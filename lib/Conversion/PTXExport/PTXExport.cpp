//===- PTXExport.cpp - ptx dialect to PTX text ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module: header, functions in the order in which PTX needs them, files.
// Every function is declared before the first body, since a body may mention
// any of them.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "heddle/Conversion/SamplerFields.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;

LogicalResult ModuleExporter::unsupported(Operation *Op, const Twine &What) {
  return emitError(ptxir::getPTXLoc(Op->getLoc()))
         << "not supported yet: " << What;
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

LogicalResult ModuleExporter::readHeader() {
  auto Version = Module->getAttrOfType<StringAttr>("ptx.version");
  auto Target = Module->getAttrOfType<StringAttr>("ptx.target");
  unsigned Major, Minor;
  if (!Version || !Target)
    return Module.emitError(
        "PTX needs the module attributes ptx.version and ptx.target");
  auto [MajorText, MinorText] = Version.getValue().split('.');
  if (MajorText.getAsInteger(10, Major) || MinorText.getAsInteger(10, Minor) ||
      Minor > 9)
    return Module.emitError("ptx.version is no PTX version");
  if (!ptx::parseTarget(Target.getValue(), GPU))
    return Module.emitError("ptx.target is no target");
  this->Version = Major * 10 + Minor;
  if (auto Size = Module->getAttrOfType<IntegerAttr>("ptx.address_size"))
    AddressBits = Size.getInt();
  return success();
}

static void writePragmas(ArrayAttr Strings, StringRef Indent, StringRef End,
                         llvm::raw_ostream &OS) {
  if (!Strings)
    return;
  OS << Indent << ".pragma ";
  llvm::interleaveComma(Strings.getAsValueRange<StringAttr>(), OS,
                        [&](StringRef Text) { OS << '"' << Text << '"'; });
  OS << ';' << End;
}

void ModuleExporter::writeHeader(llvm::raw_ostream &OS) {
  OS << ".version " << Version / 10 << '.' << Version % 10 << "\n.target "
     << GPU.str();
  if (auto Options = Module->getAttrOfType<ArrayAttr>("ptx.target_options"))
    for (StringRef Option : Options.getAsValueRange<StringAttr>())
      OS << ", " << Option;
  OS << '\n';
  // Older versions have only 32 bits, without a directive.
  if (Version >= 23)
    OS << ".address_size " << AddressBits << '\n';
  writePragmas(Module->getAttrOfType<ArrayAttr>("ptx.pragmas"), "", "\n", OS);
  OS << '\n';
}

//===----------------------------------------------------------------------===//
// Files and debug information
//===----------------------------------------------------------------------===//

static ArrayAttr filesOf(ModuleOp Module) {
  auto Files = Module->getAttrOfType<ArrayAttr>("ptx.files");
  return Files ? Files : ArrayAttr::get(Module.getContext(), {});
}

void ModuleExporter::readFiles() {
  for (auto File : filesOf(Module).getAsRange<ptxir::FileAttr>())
    Files.try_emplace(File.getName().str(), File.getIndex());
}

unsigned ModuleExporter::fileNumber(StringAttr Name) {
  unsigned Next = 1;
  for (auto File : filesOf(Module).getAsRange<ptxir::FileAttr>())
    Next = std::max<unsigned>(Next, File.getIndex() + 1);
  auto [It, New] = Files.try_emplace(Name.str(), Next + NewFiles.size());
  if (New)
    NewFiles.push_back(Name.str());
  return It->second;
}

void ModuleExporter::writeFiles(llvm::raw_ostream &OS) {
  for (auto File : filesOf(Module).getAsRange<ptxir::FileAttr>()) {
    OS << "\t.file\t" << File.getIndex() << " \"" << File.getName().getValue()
       << '"';
    if (File.getTimestamp() != -1)
      OS << ", " << File.getTimestamp() << ", " << File.getSize();
    OS << '\n';
  }
  for (const std::string &Name : NewFiles)
    OS << "\t.file\t" << Files[Name] << " \"" << Name << "\"\n";
}

/// Finds the strings of `.debug_str`, each by the label before it and the
/// offset from there.
void ModuleExporter::readDebugStrings() {
  for (auto Section : Module.getOps<ptxir::SectionOp>()) {
    if (Section.getName() != ".debug_str")
      continue;
    std::string Label, Text;
    uint64_t Start = 0, At = 0;
    auto AddByte = [&](char C) {
      ++At;
      if (C != 0) {
        Text.push_back(C);
        return;
      }
      if (!Label.empty())
        DebugStrings.try_emplace(
            Text, Start == 0 ? Label : Label + "+" + std::to_string(Start));
      Text.clear();
      Start = At;
    };
    for (auto Item : Section.getItems().getAsRange<ptxir::SectionItemAttr>()) {
      if (Item.getKind() == ptxir::SectionItemKind::Label) {
        Label = Item.getName().str();
        Text.clear();
        Start = At = 0;
      } else if (Item.getKind() == ptxir::SectionItemKind::Text) {
        for (char C : Item.getName().getValue())
          AddByte(C);
      } else if (Item.getKind() == ptxir::SectionItemKind::Data &&
                 Item.getWidth() == 1) {
        for (int64_t Value : Item.getValues().asArrayRef())
          AddByte(char(Value));
      }
    }
  }
}

void ModuleExporter::readDebugLabels() {
  for (auto Section : Module.getOps<ptxir::SectionOp>())
    for (auto Item : Section.getItems().getAsRange<ptxir::SectionItemAttr>())
      if (Item.getKind() == ptxir::SectionItemKind::Symbol) {
        DebugLabels.insert(Item.getName());
        if (Item.getMinus())
          DebugLabels.insert(Item.getMinus());
      }
}

std::string ModuleExporter::debugString(StringAttr Name) {
  auto [It, New] = DebugStrings.try_emplace(Name.getValue());
  if (New) {
    It->second = "$L__name_" + std::to_string(NewStrings.size());
    NewStrings.push_back(Name.str());
  }
  return It->second;
}

static void writeItem(ptxir::SectionItemAttr Item, llvm::raw_ostream &OS) {
  if (Item.getKind() == ptxir::SectionItemKind::Label) {
    OS << Item.getName().getValue() << ":\n";
    return;
  }
  OS << "\t.b" << Item.getWidth() * 8 << ' ';
  switch (Item.getKind()) {
  case ptxir::SectionItemKind::Data:
    llvm::interleave(Item.getValues().asArrayRef(), OS, ",");
    break;
  case ptxir::SectionItemKind::Text:
    OS << '"' << Item.getName().getValue() << '"';
    break;
  default:
    OS << Item.getName().getValue();
    if (Item.getMinus())
      OS << '-' << Item.getMinus().getValue();
    else if (Item.getAddend())
      OS << '+' << Item.getAddend();
  }
  OS << '\n';
}

static void writeString(StringRef Label, StringRef Text,
                        llvm::raw_ostream &OS) {
  OS << Label << ":\n\t.b8 ";
  for (char C : Text)
    OS << unsigned(uint8_t(C)) << ',';
  OS << "0\n";
}

void ModuleExporter::writeSections(llvm::raw_ostream &OS) {
  bool HasStrings = false;
  auto WriteNew = [&] {
    for (const std::string &Name : NewStrings)
      writeString(DebugStrings[Name], Name, OS);
    HasStrings = true;
  };
  for (auto Section : Module.getOps<ptxir::SectionOp>()) {
    OS << "\t.section\t" << Section.getName() << "\n\t{\n";
    for (auto Item : Section.getItems().getAsRange<ptxir::SectionItemAttr>())
      writeItem(Item, OS);
    if (Section.getName() == ".debug_str" && !HasStrings)
      WriteNew();
    OS << "\t}\n";
  }
  if (HasStrings || NewStrings.empty())
    return;
  OS << "\t.section\t.debug_str\n\t{\n";
  WriteNew();
  OS << "\t}\n";
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static StringRef linkageText(ptxir::Linkage Linkage) {
  switch (Linkage) {
  case ptxir::Linkage::Internal:
    return "";
  case ptxir::Linkage::Visible:
    return ".visible ";
  case ptxir::Linkage::External:
    return ".extern ";
  case ptxir::Linkage::Weak:
    return ".weak ";
  case ptxir::Linkage::Common:
    return ".common ";
  }
  return "";
}

namespace {

/// Writes the initial value of a variable element by element, in the braces
/// that its extents ask for.
class InitWriter {
public:
  InitWriter(ptxir::GlobalOp Global, llvm::raw_ostream &OS);
  void run() { write(0); }

private:
  void write(unsigned Level);
  void writeElement();

  ptxir::GlobalOp Global;
  llvm::raw_ostream &OS;
  SmallVector<int64_t> Extents;
  unsigned Width;
  StringRef Bytes;
  SmallVector<ptxir::RelocAttr> Relocs;
  uint64_t At = 0;
  /// Bytes from here on are zero and need not be written.
  uint64_t End;
};

} // namespace

InitWriter::InitWriter(ptxir::GlobalOp Global, llvm::raw_ostream &OS)
    : Global(Global), OS(OS), Width(ptxir::bitWidth(Global.getTy()) / 8),
      Bytes(Global.getInit().value_or("")), End(Bytes.size()) {
  if (auto Dims = Global.getDims())
    Extents.append(Dims->begin(), Dims->end());
  else if (Global.getSize() != uint64_t(Width) * Global.getVec())
    Extents.push_back(Global.getSize() / Width / Global.getVec());
  if (Global.getVec() != 1)
    Extents.push_back(Global.getVec());
  if (auto List = Global.getRelocs())
    Relocs.append(List->getAsRange<ptxir::RelocAttr>().begin(),
                  List->getAsRange<ptxir::RelocAttr>().end());
  if (!Relocs.empty())
    End = std::max<uint64_t>(End, Relocs.back().getOffset() + 1);
}

void InitWriter::writeElement() {
  for (ptxir::RelocAttr Reloc : Relocs)
    if (Reloc.getOffset() == At) {
      if (Reloc.getMask())
        OS << "0x" << llvm::utohexstr(Reloc.getMask()) << '(';
      StringRef Name = Reloc.getSymbol().getValue();
      if (Reloc.getGeneric())
        OS << "generic(" << Name << ')';
      else
        OS << Name;
      if (Reloc.getAddend())
        OS << '+' << Reloc.getAddend();
      OS << (Reloc.getMask() ? ")" : "");
      At += Width;
      return;
    }
  uint64_t Value = 0;
  for (unsigned I = 0; I != Width; ++I)
    if (At + I < Bytes.size())
      Value |= uint64_t(uint8_t(Bytes[At + I])) << (8 * I);
  At += Width;
  if (Global.getTy() == ptxir::ScalarType::F32)
    OS << "0f" << llvm::utohexstr(Value, false, 8);
  else if (Global.getTy() == ptxir::ScalarType::F64)
    OS << "0d" << llvm::utohexstr(Value, false, 16);
  else
    OS << Value;
}

void InitWriter::write(unsigned Level) {
  if (Level == Extents.size()) {
    writeElement();
    return;
  }
  OS << '{';
  for (int64_t I = 0; I != Extents[Level] && (I == 0 || At < End); ++I) {
    if (I != 0)
      OS << ", ";
    uint64_t Start = At;
    write(Level + 1);
    // A row may have been cut off behind its last value.
    uint64_t Size = Width;
    for (int64_t Extent : ArrayRef(Extents).drop_front(Level + 1))
      Size *= Extent;
    At = Start + Size;
  }
  OS << '}';
}

/// The fields of a sampler that is initialized.
static void writeSampler(StringRef Bytes, llvm::raw_ostream &OS) {
  // Zeros at the end are not kept.
  auto ByteAt = [&](unsigned N) {
    return N < Bytes.size() ? uint8_t(Bytes[N]) : 0;
  };
  llvm::ListSeparator Comma;
  OS << "{ ";
  for (const SamplerField &F : SamplerFields) {
    OS << Comma << F.Name << " = ";
    uint8_t Value = ByteAt(F.Byte);
    if (Value < F.Words.size())
      OS << F.Words[Value];
    else
      OS << unsigned(Value);
  }
  OS << " }";
}

/// What stands in `.attribute(...)` for the halves of an identifier.
static std::string unifiedText(ArrayRef<int64_t> Id) {
  return ".unified(" + std::to_string(uint64_t(Id[0])) + ", " +
         std::to_string(uint64_t(Id[1])) + ")";
}

LogicalResult ModuleExporter::writeGlobal(ptxir::GlobalOp Global,
                                          llvm::raw_ostream &OS) {
  ptxir::ScalarType Ty = Global.getTy();
  bool Opaque = Ty == ptxir::ScalarType::Texref ||
                Ty == ptxir::ScalarType::Samplerref ||
                Ty == ptxir::ScalarType::Surfref;
  OS << linkageText(Global.getLinkage()) << '.'
     << ptxir::stringifyEnum(Global.getSpace());
  SmallVector<std::string> Attributes;
  if (Global.getManaged())
    Attributes.push_back(".managed");
  if (auto Id = Global.getUnified())
    Attributes.push_back(unifiedText(*Id));
  if (!Attributes.empty())
    OS << " .attribute(" << llvm::join(Attributes, ", ") << ')';
  if (!Opaque)
    OS << " .align " << Global.getAlignment();
  if (Global.getVec() != 1)
    OS << " .v" << Global.getVec();
  OS << " ." << ptxir::stringifyEnum(Ty) << ' ' << Global.getSymName();
  uint64_t Element = uint64_t(ptxir::bitWidth(Ty)) / 8 * Global.getVec();
  if (auto Dims = Global.getDims()) {
    for (int64_t Extent : *Dims)
      OS << '[' << (Extent ? std::to_string(Extent) : "") << ']';
  } else if (Global.getSize() != Element) {
    OS << '['
       << (Global.getSize() ? std::to_string(Global.getSize() / Element) : "")
       << ']';
  }
  if (Ty == ptxir::ScalarType::Samplerref && Global.getInit()) {
    OS << " = ";
    writeSampler(*Global.getInit(), OS);
  } else if (Global.getInit() || Global.getRelocs()) {
    OS << " = ";
    InitWriter(Global, OS).run();
  }
  OS << ";\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static std::string entryParam(ptxir::EntryParamAttr Param) {
  std::string Text = ".param";
  if (Param.getCount() ||
      Param.getAlignment() * 8 != ptxir::bitWidth(Param.getType()))
    Text += " .align " + std::to_string(Param.getAlignment());
  Text += (" ." + ptxir::stringifyEnum(Param.getType())).str();
  if (auto Ptr = Param.getPtr()) {
    Text += " .ptr";
    if (Ptr.getSpace() != ptxir::Space::Generic)
      Text += ("." + ptxir::stringifyEnum(Ptr.getSpace())).str();
    if (Ptr.getObject())
      Text += ("." + ptxir::stringifyEnum(Ptr.getObject().getValue())).str();
    if (Ptr.getAlignment())
      Text += " .align " + std::to_string(Ptr.getAlignment());
  }
  Text += (" " + Param.getName().getValue()).str();
  if (Param.getCount())
    Text += "[" + std::to_string(Param.getCount()) + "]";
  return Text;
}

/// `.maxntid 8, 4, 1` on a line of its own, if there are such numbers.
static void writeNumbers(StringRef Name,
                         std::optional<ArrayRef<int32_t>> Values,
                         llvm::raw_ostream &OS) {
  if (!Values)
    return;
  OS << "\n." << Name << ' ';
  llvm::interleaveComma(*Values, OS);
}

static void writeNumber(StringRef Name, std::optional<uint32_t> Value,
                        llvm::raw_ostream &OS) {
  if (Value)
    OS << "\n." << Name << ' ' << *Value;
}

/// The directives between a kernel's signature and its body.
std::string ModuleExporter::performance(ptxir::EntryOp Entry) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto Extent = [&](StringRef Name, std::optional<ArrayRef<int32_t>> Values) {
    writeNumbers(Name, Values, OS);
  };
  auto Number = [&](StringRef Name, std::optional<uint32_t> Value) {
    writeNumber(Name, Value, OS);
  };
  Extent("maxntid", Entry.getMaxntid());
  Extent("reqntid", Entry.getReqntid());
  Number("minnctapersm", Entry.getMinnctapersm());
  Number("maxnctapersm", Entry.getMaxnctapersm());
  Number("maxnreg", Entry.getMaxnreg());
  if (Entry.getExplicitcluster())
    OS << "\n.explicitcluster";
  Extent("reqnctapercluster", Entry.getReqnctapercluster());
  Number("maxclusterrank", Entry.getMaxclusterrank());
  if (Entry.getBlocksareclusters())
    OS << "\n.blocksareclusters";
  Number("minperctamemory", Entry.getMinperctamemory());
  Extent("language", Entry.getLanguages());
  writePragmas(Entry.getPragmasAttr(), "\n", "", OS);
  return Text;
}

LogicalResult ModuleExporter::writeFunction(Operation *Op, bool Define,
                                            llvm::raw_ostream &OS) {
  ParamNames Names;
  if (auto Entry = dyn_cast<ptxir::EntryOp>(Op)) {
    OS << linkageText(Entry.getLinkage()) << ".entry " << Entry.getSymName()
       << "(";
    llvm::interleave(
        Entry.getParams().getAsRange<ptxir::EntryParamAttr>(), OS,
        [&](ptxir::EntryParamAttr P) { OS << "\n\t" << entryParam(P); }, ",");
    OS << (Entry.getParams().empty() ? ")" : "\n)") << performance(Entry);
  } else {
    auto Func = cast<ptxir::FuncOp>(Op);
    Names = paramNames(Func, Func.getSymName());
    OS << linkageText(Func.getLinkage()) << ".func ";
    if (auto Id = Func.getUnified(); Id && Id->size() == 2)
      OS << ".attribute(" << unifiedText(*Id) << ") ";
    OS << funcSignature(Func, Func.getSymName(), Names);
    if (Func.getNoreturn())
      OS << "\n.noreturn";
    writeNumber("abi_preserve", Func.getAbiPreserve(), OS);
    writeNumber("abi_preserve_control", Func.getAbiPreserveControl(), OS);
    writeNumbers("language", Func.getLanguages(), OS);
    writePragmas(Func.getPragmasAttr(), "\n", "", OS);
  }
  if (!Define) {
    OS << ";\n";
    return success();
  }
  OS << "\n{\n";
  ++NumFunctions;
  if (failed(BodyExporter(*this, Op, Names).run(OS)))
    return failure();
  OS << "}\n\n";
  return success();
}

LogicalResult ModuleExporter::run(llvm::raw_ostream &OS) {
  if (failed(readHeader()))
    return failure();
  readFiles();
  readDebugStrings();
  readDebugLabels();
  for (auto Symbol : Module.getOps<SymbolOpInterface>())
    SymbolNames.insert(Symbol.getName());
  while (llvm::any_of(SymbolNames.keys(), [&](StringRef Name) {
    return Name.starts_with(LabelPrefix);
  }))
    LabelPrefix += "_";
  // In the order in which an import of the text has them: entries stand behind
  // the functions, which are declared before all bodies.
  SmallVector<Operation *> Ordered;
  for (bool Entries : {false, true})
    for (Operation &Op : *Module.getBody())
      if (llvm::isa<ptxir::EntryOp>(Op) == Entries)
        Ordered.push_back(&Op);
  // Bodies are written first, as they add files and strings.
  std::string Declarations, Variables, Bodies, Aliases;
  llvm::raw_string_ostream Before(Declarations), Globals(Variables),
      After(Bodies), Last(Aliases);
  for (Operation *Op : Ordered) {
    LogicalResult Done = success();
    if (auto Global = dyn_cast<ptxir::GlobalOp>(Op)) {
      Done = writeGlobal(Global, Globals);
    } else if (llvm::isa<ptxir::EntryOp, ptxir::FuncOp>(Op)) {
      bool Define = !Op->getRegion(0).empty();
      if (!Define || llvm::isa<ptxir::FuncOp>(Op))
        Done = writeFunction(Op, false, Before);
      if (succeeded(Done) && Define)
        Done = writeFunction(Op, true, After);
    } else if (auto Alias = dyn_cast<ptxir::AliasOp>(Op)) {
      auto Func = Symbols.lookup<ptxir::FuncOp>(Alias.getAliasee());
      Before << linkageText(Alias.getLinkage()) << ".func "
             << funcSignature(Func, Alias.getSymName(),
                              paramNames(Func, Alias.getSymName()))
             << ";\n";
      Last << ".alias " << Alias.getSymName() << ", " << Alias.getAliasee()
           << ";\n";
    } else if (!llvm::isa<ptxir::SectionOp>(Op)) {
      Done = unsupported(Op, Op->getName().getStringRef() + " in PTX");
    }
    if (failed(Done))
      return failure();
  }
  writeHeader(OS);
  OS << Declarations << (Declarations.empty() ? "" : "\n") << Variables
     << (Variables.empty() ? "" : "\n") << Bodies << Aliases;
  writeFiles(OS);
  writeSections(OS);
  return success();
}

LogicalResult heddle::exportPTX(ModuleOp Module, llvm::raw_ostream &OS) {
  std::string Text;
  llvm::raw_string_ostream Buffer(Text);
  if (failed(ModuleExporter(Module).run(Buffer)))
    return failure();
  OS << Text;
  return success();
}
