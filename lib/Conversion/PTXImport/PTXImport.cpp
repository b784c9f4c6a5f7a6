//===- PTXImport.cpp - PTX module to ptx dialect ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables, signatures, mnemonics and locations; function bodies are in
// ImportBody.cpp.
//
//===----------------------------------------------------------------------===//

#include "heddle/Conversion/PTXImport.h"
#include "Importer.h"
#include "heddle/Conversion/SamplerFields.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptxir::ScalarType;

ModuleImporter::ModuleImporter(const ptx::Module &M,
                               llvm::MemoryBufferRef Source,
                               MLIRContext &Context, FunctionFilter Wants,
                               ImportedVariables Variables)
    : M(M), B(&Context), Variables(Variables), Source(Source), Wants(Wants),
      FileName(B.getStringAttr(Source.getBufferIdentifier())),
      Places(Context.getLoadedDialect<ptxir::PTXDialect>()->newPlaces()) {
  LineStarts.push_back(0);
  StringRef Text = Source.getBuffer();
  for (size_t At = Text.find('\n'); At != StringRef::npos;
       At = Text.find('\n', At + 1))
    LineStarts.push_back(At + 1);
  for (unsigned Ty = 0; Ty <= ptx::NumTypes; ++Ty) // None as well
    ScalarTypes.push_back(
        ptxir::symbolizeScalarType(ptx::getTypeName(ptx::Type(Ty))));
  for (const ptx::FileEntry &File : M.Files)
    FileNames[File.Index] = B.getStringAttr(File.Name);
}

//===----------------------------------------------------------------------===//
// Locations and errors
//===----------------------------------------------------------------------===//

Location ModuleImporter::location(ptx::SourceLoc Loc, LocationAttr Source) {
  if (!Loc.isValid())
    return ptxir::PlaceAttr::create(Places, FileName, 0, 0, Source);
  // Most of the time it is the line behind the last one.
  auto IsIn = [&](size_t Line) {
    return LineStarts[Line] <= Loc.Offset &&
           (Line + 1 == LineStarts.size() || Loc.Offset < LineStarts[Line + 1]);
  };
  if (LastLine + 1 < LineStarts.size() && IsIn(LastLine + 1))
    ++LastLine;
  else if (!IsIn(LastLine))
    LastLine =
        llvm::upper_bound(LineStarts, Loc.Offset) - LineStarts.begin() - 1;
  return ptxir::PlaceAttr::create(Places, FileName, LastLine + 1,
                                  Loc.Offset - LineStarts[LastLine] + 1,
                                  Source);
}

/// The bytes of a string in a section: from \p Offset behind a label to the
/// next zero.
static std::string stringAt(const ptx::Section &S, StringRef Label,
                            int64_t Offset) {
  std::string Text;
  bool Found = false;
  for (const ptx::SectionItem &Item : S.Items) {
    if (Item.K == ptx::SectionItem::Kind::Label)
      Found |= Item.Name == Label;
    if (!Found)
      continue;
    if (Item.K == ptx::SectionItem::Kind::String)
      Text += Item.Name;
    else if (Item.K == ptx::SectionItem::Kind::Int && Item.Width == 1)
      Text.push_back(char(Item.Value));
    if (int64_t(Text.size()) > Offset &&
        Text.find('\0', Offset) != std::string::npos)
      break;
  }
  if (Offset < 0 || size_t(Offset) >= Text.size())
    return {};
  return Text.substr(Offset, Text.find('\0', Offset) - Offset);
}

StringAttr ModuleImporter::debugString(StringRef Label, int64_t Offset) {
  if (Label.empty())
    return {};
  auto [It, New] = DebugStrings.try_emplace({Label, Offset});
  if (!New)
    return It->second;
  for (const ptx::Section *S : M.Sections)
    if (std::string Text = stringAt(*S, Label, Offset); !Text.empty()) {
      It->second = B.getStringAttr(Text);
      break;
    }
  return It->second;
}

