//===- DocumentTest.cpp - Tests of knobs and documents ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is consistent, and documents mean what they say.
//
//===----------------------------------------------------------------------===//

#include "passes/tuning/Passes.h"

#include "heddle/Tuning/Document.h"
#include "heddle/Tuning/Search.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace heddle::tuning;
using namespace llvm;

TEST(Knobs, DomainsIncreaseAndHoldTheDefault) {
  for (const KnobInfo &K : knobTable()) {
    SCOPED_TRACE(K.Name.str());
    EXPECT_TRUE(is_sorted(K.Domain));
    EXPECT_TRUE(std::adjacent_find(K.Domain.begin(), K.Domain.end()) ==
                K.Domain.end());
    EXPECT_TRUE(is_contained(K.Domain, K.Default));
    EXPECT_GE(K.Domain.front(), 0) << "attributes hold unsigned numbers";
    EXPECT_EQ(findKnob(K.Name), &K);
  }
  EXPECT_EQ(findKnob("no such knob"), nullptr);
}

TEST(Knobs, FunctionsHaveDefaultsUntilTold) {
  LLVMContext Context;
  Module M("m", Context);
  Function *F = Function::Create(
      FunctionType::get(Type::getVoidTy(Context), /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, "f", M);
  EXPECT_EQ(knobOf(*F, Knob::GuardedLimit),
            knobInfo(Knob::GuardedLimit).Default);
  setKnob(*F, Knob::GuardedLimit, 4);
  EXPECT_EQ(knobOf(*F, Knob::GuardedLimit), 4);
  EXPECT_EQ(knobOf(*F, Knob::Registers), knobInfo(Knob::Registers).Default);
}

TEST(Knobs, InstructionsHaveChoicesOfTheirOwn) {
  LLVMContext Context;
  Module M("m", Context);
  Function *F = Function::Create(
      FunctionType::get(Type::getVoidTy(Context), /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, "f", M);
  EXPECT_TRUE(instructionKnobOf(*F, Knob::MoveUp).empty());
  Document D;
  D.Kernels["f"] = {{"move-up@10", 4}, {"move-up@9", 1}, {"move-up@3", 0}};
  BasicBlock::Create(Context, "entry", F);
  cantFail(heddle::passes::applyDocument(M, D));
  SmallVector<InstructionChoice> Moves = instructionKnobOf(*F, Knob::MoveUp);
  ASSERT_EQ(Moves.size(), 2u) << "without that of no place";
  EXPECT_EQ(Moves[0], (InstructionChoice{9, 1}));
  EXPECT_EQ(Moves[1], (InstructionChoice{10, 4}));
}

TEST(Document, ReadsWhatItWrote) {
  Document D;
  D.Kernels["gemm"] = {{"unroll@1", 4}, {"registers", 64}};
  D.Kernels["other \"name\""] = {};
  Expected<Document> Again = Document::parse(D.str());
  ASSERT_TRUE(bool(Again));
  EXPECT_EQ(Again->Kernels, D.Kernels);
  EXPECT_EQ(Again->str(), D.str());
}

static std::string messageFor(StringRef JSON) {
  Expected<Document> D = Document::parse(JSON);
  return D ? "none" : toString(D.takeError());
}

TEST(Document, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(messageFor(R"({"heddle_tuning": 1, "kernels": {}})"), "none");
  EXPECT_NE(messageFor(""), "none");
  EXPECT_NE(messageFor("[]"), "none");
  EXPECT_NE(messageFor(R"({"kernels": {}})"), "none");
  EXPECT_EQ(messageFor(R"({"heddle_tuning": 1})"),
            "tuning document: 'kernels' is missing");
  EXPECT_EQ(messageFor(R"({"heddle_tuning": 1, "kernels": {"k": 3}})"),
            "tuning document: kernel 'k': not an object");
  EXPECT_EQ(
      messageFor(
          R"({"heddle_tuning": 1, "kernels": {"k": {"vector-bit": 32}}})"),
      "tuning document: kernel 'k': unknown decision 'vector-bit'; did you "
      "mean 'vector-bits'?");
  EXPECT_EQ(
      messageFor(R"({"heddle_tuning": 1, "kernels": {"k": {"unroll@x": 2}}})"),
      "tuning document: kernel 'k': 'unroll@x': a loop or "
      "instruction is a number");
  EXPECT_EQ(
      messageFor(R"({"heddle_tuning": 1, "kernels": {"k": {"move-up": 2}}})"),
      "tuning document: kernel 'k': 'move-up' is decided for one instruction: "
      "'move-up@NUMBER'");
  EXPECT_EQ(
      messageFor(R"({"heddle_tuning": 1, "kernels": {"k": {"unroll": 1.5}}})"),
      "tuning document: kernel 'k': 'unroll' takes a whole number from 0 to "
      "16");
}

TEST(Space, HasTheExtentsOfBlocksThatDiffer) {
  Space S = spaceOf({}, {"block-x", "block-y", "block-z"},
                    {.Blocks = {{256, 1, 1}, {64, 1, 1}, {128, 2, 1}}});
  ASSERT_EQ(S.dimensions().size(), 2u);
  EXPECT_EQ(S.dimensions()[0].Name, "block-x");
  EXPECT_EQ(S.dimensions()[0].Values, (std::vector<int64_t>{0, 64, 128}));
  EXPECT_EQ(S.dimensions()[1].Name, "block-y");
  EXPECT_EQ(S.dimensions()[1].Values, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(
      extentsOf({{"block-x", 128}, {"unroll", 2}}, Knob::BlockX, {256, 4, 1}),
      (Extents{128, 4, 1}));
}

TEST(Space, HasGridsApartFromBlocks) {
  Space S = spaceOf({}, {"block-x", "grid-x", "grid-y"},
                    {.Blocks = {{256, 1, 1}, {64, 1, 1}},
                     .Grids = {{8, 1, 1}, {16, 2, 1}, {32, 1, 1}}});
  ASSERT_EQ(S.dimensions().size(), 3u);
  EXPECT_EQ(S.dimensions()[1].Name, "grid-x");
  EXPECT_EQ(S.dimensions()[1].Values, (std::vector<int64_t>{0, 16, 32}));
  EXPECT_EQ(S.dimensions()[2].Values, (std::vector<int64_t>{0, 2}));
  // 16 goes with 2 alone, and the block is as it was.
  EXPECT_EQ(S.possible({1, 1, 1}), (Point{1, 1, 1}));
  EXPECT_EQ(S.possible({1, 2, 0}), (Point{1, 2, 0}));
  Point Other = S.possible({1, 2, 1});
  EXPECT_EQ(Other[0], 1u);
  EXPECT_TRUE(Other == (Point{1, 2, 0}) || Other == (Point{1, 1, 1}));
  EXPECT_EQ(extentsOf({{"block-x", 64}, {"grid-y", 2}}, Knob::GridX, {8, 1, 1}),
            (Extents{8, 2, 1}));
}

TEST(Space, TakesMoreValues) {
  Space S = spaceOf({}, {"registers"}, {}, {{Knob::Registers, 20}});
  ArrayRef<int64_t> Values = S.dimensions().front().Values;
  EXPECT_EQ(Values.take_front(3), (ArrayRef<int64_t>{0, 20, 24}));
  EXPECT_TRUE(S.configuration(S.defaults()).empty());
}

TEST(Space, HasADimensionForEachDecision) {
  Space None = spaceOf({});
  Space Two = spaceOf({LoopShape{1}, LoopShape{2}});
  auto PerLoop =
      static_cast<size_t>(count_if(knobTable(), [](const KnobInfo &K) {
        return K.Scope == KnobScope::Loop;
      }));
  EXPECT_EQ(Two.dimensions().size(), None.dimensions().size() + 2 * PerLoop);
  EXPECT_TRUE(None.configuration(None.defaults()).empty());
  Point P = Two.defaults();
  P[1] = 2;
  Configuration C = Two.configuration(P);
  ASSERT_EQ(C.size(), 1u);
  EXPECT_EQ(C.begin()->first, "unroll@1");
  EXPECT_EQ(C.begin()->second, knobInfo(Knob::Unroll).Domain[2]);
}
