//===- TablesTest.cpp - Tests of the generated PTX table --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is consistent in itself, and every row can be reached.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"

using namespace heddle::ptx;
using llvm::StringRef;

TEST(PTXTables, SpellingsAreSortedAndFound) {
  auto All = getAllSpellings();
  for (unsigned I = 0; I != All.size(); ++I) {
    EXPECT_EQ(findSpelling(All[I]), int(I));
    if (I != 0) {
      EXPECT_LT(StringRef(All[I - 1]), StringRef(All[I]));
    }
  }
  EXPECT_EQ(findSpelling("nonsense"), -1);
}

TEST(PTXTables, FormsAreFoundByHead) {
  unsigned NumForms = 0;
  for (StringRef Head : getAllHeads()) {
    auto Rows = findForms(Head);
    EXPECT_FALSE(Rows.empty()) << Head.str();
    for (const FormRow &Row : Rows)
      EXPECT_EQ(getOpcodeName(Row.Op).split('.').first, Head);
    NumForms += Rows.size();
  }
  EXPECT_EQ(NumForms, getAllForms().size());
  EXPECT_TRUE(findForms("nonsense").empty());
}

/// The mnemonic that takes the given choice of each element.
static std::string spell(const FormRow &Row, bool WithOptional) {
  std::string Head = getOpcodeName(Row.Op).split('.').first.str(), Rest;
  for (const FormElement &E : Row.getElements()) {
    if (!WithOptional && E.Optional)
      continue;
    const FormChoice &C = getChoices(E).back();
    std::string Part = ("." + getSpelling(C.Spelling)).str();
    // A modifier that has the first place stands before the opcode's parts.
    if (E.Position == 0 && C.Kind != NoModKind)
      Head += Part;
    else
      Rest += Part;
  }
  return Head + Rest;
}

// A mnemonic that fits is rejected for its operands, not for its parts.
TEST(PTXTables, EveryRowIsReachable) {
  for (const FormRow &Row : getAllForms()) {
    for (bool WithOptional : {false, true}) {
      std::string Text = spell(Row, WithOptional);
      std::string Target = "sm_100a";
      if (!Row.getTargets().empty() && Row.getTargets()[0].Suffix)
        Target = Row.getTargets()[0].str();
      unsigned Version = 95;
      // Forms that were given up.
      if (Row.GoneVersion) {
        Version = Row.MinVersion;
        Target = Row.getTargets().empty() ? "sm_10" : Row.getTargets()[0].str();
      } else if (Row.GoneSm) {
        Target = "sm_75";
      }
      Parsed P(".version " + std::to_string(Version / 10) + "." +
               std::to_string(Version % 10) + "\n.target " + Target +
               "\n.address_size 64\n.func f() { " + Text +
               " 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16; }\n");
      // A call's operands are no list.
      std::string Message =
          P.Diags.hasErrors() ? P.Diags.getDiagnostics()[0].Message : "none";
      bool TooWide = Message.find("is too wide") != std::string::npos;
      bool Operands = Message.find("takes ") != std::string::npos ||
                      Message.find("expected a label") != std::string::npos ||
                      Message.find("expected the label") != std::string::npos ||
                      Message.find("expected the name") != std::string::npos;
      EXPECT_TRUE(Operands || TooWide)
          << Row.getSyntax().str() << ": " << Text << ": " << Message;
    }
  }
}

TEST(PTXTables, Targets) {
  auto Meets = [](StringRef Have, StringRef Need) {
    Target A, B;
    EXPECT_TRUE(parseTarget(Have, A));
    EXPECT_TRUE(parseTarget(Need, B));
    return A.meets(B);
  };
  EXPECT_TRUE(Meets("sm_90", "sm_80"));
  EXPECT_FALSE(Meets("sm_80", "sm_90"));
  EXPECT_TRUE(Meets("sm_90a", "sm_90a"));
  EXPECT_FALSE(Meets("sm_100a", "sm_90a"));
  EXPECT_FALSE(Meets("sm_90", "sm_90a"));
  EXPECT_TRUE(Meets("sm_103f", "sm_100f"));
  EXPECT_TRUE(Meets("sm_103a", "sm_100f"));
  EXPECT_FALSE(Meets("sm_120f", "sm_100f"));
  EXPECT_FALSE(Meets("sm_100", "sm_100f"));
  // sm_101 is what sm_110 was first.
  EXPECT_FALSE(Meets("sm_101f", "sm_100f"));
  EXPECT_FALSE(Meets("sm_103f", "sm_101f"));
  EXPECT_TRUE(Meets("sm_110f", "sm_101f"));
  EXPECT_TRUE(Meets("sm_107a", "sm_103f"));
  Target T;
  EXPECT_FALSE(parseTarget("sm_90b", T));
  EXPECT_FALSE(parseTarget("sm_", T));
  EXPECT_FALSE(parseTarget("compute_90", T));
}

TEST(PTXTables, SpecialRegisters) {
  for (const SpecialRegInfo &Info : getAllSpecialRegs()) {
    SpecialReg R;
    ASSERT_TRUE(findSpecialReg(Info.Name, R)) << Info.Name.str();
    EXPECT_EQ(&getSpecialRegInfo(R), &Info);
  }
  SpecialReg R;
  EXPECT_FALSE(findSpecialReg("%nonsense", R));
}

TEST(PTXTables, Types) {
  for (unsigned I = 0; I != NumTypes; ++I) {
    Type Ty;
    ASSERT_TRUE(findType(getTypeName(Type(I)), Ty));
    EXPECT_EQ(Ty, Type(I));
  }
  EXPECT_EQ(getTypeBits(Type::F16x2), 32u);
  EXPECT_EQ(getTypeBits(Type::Pred), 1u);
}