LocationAttr ModuleImporter::sourceLocation(const ptx::LocStatement &Loc,
                                            SourcePlaces &Earlier) {
  StringAttr File = FileNames.lookup(Loc.File);
  if (!File)
    return {};
  LocationAttr Place = FileLineColLoc::get(File, Loc.Line, Loc.Column);
  if (Loc.Inlined) {
    LocationAttr Caller = Earlier.lookup(
        {Loc.InlinedAtFile, Loc.InlinedAtLine, Loc.InlinedAtColumn});
    StringAttr CallerFile = FileNames.lookup(Loc.InlinedAtFile);
    if (!Caller && CallerFile)
      Caller = FileLineColLoc::get(CallerFile, Loc.InlinedAtLine,
                                   Loc.InlinedAtColumn);
    if (StringAttr Name = debugString(Loc.FunctionName, Loc.FunctionNameOffset))
      Place = NameLoc::get(Name, Location(Place));
    if (Caller)
      Place = CallSiteLoc::get(Location(Place), Location(Caller));
  }
  Earlier[{Loc.File, Loc.Line, Loc.Column}] = Place;
  return Place;
}

LogicalResult ModuleImporter::unsupported(ptx::SourceLoc Loc,
                                          const Twine &What) {
  return emitError(location(Loc)) << "not supported yet: " << What;
}

//===----------------------------------------------------------------------===//
// Types and signatures
//===----------------------------------------------------------------------===//

mlir::Type ModuleImporter::registerType(ptx::Type Ty, ptx::SourceLoc Loc) {
  auto Scalar = scalarType(Ty);
  if (!Scalar) {
    (void)unsupported(Loc, "." + ptx::getTypeName(Ty) + " as a value");
    return {};
  }
  switch (*Scalar) {
  case ScalarType::F16:
    return B.getF16Type();
  case ScalarType::F32:
    return B.getF32Type();
  case ScalarType::F64:
    return B.getF64Type();
  default:
    return B.getIntegerType(ptxir::bitWidth(*Scalar));
  }
}

bool import::isScalarParameter(ptx::Parameter P) {
  auto *Var = dyn_cast<ptx::Variable>(P);
  return !Var || (!Var->IsArray && Var->VectorWidth == 1);
}

ptx::Type import::parameterType(ptx::Parameter P) {
  if (auto *Var = dyn_cast<ptx::Variable>(P))
    return Var->Ty;
  return cast<ptx::RegisterDecl>(P)->getType();
}

unsigned import::numValues(ptx::Parameter P) {
  auto *Reg = dyn_cast<ptx::RegisterDecl>(P);
  return Reg ? Reg->getVectorWidth() : 1;
}

FailureOr<ModuleImporter::Signature>
ModuleImporter::signatureOf(llvm::ArrayRef<ptx::Parameter> Returns,
                            llvm::ArrayRef<ptx::Parameter> Params,
                            ptx::SourceLoc Loc) {
  Signature S;
  auto AddArray = [&](const ptx::Variable *Var, bool Result) {
    S.Args.push_back(addressType());
    // Whatever type it has, it has one of the dialect's: others are registers
    // of no variable.
    S.Aggregates.push_back(ptxir::AggregateAttr::get(
        B.getContext(), Var->getSize(), Var->getAlign(), Result,
        scalarType(Var->Ty).value_or(ScalarType::B8)));
  };
  for (ptx::Parameter P : Returns) {
    if (!isScalarParameter(P)) {
      if (Returns.size() != 1)
        return unsupported(Loc, "an array among several results");
      S.ResultArray = cast<ptx::Variable>(P);
      AddArray(S.ResultArray, true);
    } else if (mlir::Type Ty = registerType(parameterType(P), P->getLoc())) {
      S.Results.append(numValues(P), Ty);
    } else {
      return failure();
    }
  }
  for (ptx::Parameter P : Params) {
    if (!isScalarParameter(P)) {
      // A variable number of arguments is an array of size 0 to the callee.
      AddArray(cast<ptx::Variable>(P), false);
    } else if (mlir::Type Ty = registerType(parameterType(P), P->getLoc())) {
      S.Args.append(numValues(P), Ty);
      S.Aggregates.resize(S.Args.size());
    } else {
      return failure();
    }
  }
  return S;
}

