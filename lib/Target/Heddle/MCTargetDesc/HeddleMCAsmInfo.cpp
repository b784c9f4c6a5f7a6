//===- HeddleMCAsmInfo.cpp - Assembly of the target -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conventions of assembly files: directives, comments, expressions.
//
//===----------------------------------------------------------------------===//

#include "HeddleMCAsmInfo.h"

#include "HeddleMCTargetDesc.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
namespace isa = heddle::isa;

StringRef Heddle::getSpecifierName(uint16_t Specifier) {
  switch (Specifier) {
  case S_Const:
    return "const";
  case S_Shared:
    return "shared";
  default:
    return "";
  }
}

uint16_t Heddle::parseSpecifierName(StringRef Name) {
  for (uint16_t S : {S_Const, S_Shared})
    if (getSpecifierName(S) == Name)
      return S;
  return S_None;
}

bool Heddle::isReservedName(StringRef Name) {
  if (Name == "c" || Name.starts_with("SR_"))
    return true;
  // A register may carry modifiers after a dot.
  StringRef First = Name.split('.').first;
  First.consume_front("U");
  if (First == "RZ" || First == "PT")
    return true;
  return First.size() > 1 && StringRef("RPB").contains(First[0]) &&
         all_of(First.drop_front(), isDigit);
}

HeddleMCAsmInfo::HeddleMCAsmInfo() {
  CodePointerSize = 8;
  CalleeSaveStackSlotSize = 8;
  // The compact form of an instruction has half the bytes of the full form.
  MinInstAlignment = isa::InstBytes / 2;
  MaxInstLength = isa::InstBytes;
  CommentString = "//";
  SupportsDebugInformation = true;
  UsesELFSectionDirectiveForBSS = true;
}

bool HeddleMCAsmInfo::isValidUnquotedName(StringRef Name) const {
  return !Heddle::isReservedName(Name) &&
         MCAsmInfoELF::isValidUnquotedName(Name);
}

void HeddleMCAsmInfo::printSpecifierExpr(raw_ostream &OS,
                                         const MCSpecifierExpr &Expr) const {
  OS << '%' << Heddle::getSpecifierName(Expr.getSpecifier()) << '(';
  printExpr(OS, *Expr.getSubExpr());
  OS << ')';
}
