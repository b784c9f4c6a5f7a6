//===- MetadataBuilder.cpp - Scopes and variables as metadata ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units, files, functions, blocks and variables.
//
//===----------------------------------------------------------------------===//

#include "DebugMetadata/MetadataBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::lowering;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

DWARFDie lowering::originOf(const DWARFDie &Die) {
  DWARFDie Result = Die;
  // No chain is longer than a copy, its abstract entry and a declaration.
  for (unsigned N = 0; N != 4; ++N) {
    DWARFDie Next =
        Result.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    if (!Next)
      break;
    Result = Next;
  }
  return Result;
}

uint64_t lowering::numberOf(const DWARFDie &Die, dwarf::Attribute Attr,
                            uint64_t Default) {
  auto Value = Die.find(Attr);
  if (!Value)
    return Default;
  if (auto Number = Value->getAsUnsignedConstant())
    return *Number;
  if (auto Number = Value->getAsSignedConstant())
    return uint64_t(*Number);
  return Default;
}

StringRef lowering::nameOf(const DWARFDie &Die) {
  const char *Name = Die.getShortName();
  return Name ? Name : "";
}

//===----------------------------------------------------------------------===//
// Units and files
//===----------------------------------------------------------------------===//

/// A file of the table that `.file` makes.
DIFile *MetadataBuilder::file(uint64_t Index) {
  DIFile *&File = Files[Index];
  if (File)
    return File;
  StringRef Path;
  for (const ptx::FileEntry &Entry : Debug.module().Files)
    if (Entry.Index == Index)
      Path = Entry.Name;
  auto [Directory, Name] = Path.rsplit('/');
  File = Name.empty() ? Builder.createFile(Path, "")
                      : Builder.createFile(Name, Directory);
  return File;
}

DICompileUnit *MetadataBuilder::unit(const DWARFDie &Die) {
  DWARFDie Entry = Die.getDwarfUnit()->getUnitDIE(/*ExtractUnitDIEOnly=*/false);
  DICompileUnit *&Unit = Units[Entry.getOffset()];
  if (Unit)
    return Unit;
  // Files are named with their folders, whatever folder the compiler ran in.
  StringRef Name = nameOf(Entry);
  const char *Directory = Entry.getDwarfUnit()->getCompilationDir();
  bool IsWhole = Name.starts_with("/") || !Directory || !*Directory;
  std::string Path = IsWhole ? Name.str() : (Directory + ("/" + Name)).str();
  Unit = Builder.createCompileUnit(
      DISourceLanguageName(
          numberOf(Entry, dwarf::DW_AT_language, dwarf::DW_LANG_C_plus_plus)),
      Builder.createFile(Path, ""), "heddle", IsOptimized, "", 0);
  return Unit;
}

void MetadataBuilder::finish() { Builder.finalize(); }

//===----------------------------------------------------------------------===//
// Scopes of code
//===----------------------------------------------------------------------===//

DISubprogram *MetadataBuilder::subprogram(const DWARFDie &Die) {
  DWARFDie Origin = originOf(Die);
  DISubprogram *&Found = Subprograms[Origin.getOffset()];
  if (Found)
    return Found;
  DICompileUnit *Unit = unit(Origin);
  DWARFDie Declared =
      Origin.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification);
  const char *Linkage = Origin.getLinkageName();
  uint64_t Line = numberOf(Origin, dwarf::DW_AT_decl_line);
  uint64_t File = numberOf(Origin, dwarf::DW_AT_decl_file);
  if (Declared && File == 0)
    File = numberOf(Declared, dwarf::DW_AT_decl_file);
  if (Declared && Line == 0)
    Line = numberOf(Declared, dwarf::DW_AT_decl_line);
  auto Flags = DISubprogram::SPFlagDefinition;
  if (IsOptimized)
    Flags |= DISubprogram::SPFlagOptimized;
  // What the scopes of types in it come to again: these follow, in operands
  // that are there from the start.
  MDTuple *None = MDTuple::get(context(), {});
  DISubprogram *SP = Builder.createFunction(
      Unit, nameOf(Origin), Linkage ? Linkage : "", file(File), Line,
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), Line,
      DINode::FlagPrototyped, Flags, None);
  Found = SP;
  SP->replaceType(makeSignature(Origin));
  DINodeArray Parameters = templateParameters(Origin);
  constexpr unsigned TemplateParameters = 9;
  SP->replaceOperandWith(TemplateParameters,
                         Parameters.empty() ? nullptr : Parameters.get());
  return SP;
}