//===----------------------------------------------------------------------===//
// Mnemonics
//===----------------------------------------------------------------------===//

/// The operation's name: the opcode without `.sync`, which all such
/// instructions of the dialect are.
static std::string operationName(const ptx::Instruction &Inst) {
  StringRef Opcode = ptx::getOpcodeName(Inst.getOpcode());
  if (Opcode == "bar.warp.sync")
    return "ptx.warp_sync";
  Opcode.consume_back(".sync");
  bool Carry = Inst.has(ptx::ModKind::CarryOut);
  if (Opcode == "addc" || (Opcode == "add" && Carry))
    return "ptx.add_carry";
  if (Opcode == "subc" || (Opcode == "sub" && Carry))
    return "ptx.sub_carry";
  if (Opcode == "madc" || (Opcode == "mad" && Carry))
    return "ptx.mad_carry";
  return ("ptx." + Opcode).str();
}

bool ModuleImporter::describe(const ptx::Instruction &Inst,
                              ImportedMnemonic &Result) {
  const ptx::Mnemonic &Mn = Inst.getMnemonic();
  MLIRContext *Context = B.getContext();
  OperationName Name(operationName(Inst), Context);
  if (!Name.isRegistered())
    return false;
  // set of packed integers gives what it compares.
  if (Inst.getOpcode() == ptx::Opcode::Set && Mn.NumTypes == 1)
    return false;
  ArrayRef<StringAttr> Known = Name.getAttributeNames();
  auto Has = [&](StringRef Attr) { return llvm::is_contained(Known, Attr); };
  auto Add = [&](StringRef Attr, Attribute Value) {
    if (!Value || !Has(Attr))
      return false;
    Result.Attrs.push_back(B.getNamedAttr(Attr, Value));
    return true;
  };
  for (unsigned I = 0; I != ptx::NumModKinds; ++I) {
    auto Kind = ptx::ModKind(I);
    if (!Mn.Mods[I] || Kind == ptx::ModKind::CarryOut ||
        Kind == ptx::ModKind::Sync)
      continue;
    // .abs belongs to .xorsign where that is written.
    if (Kind == ptx::ModKind::AbsMode) {
      if (!Mn.Mods[unsigned(ptx::ModKind::XorSign)] &&
          !Add("abs", B.getUnitAttr()))
        return false;
      continue;
    }
    StringRef Spelling = ptx::getModifierName(Kind, Mn.Mods[I]);
    if (Kind == ptx::ModKind::Accuracy) {
      if (!Add(Spelling, B.getUnitAttr()))
        return false;
      continue;
    }
    auto Rules = ptxir::getModifierRules();
    auto *Rule =
        llvm::find_if(Rules, [&](const auto &R) { return R.Kind == Kind; });
    if (Rule == Rules.end() || !Add(Rule->Attr, Rule->Make(Context, Spelling)))
      return false;
  }
  static constexpr StringLiteral TypeAttrs[] = {"ty", "sty"};
  for (unsigned I = 0; I != Mn.NumTypes; ++I) {
    auto Ty = scalarType(Mn.Types[I]);
    if (I == 0 && !Has("ty"))
      break; // The type says nothing that the operation does not.
    if (!Ty || I == 2 ||
        !Add(TypeAttrs[I], ptxir::ScalarTypeAttr::get(Context, *Ty)))
      return false;
  }
  Result.Name = Name;
  Result.Template = OpTemplate(Name, location(Inst.getLoc()), Result.Attrs);
  return true;
}

