//===- LinkTest.cpp - Tests of lowering and linking -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which divisions become calls, and what linking the device library brings in.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace llvm;

namespace {

class DeviceLibraryLink : public testing::Test {
protected:
  /// Parses IR for our target.
  std::unique_ptr<Module> parse(const Twine &Text) {
    SMDiagnostic Diagnostic;
    std::string Whole =
        (R"(target datalayout = "e-p:64:64-p3:32:32-i64:64-n32:64-S64-A5"
            target triple = "heddle-unknown-unknown"
         )" +
         Text)
            .str();
    std::unique_ptr<Module> M = parseAssemblyString(Whole, Diagnostic, Context);
    EXPECT_TRUE(M) << Diagnostic.getMessage().str();
    return M;
  }

  /// What f's body, "Type %a, Type %b", calls after the lowering, in order.
  std::vector<std::string> callsAfterLowering(StringRef Type, StringRef Body) {
    std::unique_ptr<Module> M =
        parse("declare half @llvm.sqrt.f16(half) "
              "declare float @llvm.sqrt.f32(float) "
              "declare double @llvm.sqrt.f64(double) "
              "define " +
              Type + " @f(" + Type + " %a, " + Type + " %b) { " + Body +
              " ret " + Type + " %r }");
    std::vector<std::string> Calls;
    if (!M)
      return Calls;
    bool Changed = passes::lowerDivisions(*M);
    EXPECT_FALSE(verifyModule(*M, &errs()));
    for (Instruction &I : instructions(*M->getFunction("f")))
      if (auto *Call = dyn_cast<CallInst>(&I))
        Calls.push_back(Call->getCalledFunction()->getName().str());
    EXPECT_EQ(Changed, !Calls.empty());
    return Calls;
  }

  LLVMContext Context;
};

using Names = std::vector<std::string>;

} // namespace

TEST_F(DeviceLibraryLink, FloatsBecomeCalls) {
  EXPECT_EQ(callsAfterLowering("float", "%r = fdiv float %a, %b"),
            Names{"__heddle_div_rn_f32"});
  EXPECT_EQ(callsAfterLowering("double", "%r = fdiv double %a, %b"),
            Names{"__heddle_div_rn_f64"});
  EXPECT_EQ(callsAfterLowering("half", "%r = fdiv half %a, %b"),
            Names{"__heddle_div_rn_f32"});
  EXPECT_EQ(callsAfterLowering("bfloat", "%r = fdiv bfloat %a, %b"),
            Names{"__heddle_div_rn_f32"});
  EXPECT_EQ(
      callsAfterLowering("float", "%r = call float @llvm.sqrt.f32(float %a)"),
      Names{"__heddle_sqrt_rn_f32"});
  EXPECT_EQ(callsAfterLowering("double",
                               "%r = call double @llvm.sqrt.f64(double %a)"),
            Names{"__heddle_sqrt_rn_f64"});
  EXPECT_EQ(
      callsAfterLowering("half", "%r = call half @llvm.sqrt.f16(half %a)"),
      Names{"__heddle_sqrt_rn_f32"});
}

TEST_F(DeviceLibraryLink, IntegersBecomeCalls) {
  EXPECT_EQ(callsAfterLowering("i32", "%r = sdiv i32 %a, %b"),
            Names{"__heddle_sdiv32"});
  EXPECT_EQ(callsAfterLowering("i64", "%r = urem i64 %a, %b"),
            Names{"__heddle_urem64"});
  EXPECT_EQ(callsAfterLowering("i16", "%r = srem i16 %a, %b"),
            Names{"__heddle_srem32"});
  EXPECT_EQ(callsAfterLowering("i40", "%r = udiv i40 %a, %b"),
            Names{"__heddle_udiv64"});
  EXPECT_EQ(callsAfterLowering("i32", "%r = udiv i32 7, %b"),
            Names{"__heddle_udiv32"});
}

TEST_F(DeviceLibraryLink, ConstantDivisors) {
  EXPECT_EQ(callsAfterLowering("i32", "%r = sdiv i32 %a, 10"), Names{});
  EXPECT_EQ(callsAfterLowering("i16", "%r = urem i16 %a, 10"), Names{});
  EXPECT_EQ(callsAfterLowering("i64", "%r = urem i64 %a, 4096"), Names{});
  EXPECT_EQ(callsAfterLowering("i64", "%r = udiv i64 %a, 10"),
            Names{"__heddle_udiv64"});
}