DISubprogram *MetadataBuilder::subprogram(StringRef LinkageName, uint64_t File,
                                          DISubprogram *Near) {
  DISubprogram *&Found = Unknown[LinkageName];
  if (!Found)
    Found = Builder.createFunction(
        Near->getUnit(), LinkageName, LinkageName, file(File), 0,
        Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), 0,
        DINode::FlagPrototyped,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  return Found;
}

DILocalScope *MetadataBuilder::localScope(const DWARFDie &Die) {
  if (Die.getTag() != dwarf::DW_TAG_lexical_block)
    return subprogram(Die);
  DWARFDie Origin = originOf(Die);
  DILocalScope *&Block = Blocks[Origin.getOffset()];
  if (!Block) {
    DILocalScope *Parent = localScope(Die.getParent());
    Block = Builder.createLexicalBlock(Parent, Parent->getFile(), 0, 0);
  }
  return Block;
}

DILocation *MetadataBuilder::location(uint64_t File, unsigned Line,
                                      unsigned Column, DILocalScope *Scope,
                                      DILocation *At) {
  return location(File ? file(File) : Scope->getFile(), Line, Column, Scope,
                  At);
}

DILocation *MetadataBuilder::location(DIFile *File, unsigned Line,
                                      unsigned Column, DILocalScope *Scope,
                                      DILocation *At) {
  if (Scope->getFile() != File)
    Scope = Builder.createLexicalBlockFile(Scope, File);
  return DILocation::get(context(), Line, Column, Scope, At);
}