ImportedMnemonic *ModuleImporter::mnemonic(const ptx::Instruction &Inst) {
  auto [It, New] = Mnemonics.try_emplace(&Inst.getMnemonic());
  if (New && !describe(Inst, It->second))
    It->second.Name.reset();
  return It->second.Name ? &It->second : nullptr;
}

IntegerAttr ModuleImporter::offsetAttr(int64_t Value) {
  return cast<IntegerAttr>(integerAttr(64, uint64_t(Value)));
}

TypedAttr ModuleImporter::integerAttr(unsigned Bits, uint64_t Value) {
  TypedAttr &Attr = Integers[{Bits, Value}];
  if (!Attr)
    Attr = B.getIntegerAttr(
        B.getIntegerType(Bits),
        llvm::APInt(Bits, Value, false, /*implicitTrunc=*/true));
  return Attr;
}

Value ModuleImporter::makeConstant(Location Loc, TypedAttr Value) {
  if (!ConstantTemplate)
    ConstantTemplate = OpTemplate(
        OperationName(ptxir::ConstantOp::getOperationName(), B.getContext()),
        Loc, {});
  Operation *Op = ConstantTemplate.create(B, Loc, Value.getType(), {});
  cast<ptxir::ConstantOp>(Op).getProperties().value = Value;
  return Op->getResult(0);
}

//===----------------------------------------------------------------------===//
// Symbols and variables
//===----------------------------------------------------------------------===//

StringAttr ModuleImporter::uniqueName(StringRef Name) {
  std::string Unique = Name.str();
  while (!UsedNames.try_emplace(Unique, 0).second)
    Unique = (Name + "$" + Twine(++UsedNames[Name])).str();
  return B.getStringAttr(Unique);
}

StringAttr ModuleImporter::symbolOf(const ptx::Function *F) {
  return Symbols.lookup(F);
}

StringAttr ModuleImporter::symbolOf(const ptx::Variable *Var) {
  auto It = Symbols.find(Var);
  if (It != Symbols.end())
    return It->second;
  // A variable of a function: local to the module, whatever its name.
  Symbols[Var] = uniqueName(Var->getName());
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(Module.getBody());
  if (failed(importVariable(Var)))
    return {};
  return Symbols[Var];
}

static ptxir::Linkage linkageOf(ptx::Linkage L) {
  switch (L) {
  case ptx::Linkage::None:
    return ptxir::Linkage::Internal;
  case ptx::Linkage::Extern:
    return ptxir::Linkage::External;
  case ptx::Linkage::Visible:
    return ptxir::Linkage::Visible;
  case ptx::Linkage::Weak:
    return ptxir::Linkage::Weak;
  case ptx::Linkage::Common:
    return ptxir::Linkage::Common;
  }
  return ptxir::Linkage::Internal;
}

static std::optional<ptxir::Space> spaceOf(ptx::StateSpace Space) {
  switch (Space) {
  case ptx::StateSpace::Global:
    return ptxir::Space::Global;
  case ptx::StateSpace::Const:
    return ptxir::Space::Const;
  case ptx::StateSpace::Shared:
  case ptx::StateSpace::SharedCta:
    return ptxir::Space::Shared;
  case ptx::StateSpace::Local:
    return ptxir::Space::Local;
  default:
    return std::nullopt;
  }
}