TEST_F(DeviceLibraryLink, VectorsAreTakenApart) {
  EXPECT_EQ(callsAfterLowering("<2 x float>", "%r = fdiv <2 x float> %a, %b"),
            (Names{"__heddle_div_rn_f32", "__heddle_div_rn_f32"}));
  // Only the element whose divisor the selector does not expand is a call.
  EXPECT_EQ(callsAfterLowering("<2 x i64>",
                               "%r = udiv <2 x i64> %a, <i64 8, i64 10>"),
            Names{"__heddle_udiv64"});
}

TEST_F(DeviceLibraryLink, NothingIsLinkedWhereNothingIsCalled) {
  auto M = parse("declare float @__heddle_div_rn_f32(float, float) "
                 "define void @f() { ret void }");
  ASSERT_FALSE(linkDeviceLibrary(*M));
  EXPECT_TRUE(M->getFunction("__heddle_div_rn_f32")->isDeclaration());
  EXPECT_EQ(M->size(), 2u);
}

TEST_F(DeviceLibraryLink, OnlyWhatIsCalledIsLinked) {
  auto M = parse("declare i64 @__heddle_sdiv64(i64, i64) "
                 "define i64 @f(i64 %a, i64 %b) { "
                 "  %r = call i64 @__heddle_sdiv64(i64 %a, i64 %b) "
                 "  ret i64 %r }");
  std::string Layout = M->getDataLayoutStr();
  ASSERT_FALSE(linkDeviceLibrary(*M));
  EXPECT_FALSE(verifyModule(*M, &errs()));
  EXPECT_EQ(M->getDataLayoutStr(), Layout);
  EXPECT_EQ(M->getTargetTriple().str(), "heddle-unknown-unknown");
  EXPECT_TRUE(M->named_metadata_empty());
  Function *F = M->getFunction("__heddle_sdiv64");
  ASSERT_TRUE(F && !F->isDeclaration());
  EXPECT_TRUE(F->hasInternalLinkage());
  EXPECT_FALSE(F->hasFnAttribute("target-cpu"));
  EXPECT_EQ(M->getFunction("__heddle_udiv64"), nullptr);
  EXPECT_FALSE(M->getFunction("f")->hasInternalLinkage());
}

TEST_F(DeviceLibraryLink, EveryFunctionLinksAndUsesNoMemory) {
  Names All = {"div_full_f32", "div_full_ftz_f32", "div_approx_f32",
               "div_approx_ftz_f32"};
  for (std::string Rounding : {"rn", "rz", "rm", "rp"}) {
    All.push_back("div_" + Rounding + "_f32");
    All.push_back("div_" + Rounding + "_ftz_f32");
    All.push_back("div_" + Rounding + "_f64");
  }
  for (const std::string &Name : All) {
    std::string Ty = StringRef(Name).ends_with("f64") ? "double" : "float";
    auto M = parse("declare " + Ty + " @__heddle_" + Name + "(" + Ty + ", " +
                   Ty + ") define " + Ty + " @f(" + Ty + " %a) { %r = call " +
                   Ty + " @__heddle_" + Name + "(" + Ty + " %a, " + Ty +
                   " %a) ret " + Ty + " %r }");
    ASSERT_FALSE(linkDeviceLibrary(*M)) << Name;
    Function *F = M->getFunction("__heddle_" + Name);
    ASSERT_TRUE(F && !F->isDeclaration()) << Name;
    EXPECT_TRUE(F->hasFnAttribute(Attribute::AlwaysInline)) << Name;
    for (Instruction &I : instructions(*F)) {
      EXPECT_FALSE(I.mayReadOrWriteMemory()) << Name;
      EXPECT_FALSE(isa<AllocaInst>(I)) << Name;
      EXPECT_NE(I.getOpcode(), Instruction::FDiv) << Name;
    }
  }
}

TEST_F(DeviceLibraryLink, LowerThenLinkLeavesOnlyInstructions) {
  // What is left to the backend is the instruction builtins.
  auto M = parse("define double @f(double %a, double %b) { "
                 "  %q = fdiv double %a, %b ret double %q } "
                 "define i32 @g(i32 %a, i32 %b) { "
                 "  %q = srem i32 %a, %b ret i32 %q }");
  EXPECT_TRUE(passes::lowerDivisions(*M));
  ASSERT_FALSE(linkDeviceLibrary(*M));
  EXPECT_FALSE(verifyModule(*M, &errs()));
  std::vector<std::string> Left;
  for (Function &F : *M)
    if (F.isDeclaration() && !F.isIntrinsic())
      Left.push_back(F.getName().str());
  std::sort(Left.begin(), Left.end());
  EXPECT_EQ(Left, (Names{"__heddle_ddfix_f64", "__heddle_ddprep_f64"}));
}