DILocation *MetadataBuilder::inlinedAt(const DWARFDie &Die) {
  DWARFDie Copy = Die;
  while (Copy && Copy.getTag() != dwarf::DW_TAG_inlined_subroutine) {
    if (Copy.getTag() == dwarf::DW_TAG_subprogram)
      return nullptr;
    Copy = Copy.getParent();
  }
  if (!Copy)
    return nullptr;
  DILocation *&Site = CallSites[Copy.getOffset()];
  if (!Site) {
    DWARFDie Caller = Copy.getParent();
    DILocation *At = location(numberOf(Copy, dwarf::DW_AT_call_file),
                              numberOf(Copy, dwarf::DW_AT_call_line),
                              numberOf(Copy, dwarf::DW_AT_call_column),
                              localScope(Caller), inlinedAt(Caller));
    // Each copy is one of its own, though called in one line.
    Site = DILocation::getDistinct(context(), At->getLine(), At->getColumn(),
                                   At->getScope(), At->getInlinedAt());
  }
  return Site;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// The number of a parameter among those of its function, from 1 on.
static unsigned parameterNumber(const DWARFDie &Die) {
  unsigned Number = 0;
  for (const DWARFDie &Child : Die.getParent().children()) {
    Number += Child.getTag() == dwarf::DW_TAG_formal_parameter;
    if (Child.getOffset() == Die.getOffset())
      break;
  }
  return Number;
}

DILocalVariable *MetadataBuilder::variable(const DWARFDie &Die) {
  DWARFDie Origin = originOf(Die);
  auto [It, IsNew] = Variables.try_emplace(Origin.getOffset(), nullptr);
  if (!IsNew)
    return It->second;
  DIType *T = typeOf(Origin);
  if (!T || nameOf(Origin).empty())
    return nullptr;
  DILocalScope *Scope = localScope(Die.getParent());
  DIFile *File = file(numberOf(Origin, dwarf::DW_AT_decl_file));
  unsigned Line = numberOf(Origin, dwarf::DW_AT_decl_line);
  auto Flags = Origin.find(dwarf::DW_AT_artificial) ? DINode::FlagArtificial
                                                    : DINode::FlagZero;
  bool IsParameter = Origin.getTag() == dwarf::DW_TAG_formal_parameter &&
                     isa<DISubprogram>(Scope);
  DILocalVariable *V =
      IsParameter
          ? Builder.createParameterVariable(Scope, nameOf(Origin),
                                            parameterNumber(Origin), File, Line,
                                            T, /*AlwaysPreserve=*/true, Flags)
          : Builder.createAutoVariable(Scope, nameOf(Origin), File, Line, T,
                                       /*AlwaysPreserve=*/true, Flags);
  Variables[Origin.getOffset()] = V;
  return V;
}

/// Whether a variable is one of the module, wherever it is declared.
static bool isStatic(const DWARFDie &Die) {
  switch (ptx::DebugSpace(numberOf(Die, dwarf::DW_AT_address_class))) {
  case ptx::DebugSpace::Const:
  case ptx::DebugSpace::Global:
  case ptx::DebugSpace::Shared:
    return true;
  default:
    return false;
  }
}

void MetadataBuilder::addVariables(const DWARFDie &Die) {
  for (const DWARFDie &Child : Die.children()) {
    if (Child.getTag() == dwarf::DW_TAG_formal_parameter ||
        (Child.getTag() == dwarf::DW_TAG_variable && !isStatic(Child)))
      (void)variable(Child);
    else if (Child.getTag() == dwarf::DW_TAG_lexical_block)
      addVariables(Child);
  }
}

/// Whether something of the module is in a function, which may be inlined.
bool MetadataBuilder::isDescribed(const DWARFDie &Die) const {
  DWARFDie Function = Die;
  while (Function.getTag() == dwarf::DW_TAG_lexical_block)
    Function = Function.getParent();
  return Subprograms.contains(originOf(Function).getOffset());
}

/// Variables of the module, those in functions too. Their places say the
/// address space as LLVM does: by its number and DW_OP_xderef.
void MetadataBuilder::addGlobal(Module &M, const DWARFDie &Die) {
  ptx::DebugPlace Place = Debug.staticPlaceOf(Die);
  if (Place.Kind != ptx::DebugPlace::Memory)
    return;
  GlobalVariable *Global = M.getNamedGlobal(Place.Name);
  DIType *T = typeOf(Die);
  if (!Global || !T)
    return;
  uint64_t Space = numberOf(Die, dwarf::DW_AT_address_class,
                            uint64_t(ptx::DebugSpace::Global));
  SmallVector<uint64_t, 8> Ops;
  if (Place.Offset)
    Ops.append({dwarf::DW_OP_plus_uconst, uint64_t(Place.Offset)});
  Ops.append(
      {dwarf::DW_OP_constu, Space, dwarf::DW_OP_swap, dwarf::DW_OP_xderef});
  DWARFDie Parent = Die.getParent();
  bool IsLocal = Parent.getTag() == dwarf::DW_TAG_lexical_block ||
                 Parent.getTag() == dwarf::DW_TAG_subprogram;
  if (IsLocal && !isDescribed(Parent))
    return;
  // LLVM puts what has a place of its own into functions, not into blocks.
  DIScope *Scope = scopeOf(Die);
  if (IsLocal)
    Scope = localScope(Parent)->getSubprogram();
  Global->addDebugInfo(Builder.createGlobalVariableExpression(
      Scope, nameOf(Die), Place.Name,
      file(numberOf(Die, dwarf::DW_AT_decl_file)),
      numberOf(Die, dwarf::DW_AT_decl_line), T, !Global->hasExternalLinkage(),
      true, Builder.createExpression(Ops)));
}

void MetadataBuilder::addGlobals(Module &M) {
  for (const auto &Unit : Debug.dwarf().compile_units())
    for (const DWARFDebugInfoEntry &Entry : Unit->dies()) {
      DWARFDie Die(Unit.get(), &Entry);
      if (Die.getTag() != dwarf::DW_TAG_variable)
        continue;
      // Inside of code that was not compiled there is none.
      DWARFDie In = Die.getParent();
      while (In && In.getTag() == dwarf::DW_TAG_lexical_block)
        In = In.getParent();
      if (In && In.getTag() == dwarf::DW_TAG_inlined_subroutine)
        continue;
      addGlobal(M, Die);
    }
}