/// Turns `{ filter_mode = linear }` into the bytes that SamplerFields.h
/// describes.
LogicalResult ModuleImporter::importSampler(const ptx::Variable *Var,
                                            std::string &Bytes) {
  if (Var->Ty != ptx::Type::SamplerRef || Var->IsArray)
    return unsupported(Var->OpaqueInit.front().Loc,
                       "an initial value of type ." +
                           ptx::getTypeName(Var->Ty) +
                           (Var->IsArray ? "[]" : ""));
  Bytes.assign(std::begin(DefaultSampler), std::end(DefaultSampler));
  for (const ptx::OpaqueField &F : Var->OpaqueInit) {
    const auto *Field = llvm::find_if(
        SamplerFields, [&](const SamplerField &S) { return S.Name == F.Name; });
    if (Field == std::end(SamplerFields))
      return emitError(location(F.Loc))
             << "a sampler has no field '" << F.Name << "'";
    const auto *Word = llvm::find(Field->Words, F.Word);
    uint64_t Value = F.Word.empty() ? F.Value : Word - Field->Words.begin();
    if (Value >= std::max<size_t>(Field->Words.size(), 2) ||
        (Field->Words.empty() && !F.Word.empty()))
      return emitError(location(F.Loc))
             << "no value of '" << F.Name << "' for a sampler";
    Bytes[Field->Byte] = char(Value);
  }
  return success();
}

LogicalResult ModuleImporter::importVariable(const ptx::Variable *Var) {
  auto Space = spaceOf(Var->Space);
  auto Ty = scalarType(Var->Ty);
  if (!Space || *Space == ptxir::Space::Local)
    return unsupported(Var->getLoc(), "a variable of a module in this space");
  if (!Ty)
    return unsupported(Var->getLoc(),
                       "a variable of type ." + ptx::getTypeName(Var->Ty));
  std::string Bytes;
  if (!Var->OpaqueInit.empty() && failed(importSampler(Var, Bytes)))
    return failure();
  SmallVector<Attribute> Relocs;
  unsigned Width = ptx::getTypeBits(Var->Ty) / 8;
  for (const ptx::InitElement &E : Var->Init) {
    uint64_t Value = E.Value;
    if (E.K == ptx::InitElement::Kind::Symbol) {
      StringAttr Symbol = llvm::isa<ptx::Variable>(E.Symbol)
                              ? symbolOf(cast<ptx::Variable>(E.Symbol))
                              : symbolOf(cast<ptx::Function>(E.Symbol));
      Relocs.push_back(ptxir::RelocAttr::get(B.getContext(), Bytes.size(),
                                             FlatSymbolRefAttr::get(Symbol),
                                             E.Addend, E.Generic, E.Mask));
      Value = 0;
    }
    for (unsigned I = 0; I != Width; ++I)
      Bytes.push_back(char(I < 8 ? Value >> (8 * I) : 0));
  }
  // Zeros at the end need not be written.
  Bytes.resize(StringRef(Bytes).rtrim('\0').size());
  SmallVector<int64_t> Dims(Var->Dims.begin(), Var->Dims.end());
  ptxir::GlobalOp::create(
      B, location(Var->getLoc()), symbolOf(Var), *Space, *Ty, Var->getSize(),
      Var->getAlign(), linkageOf(Var->Link),
      Bytes.empty() ? StringAttr() : B.getStringAttr(Bytes),
      Relocs.empty() ? ArrayAttr() : B.getArrayAttr(Relocs),
      Var->IsArray ? B.getDenseI64ArrayAttr(Dims) : DenseI64ArrayAttr(),
      Var->VectorWidth, Var->Managed, unifiedId(Var->Unified));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<ptxir::EntryOp> ModuleImporter::createEntry(const ptx::Function *F) {
  SmallVector<Attribute> Params;
  for (ptx::Parameter P : F->Params) {
    auto *Var = dyn_cast<ptx::Variable>(P);
    auto Ty = scalarType(parameterType(P));
    if (!Var || !Ty || Var->isUnsized())
      return unsupported(P->getLoc(), "a kernel parameter of this kind");
    bool Array = Var->IsArray || Var->VectorWidth != 1;
    ptxir::PtrAttr Ptr;
    if (Var->IsPtr)
      Ptr = ptxir::PtrAttr::get(
          B.getContext(),
          spaceOf(Var->PtrSpace).value_or(ptxir::Space::Generic), Var->PtrAlign,
          Var->PtrObject ? ptxir::ScalarTypeAttr::get(
                               B.getContext(), *scalarType(*Var->PtrObject))
                         : ptxir::ScalarTypeAttr());
    Params.push_back(ptxir::EntryParamAttr::get(
        B.getContext(), B.getStringAttr(Var->getName()), *Ty,
        Array ? Var->getNumElements() * Var->VectorWidth : 0, Var->getAlign(),
        Ptr));
  }
  auto Extent = [&](const std::optional<std::array<uint32_t, 3>> &E) {
    return E ? B.getDenseI32ArrayAttr(
                   {int32_t((*E)[0]), int32_t((*E)[1]), int32_t((*E)[2])})
             : DenseI32ArrayAttr();
  };
  auto Number = [&](std::optional<uint32_t> N) { return numberAttr(N); };
  const ptx::PerformanceDirectives &D = F->Directives;
  auto Entry = ptxir::EntryOp::create(
      B, location(F->getLoc()), symbolOf(F), B.getArrayAttr(Params),
      linkageOf(F->Link), Extent(D.MaxNTid), Extent(D.ReqNTid),
      Extent(D.ReqNCtaPerCluster), Number(D.MinNCtaPerSm), Number(D.MaxNReg),
      Number(D.MaxClusterRank), D.ExplicitCluster, Number(D.MaxNCtaPerSm),
      D.BlocksAreClusters, strings(D.Pragmas), Number(D.MinPerCtaMemory),
      languages(D));
  return Entry;
}

FailureOr<ptxir::FuncOp> ModuleImporter::createFunc(const ptx::Function *F) {
  auto S = signatureOf(F->Returns, F->Params, F->getLoc());
  if (failed(S))
    return failure();
  auto Func = ptxir::FuncOp::create(
      B, location(F->getLoc()), symbolOf(F),
      B.getFunctionType(S->Args, S->Results), linkageOf(F->Link),
      F->Directives.NoReturn,
      /*arg_attrs=*/ArrayAttr(),
      /*res_attrs=*/ArrayAttr(), strings(F->Directives.Pragmas),
      unifiedId(F->Unified), numberAttr(F->Directives.AbiPreserve),
      numberAttr(F->Directives.AbiPreserveControl), languages(F->Directives));
  // Arguments are the array that is returned and the parameters, of which a
  // vector is several.
  SmallVector<NamedAttribute> ArgNames, ResultNames;
  auto AddNames = [&](ptx::Parameter P, SmallVectorImpl<NamedAttribute> &To) {
    unsigned Count = numValues(P);
    for (unsigned N = 0; N != Count; ++N)
      To.push_back(B.getNamedAttr(
          ptxir::FuncOp::ParamNameAttrName,
          B.getStringAttr(Count == 1 ? Twine(P->getName())
                                     : P->getName() + "_" + Twine(N))));
  };
  if (S->ResultArray)
    AddNames(S->ResultArray, ArgNames);
  else
    for (ptx::Parameter P : F->Returns)
      AddNames(P, ResultNames);
  for (ptx::Parameter P : F->Params)
    AddNames(P, ArgNames);
  SmallVector<Attribute> Args, Results;
  for (auto [Name, Aggregate] : llvm::zip(ArgNames, S->Aggregates)) {
    SmallVector<NamedAttribute, 2> Attrs;
    if (Aggregate)
      Attrs.push_back(
          B.getNamedAttr(ptxir::FuncOp::AggregateAttrName, Aggregate));
    Attrs.push_back(Name);
    Args.push_back(B.getDictionaryAttr(Attrs));
  }
  for (NamedAttribute Name : ResultNames)
    Results.push_back(B.getDictionaryAttr(Name));
  if (!Args.empty())
    Func.setArgAttrsAttr(B.getArrayAttr(Args));
  if (!Results.empty())
    Func.setResAttrsAttr(B.getArrayAttr(Results));
  return Func;
}

ImportedPart ModuleImporter::partOf(const ptx::Function *F) const {
  return F->isDefinition() ? Wants(*F) : ImportedPart::Signature;
}

LogicalResult ModuleImporter::importFunction(const ptx::Function *F) {
  ImportedPart Part = partOf(F);
  if (Part == ImportedPart::Nothing)
    return success();
  Operation *Op = nullptr;
  if (F->isEntry()) {
    auto Entry = createEntry(F);
    if (failed(Entry))
      return failure();
    Op = *Entry;
  } else {
    auto Func = createFunc(F);
    if (failed(Func))
      return failure();
    Op = *Func;
  }
  if (Part == ImportedPart::Signature)
    return success();
  for (const ptx::Instruction *Inst : F->Meaningless)
    (void)unsupported(Inst->getLoc(), "'" + Inst->getMnemonic().Spelling +
                                          "' in a form that the manual does "
                                          "not have");
  if (!F->Meaningless.empty())
    return failure();
  OpBuilder::InsertionGuard Guard(B);
  return importBody(*this, F, Op);
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

DenseI64ArrayAttr
ModuleImporter::unifiedId(const std::optional<ptx::UnifiedId> &Id) {
  if (!Id)
    return {};
  return B.getDenseI64ArrayAttr({int64_t((*Id)[0]), int64_t((*Id)[1])});
}

IntegerAttr ModuleImporter::numberAttr(std::optional<uint32_t> Number) {
  return Number ? B.getI32IntegerAttr(*Number) : IntegerAttr();
}

DenseI32ArrayAttr
ModuleImporter::languages(const ptx::PerformanceDirectives &D) {
  SmallVector<int32_t> Codes;
  for (int32_t Code = 0; Code != 16; ++Code)
    if (D.Languages >> Code & 1)
      Codes.push_back(Code);
  return Codes.empty() ? DenseI32ArrayAttr() : B.getDenseI32ArrayAttr(Codes);
}

ArrayAttr ModuleImporter::strings(ArrayRef<StringRef> Strings) {
  return Strings.empty() ? ArrayAttr() : B.getStrArrayAttr(Strings);
}

/// The directives of the file are attributes of the module.
void ModuleImporter::importHeader() {
  auto Set = [&](StringRef Name, Attribute Value) {
    Module->setAttr(("ptx." + Name).str(), Value);
  };
  Set("version", B.getStringAttr(Twine(unsigned(M.PTXVersion.Major)) + "." +
                                 Twine(unsigned(M.PTXVersion.Minor))));
  Set("target", B.getStringAttr(M.GPU.str()));
  Set("address_size", B.getI32IntegerAttr(M.AddressSize));
  SmallVector<StringRef> Options;
  if (M.TextureModeIndependent)
    Options.push_back("texmode_independent");
  if (M.MapF64ToF32)
    Options.push_back("map_f64_to_f32");
  if (M.TargetDebug)
    Options.push_back("debug");
  if (!Options.empty())
    Set("target_options", strings(Options));
  if (!M.Pragmas.empty())
    Set("pragmas", strings(M.Pragmas));
  SmallVector<Attribute> Files;
  for (const ptx::FileEntry &File : M.Files)
    Files.push_back(ptxir::FileAttr::get(
        B.getContext(), File.Index, B.getStringAttr(File.Name),
        File.Timestamp ? int64_t(*File.Timestamp) : -1,
        File.Size ? int64_t(*File.Size) : -1));
  if (!Files.empty())
    Set("files", B.getArrayAttr(Files));
}

/// Numbers of one width that follow one another are one item.
void ModuleImporter::importSection(const ptx::Section &S) {
  using ItemKind = ptx::SectionItem::Kind;
  SmallVector<Attribute> Items;
  SmallVector<int64_t> Run;
  auto Add = [&](ptxir::SectionItemKind Kind, uint64_t Width, StringRef Name,
                 StringRef Minus = {}, int64_t Addend = 0) {
    auto Text = [&](StringRef T) {
      return T.empty() ? StringAttr() : B.getStringAttr(T);
    };
    Items.push_back(ptxir::SectionItemAttr::get(
        B.getContext(), Kind, Width, Text(Name), Text(Minus), Addend,
        Run.empty() ? DenseI64ArrayAttr() : B.getDenseI64ArrayAttr(Run)));
    Run.clear();
  };
  for (auto [I, Item] : llvm::enumerate(S.Items)) {
    bool Last = I + 1 == S.Items.size() || S.Items[I + 1].K != ItemKind::Int ||
                S.Items[I + 1].Width != Item.Width;
    switch (Item.K) {
    case ItemKind::Label:
      Add(ptxir::SectionItemKind::Label, 0, Item.Name);
      break;
    case ItemKind::Int:
      Run.push_back(int64_t(Item.Value));
      if (Last)
        Add(ptxir::SectionItemKind::Data, Item.Width, {});
      break;
    case ItemKind::String:
      Add(ptxir::SectionItemKind::Text, Item.Width, Item.Name);
      break;
    case ItemKind::Symbol:
      Add(ptxir::SectionItemKind::Symbol, Item.Width, Item.Name, Item.Minus,
          int64_t(Item.Value));
      DebugLabels.insert(Item.Name);
      if (!Item.Minus.empty())
        DebugLabels.insert(Item.Minus);
      break;
    }
  }
  ptxir::SectionOp::create(B, location(S.Loc), S.Name, B.getArrayAttr(Items));
}

OwningOpRef<ModuleOp> ModuleImporter::run() {
  OwningOpRef<ModuleOp> Result =
      ModuleOp::create(FileLineColLoc::get(FileName, 1, 1));
  Module = *Result;
  importHeader();
  for (const ptx::Function *F : M.Functions)
    Symbols[F] = uniqueName(F->getName());
  // Within the module an alias is the function that it names.
  llvm::DenseSet<const ptx::Function *> Aliases;
  SmallVector<StringAttr> AliasNames;
  for (const ptx::AliasDecl *A : M.Aliases) {
    AliasNames.push_back(Symbols[A->Alias]);
    Symbols[A->Alias] = Symbols[A->Aliasee];
    Aliases.insert(A->Alias);
  }
  for (const ptx::Variable *Var : M.Globals)
    Symbols[Var] = uniqueName(Var->getName());
  B.setInsertionPointToEnd(Module.getBody());
  bool Failed = false;
  for (const ptx::Section *S : M.Sections)
    importSection(*S);
  for (const ptx::Variable *Var : M.Globals)
    Failed |= failed(importVariable(Var));
  for (const ptx::Function *F : M.Functions) {
    if (Aliases.contains(F))
      continue;
    B.setInsertionPointToEnd(Module.getBody());
    Failed |= failed(importFunction(F));
  }
  B.setInsertionPointToEnd(Module.getBody());
  for (auto [A, Name] : llvm::zip(M.Aliases, AliasNames)) {
    if (partOf(A->Aliasee) == ImportedPart::Nothing)
      continue;
    ptxir::AliasOp::create(B, location(A->getLoc()), Name, symbolOf(A->Aliasee),
                           linkageOf(A->Alias->Link));
  }
  if (Failed)
    return {};
  return Result;
}

OwningOpRef<ModuleOp> heddle::importPTX(const ptx::Module &Module,
                                        llvm::MemoryBufferRef Source,
                                        MLIRContext &Context,
                                        FunctionFilter Wants,
                                        ImportedVariables Variables) {
  // A context made without threads locks its tables all the same until it is
  // told again, which takes as long as all the rest of a location.
  if (!Context.isMultithreadingEnabled())
    Context.disableMultithreading();
  Context.loadDialect<ptxir::PTXDialect>();
  return ModuleImporter(Module, Source, Context, Wants, Variables).run();
}
