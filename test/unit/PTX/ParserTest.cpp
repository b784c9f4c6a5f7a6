//===- ParserTest.cpp - Tests of the PTX parser -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree that comes of well-formed PTX.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"
#include "heddle/Support/Check.h"

using namespace heddle::ptx;
using llvm::cast;
using llvm::isa;

namespace {

/// The instructions of the body of `f`; the parsed text is kept alive.
struct Body {
  explicit Body(llvm::StringRef Text) : P(withBody(Text)) {
    HEDDLE_CHECK(P.M, P.messages().c_str());
    I = instructions(*P.M->Functions.back());
  }
  Parsed P;
  std::vector<const Instruction *> I;
};

} // namespace

using llvm::StringRef;

/// One message about a module, or "" when it has none.
static std::string moduleError(StringRef Version, StringRef Target,
                               StringRef Text) {
  Parsed P((".version " + Version + "\n.target " + Target +
            "\n.address_size 64\n" + Text)
               .str());
  return P.Diags.hasErrors() ? P.Diags.getDiagnostics()[0].Message : "";
}

TEST(PTXParser, FilesAndPragmas) {
  EXPECT_EQ(moduleError("8.0", "sm_90", ".file 1 \"a\"\n.file 1 \"b\"\n"),
            "there is a .file 1 already");
  // The table of files could not hold it.
  EXPECT_NE(moduleError("8.0", "sm_90", ".file 4294967295 \"a\"\n"), "");
  EXPECT_EQ(moduleError("8.0", "sm_90", ".pragma \"nounroll\";\n"), "");
  EXPECT_EQ(moduleError("8.0", "sm_90", ".pragma \"nounrol\";\n"),
            "unknown pragma 'nounrol'; did you mean 'nounroll'?");
  EXPECT_EQ(moduleError("8.0", "sm_90", ".pragma \"frequency 5\";\n"),
            "pragma 'frequency' is only for the inside of a function");
  auto InBody = [](StringRef Text) {
    return moduleError(
        "8.0", "sm_90",
        (".entry k() { .pragma \"" + Text + "\"; ret; }\n").str());
  };
  EXPECT_EQ(InBody("frequency 5"), "");
  EXPECT_EQ(InBody("frequency"), "pragma 'frequency' needs a number behind it");
  EXPECT_EQ(InBody("frequency n"), "'n' is no number for pragma 'frequency'");
  EXPECT_EQ(InBody("used_bytes_mask 0x3"), "");
  EXPECT_EQ(InBody("nonsense"), "");
}

TEST(PTXParser, SpaceForParameters) {
  auto Kernel = [](StringRef Version, StringRef Target, unsigned Bytes) {
    return moduleError(Version, Target,
                       ".entry k(.param .align 4 .b8 a[" +
                           std::to_string(Bytes) + "]) { ret; }\n");
  };
  EXPECT_EQ(Kernel("8.0", "sm_90", 4352), "");
  EXPECT_EQ(Kernel("8.0", "sm_90", 4353),
            "the parameters of 'k' have 4353 bytes; a kernel may have 4352");
  EXPECT_EQ(Kernel("8.1", "sm_60", 4353),
            "the parameters of 'k' have 4353 bytes; a kernel may have 4352");
  EXPECT_EQ(Kernel("8.1", "sm_70", 32764), "");
  EXPECT_EQ(Kernel("8.1", "sm_70", 32765),
            "the parameters of 'k' have 32765 bytes; a kernel may have 32764");
}

TEST(PTXParser, Unified) {
  constexpr llvm::StringLiteral Variable =
      ".global .attribute(.unified(1, 2)) .u32 x; .global .u32 y;\n";
  auto Load = [&](StringRef Text) {
    return moduleError("8.0", "sm_90",
                       (Variable +
                        ".entry k() { .reg .b32 %r<3>; .reg .b64 "
                        "%rd<3>; " +
                        Text + " ret; }\n")
                           .str());
  };
  EXPECT_EQ(Load("ld.global.u32 %r1, [x].unified;"), "");
  EXPECT_EQ(Load("ld.u32 %r1, [%rd1+4].unified;"), "");
  EXPECT_EQ(Load("ld.global.u32 %r1, [y].unified;"),
            "'y' was declared without .attribute(.unified(...))");
  EXPECT_EQ(Load("st.global.u32 [x].unified, %r1;"),
            "'.unified' is only for addresses in .global that are read");
  EXPECT_EQ(moduleError("7.8", "sm_90", Variable),
            "'.unified' needs .version 8.0; .version is 7.8");
  Parsed P(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".func .attribute(.unified(3, 18446744073709551615)) f() { ret; }\n");
  ASSERT_TRUE(P.M);
  EXPECT_EQ(P.M->Functions[0]->Unified, (UnifiedId{3, UINT64_MAX}));
}

TEST(PTXParser, ModuleHeader) {
  Parsed P(".version 8.5\n.target sm_90a, debug, texmode_independent\n"
           ".address_size 64\n.file 1 \"a.cu\", 12, 34\n.file 2 \"b.cu\"\n");
  ASSERT_TRUE(P.M) << P.messages();
  EXPECT_EQ(P.M->PTXVersion.getCode(), 85u);
  EXPECT_EQ(P.M->GPU.str(), "sm_90a");
  EXPECT_TRUE(P.M->TargetDebug);
  EXPECT_TRUE(P.M->TextureModeIndependent);
  EXPECT_EQ(P.M->AddressSize, 64u);
  ASSERT_EQ(P.M->Files.size(), 2u);
  EXPECT_EQ(P.M->Files[0].Name, "a.cu");
  EXPECT_EQ(P.M->Files[0].Timestamp, 12u);
  EXPECT_EQ(P.M->Files[0].Size, 34u);
  EXPECT_FALSE(P.M->Files[1].Size);
}

TEST(PTXParser, Globals) {
  Parsed P(Header.str() +
           ".visible .global .align 8 .v2 .f32 v[2] = {{1.0, 2.0}, {3.0}};\n"
           ".const .u16 c[2][3] = {{1, 2}, {3, 4, 5}};\n"
           ".extern .shared .align 16 .b8 dyn[];\n"
           ".global .u8 s[] = {1, 2, 3}, t;\n"
           ".global .attribute(.managed) .b64 m;\n");
  ASSERT_TRUE(P.M) << P.messages();
  ASSERT_EQ(P.M->Globals.size(), 6u);
  const Variable &V = *P.M->Globals[0];
  EXPECT_EQ(V.Link, Linkage::Visible);
  EXPECT_EQ(V.VectorWidth, 2u);
  EXPECT_EQ(V.getSize(), 16u);
  EXPECT_EQ(V.getAlign(), 8u);
  ASSERT_EQ(V.Init.size(), 4u);
  EXPECT_EQ(V.Init[2].Value, 0x40400000u);
  EXPECT_EQ(V.Init[3].Value, 0u);
  const Variable &C = *P.M->Globals[1];
  EXPECT_EQ(C.Space, StateSpace::Const);
  ASSERT_EQ(C.Init.size(), 6u);
  EXPECT_EQ(C.Init[1].Value, 2u);
  EXPECT_EQ(C.Init[2].Value, 0u); // The rest of the first row.
  EXPECT_EQ(C.Init[3].Value, 3u);
  EXPECT_TRUE(P.M->Globals[2]->isUnsized());
  EXPECT_EQ(P.M->Globals[2]->Link, Linkage::Extern);
  EXPECT_EQ(P.M->Globals[3]->getSize(), 3u);
  EXPECT_EQ(P.M->Globals[4]->getSize(), 1u);
  EXPECT_TRUE(P.M->Globals[5]->Managed);
}

TEST(PTXParser, InitializersWithAddresses) {
  Parsed P(Header.str() +
           ".global .u32 g[8];\n.func f();\n"
           ".global .u64 t[4] = {f, g+4, generic(g), generic(g)+8};\n"
           ".global .u8 b[2] = {0xFF(g), 0xFF00(g)};\n");
  ASSERT_TRUE(P.M) << P.messages();
  const Variable &T = *P.M->Globals[1], &B = *P.M->Globals[2];
  ASSERT_EQ(T.Init.size(), 4u);
  EXPECT_TRUE(isa<Function>(T.Init[0].Symbol));
  EXPECT_EQ(T.Init[1].Symbol, P.M->Globals[0]);
  EXPECT_EQ(T.Init[1].Addend, 4);
  EXPECT_FALSE(T.Init[1].Generic);
  EXPECT_TRUE(T.Init[2].Generic);
  EXPECT_EQ(T.Init[3].Addend, 8);
  EXPECT_EQ(B.Init[1].Mask, 0xFF00u);
}

TEST(PTXParser, ExternAndDefinitionAreOneVariable) {
  Parsed P(Header.str() + ".extern .global .u32 g;\n"
                          ".global .u64 p = g;\n"
                          ".visible .global .u32 g = 7;\n");
  ASSERT_TRUE(P.M) << P.messages();
  ASSERT_EQ(P.M->Globals.size(), 2u);
  EXPECT_EQ(P.M->Globals[0]->Link, Linkage::Visible);
  EXPECT_EQ(P.M->Globals[1]->Init[0].Symbol, P.M->Globals[0]);
  EXPECT_EQ(P.M->Globals[0]->Init[0].Value, 7u);
}

TEST(PTXParser, Kernel) {
  Parsed P(Header.str() +
           ".visible .entry k(.param .u64 .ptr .global .align 16 a,\n"
           "  .param .align 8 .b8 s[24])\n"
           ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 64\n{ ret; }\n");
  ASSERT_TRUE(P.M) << P.messages();
  const Function &F = *P.M->Functions[0];
  EXPECT_TRUE(F.isEntry());
  EXPECT_TRUE(F.isDefinition());
  EXPECT_EQ(F.Link, Linkage::Visible);
  ASSERT_EQ(F.Params.size(), 2u);
  auto *A = cast<Variable>(F.Params[0]);
  EXPECT_TRUE(A->IsPtr);
  EXPECT_EQ(A->PtrSpace, StateSpace::Global);
  EXPECT_EQ(A->PtrAlign, 16u);
  EXPECT_EQ(A->getParent(), &F);
  EXPECT_EQ(cast<Variable>(F.Params[1])->getSize(), 24u);
  std::array<uint32_t, 3> MaxNTid = {128, 2, 1};
  EXPECT_EQ(F.Directives.MaxNTid, MaxNTid);
  EXPECT_EQ(F.Directives.MinNCtaPerSm, 3u);
  EXPECT_EQ(F.Directives.MaxNReg, 64u);
  EXPECT_FALSE(F.Directives.ReqNTid);
}

TEST(PTXParser, PrototypeAndDefinitionAreOneFunction) {
  Parsed P(Header.str() +
           ".extern .func (.param .b32 r) vprintf(.param .b64 a, "
           ".param .b64 b);\n"
           ".func (.reg .b32 r) g(.reg .b32 a);\n"
           ".func (.reg .b32 r) g(.reg .b32 a) { mov.b32 r, a; ret; }\n"
           ".func h(.param .b32 a, .param .align 8 .b8 rest[]);\n");
  ASSERT_TRUE(P.M) << P.messages();
  ASSERT_EQ(P.M->Functions.size(), 3u);
  EXPECT_FALSE(P.M->Functions[0]->isDefinition());
  EXPECT_EQ(P.M->Functions[0]->Link, Linkage::Extern);
  EXPECT_TRUE(P.M->Functions[1]->isDefinition());
  EXPECT_EQ(P.M->Functions[1]->getNumRegisters(), 2u);
  EXPECT_TRUE(P.M->Functions[2]->Variadic);
}

TEST(PTXParser, RegistersAreNumberedDensely) {
  Parsed P(Header.str() + ".func f() { .reg .b32 %r<5>; .reg .f32 x, y;\n"
                          "mov.b32 %r4, %r0; mov.f32 y, x;\n"
                          "{ .reg .b32 %r3; mov.b32 %r3, %r2; } ret; }\n");
  ASSERT_TRUE(P.M) << P.messages();
  const Function &F = *P.M->Functions[0];
  EXPECT_EQ(F.getNumRegisters(), 8u);
  auto I = instructions(F);
  EXPECT_EQ(I[0]->getOperand(0).getRegisterNumber(), 4u);
  EXPECT_EQ(I[1]->getOperand(0).getRegisterNumber(), 6u);
  // The inner %r3 hides that of the range.
  EXPECT_EQ(I[2]->getOperand(0).getRegisterNumber(), 7u);
  EXPECT_EQ(I[2]->getOperand(1).getRegisterNumber(), 2u);
}

TEST(PTXParser, MnemonicsAreResolved) {
  Body B("ld.global.nc.L1::no_allocate.L2::128B.v2.f32 {%f1, _}, [%rd1+-8];\n"
         "add.rz.ftz.sat.f32 %f1, %f2, 0f3F800000;\n"
         "add.f32.sat.ftz.rz %f1, %f2, 0f3F800000;\n"
         "cvt.rni.s32.f32 %r1, %f1;\n"
         "@!%p1 setp.lt.and.s32 %p0|%p2, %r1, -1, !%p1;\n");
  ASSERT_EQ(B.I.size(), 5u);
  const Instruction &Ld = *B.I[0];
  EXPECT_EQ(Ld.getOpcode(), Opcode::Ld);
  EXPECT_EQ(Ld.get<StateSpace>(), StateSpace::Global);
  EXPECT_TRUE(Ld.has(ModKind::NonCoherent));
  EXPECT_EQ(Ld.get<L1Eviction>(), L1Eviction::L1NoAllocate);
  EXPECT_EQ(Ld.get<L2Prefetch>(), L2Prefetch::L2128B);
  EXPECT_EQ(Ld.get<Vec>(), Vec::V2);
  EXPECT_EQ(Ld.get<CacheOp>(), CacheOp::None);
  EXPECT_EQ(Ld.getType(), Type::F32);
  ASSERT_EQ(Ld.getNumOperands(), 3u);
  ASSERT_TRUE(Ld.getOperand(0).is(Operand::Kind::Vector));
  EXPECT_TRUE(Ld.getOperand(0).getElements()[1].is(Operand::Kind::Sink));
  EXPECT_EQ(Ld.getOperand(1).getOffset(), -8);
  EXPECT_TRUE(Ld.getOperand(2).is(Operand::Kind::None));
  // The order of modifiers does not matter.
  for (unsigned I : {1, 2}) {
    EXPECT_EQ(B.I[I]->get<Rounding>(), Rounding::Rz);
    EXPECT_TRUE(B.I[I]->has(ModKind::Ftz) && B.I[I]->has(ModKind::Sat));
    EXPECT_TRUE(B.I[I]->getOperand(2).isSingle());
    EXPECT_EQ(B.I[I]->getOperand(2).getFloatBits32(), 0x3F800000u);
  }
  EXPECT_EQ(B.I[3]->getNumTypes(), 2u);
  EXPECT_EQ(B.I[3]->getType(0), Type::S32);
  EXPECT_EQ(B.I[3]->getType(1), Type::F32);
  const Instruction &Setp = *B.I[4];
  EXPECT_TRUE(Setp.getGuard() && Setp.getGuard().Negated);
  EXPECT_EQ(Setp.getGuard().getRegisterNumber(), 1u);
  EXPECT_EQ(Setp.get<CmpOp>(), CmpOp::Lt);
  EXPECT_EQ(Setp.get<BoolOp>(), BoolOp::And);
  ASSERT_TRUE(Setp.getOperand(0).is(Operand::Kind::Pair));
  EXPECT_EQ(int64_t(Setp.getOperand(2).getInt()), -1);
  EXPECT_TRUE(Setp.getOperand(3).isNegated());
}

TEST(PTXParser, EqualMnemonicsAreShared) {
  Body B("add.s32 %r1, %r2, 1; sub.s32 %r1, %r2, 1; add.s32 %r3, %r1, 2;");
  EXPECT_EQ(&B.I[0]->getMnemonic(), &B.I[2]->getMnemonic());
  EXPECT_NE(&B.I[0]->getMnemonic(), &B.I[1]->getMnemonic());
}

TEST(PTXParser, BlanksInMnemonics) {
  Body B("add .s32 %r1, %r2, 1 + 2;\n");
  EXPECT_EQ(B.I[0]->getOpcode(), Opcode::Add);
  EXPECT_EQ(B.I[0]->getOperand(2).getInt(), 3u);
}

TEST(PTXParser, OptionalOperandsInTheMiddle) {
  Body B("bar.red.popc.u32 %r1, 0, !%p1; bar.red.popc.u32 %r1, 0, 64, %p1;");
  ASSERT_EQ(B.I[0]->getNumOperands(), 4u);
  EXPECT_TRUE(B.I[0]->getOperand(2).is(Operand::Kind::None));
  EXPECT_TRUE(B.I[0]->getOperand(3).isNegated());
  EXPECT_EQ(B.I[1]->getOperand(2).getInt(), 64u);
}

TEST(PTXParser, SpecialRegisters) {
  Body B("mov.u32 %r1, %tid.y; mov.u64 %rd1, %clock64; mov.u32 %r1, WARP_SZ;\n"
         "mov.b32 %r2, %envreg3;");
  EXPECT_EQ(B.I[0]->getOperand(1).getSpecialReg(), SpecialReg::Tid);
  EXPECT_EQ(B.I[0]->getOperand(1).getComponent(), 1);
  EXPECT_EQ(B.I[1]->getOperand(1).getSpecialReg(), SpecialReg::Clock64);
  EXPECT_EQ(B.I[1]->getOperand(1).getComponent(), -1);
  EXPECT_EQ(B.I[2]->getOperand(1).getInt(), 32u);
  EXPECT_EQ(B.I[3]->getOperand(1).getSpecialReg(), SpecialReg::Envreg3);
}

TEST(PTXParser, VectorRegisters) {
  Body B(".reg .v4 .f32 v; ld.v4.f32 v, [%rd1]; add.f32 %f1, v.x, v.w;");
  EXPECT_EQ(B.I[1]->getOperand(1).getComponent(), 0);
  EXPECT_EQ(B.I[1]->getOperand(2).getComponent(), 3);
}

TEST(PTXParser, LabelsResolveThroughScopes) {
  Body B("bra L;\n"                   // The outer L, which comes later.
         "{ bra L; L: bra.uni L; }\n" // The inner one.
         "L: @%p1 bra L; ret;");
  ASSERT_EQ(B.I.size(), 5u);
  auto Label = [&](unsigned I) { return B.I[I]->getOperand(0).getLabel(); };
  EXPECT_EQ(Label(0), Label(3));
  EXPECT_EQ(Label(1), Label(2));
  EXPECT_NE(Label(0), Label(1));
  EXPECT_EQ(B.P.M->Functions.back()->getNumLabels(), 2u);
  EXPECT_TRUE(B.I[2]->has(ModKind::Uni));
}

TEST(PTXParser, BranchTargets) {
  Body B("ts: .branchtargets A, B, A;\n"
         "brx.idx %r1, ts;\n{ A: }\nA: ret; B: exit;");
  auto *T = cast<BranchTargetsDecl>(B.I[0]->getOperand(1).getSymbol());
  ASSERT_EQ(T->Targets.size(), 3u);
  EXPECT_EQ(T->Targets[0]->getName(), "A");
  EXPECT_EQ(T->Targets[0], T->Targets[2]);
  EXPECT_EQ(T->Targets[1]->getName(), "B");
}

TEST(PTXParser, Calls) {
  Parsed P(Header.str() +
           ".func (.param .b32 r) g(.param .b32 a, .param .b64 b);\n"
           ".func h();\n"
           ".func f() { .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
           ".param .b32 x, y; .param .b64 z;\n"
           "call.uni (x), g, (y, z);\ncall (x), g, (%r1, 5);\ncall h;\n"
           "p: .callprototype (.param .b32 _) _ (.param .b32 _, "
           ".param .b64 _);\n"
           "call (x), %rd1, (y, z), p;\n"
           "t: .calltargets h;\ncall %rd1, t;\n}\n");
  ASSERT_TRUE(P.M) << P.messages();
  auto I = instructions(*P.M->Functions.back());
  ASSERT_EQ(I.size(), 5u);
  EXPECT_EQ(I[0]->getOperand(1).getSymbol(), P.M->Functions[0]);
  EXPECT_EQ(I[0]->getOperand(0).getElements().size(), 1u);
  EXPECT_EQ(I[0]->getOperand(2).getElements().size(), 2u);
  EXPECT_TRUE(I[0]->getOperand(3).is(Operand::Kind::None));
  EXPECT_EQ(I[1]->getOperand(2).getElements()[1].getInt(), 5u);
  EXPECT_TRUE(I[2]->getOperand(0).getElements().empty());
  EXPECT_TRUE(I[3]->getOperand(1).is(Operand::Kind::Register));
  EXPECT_TRUE(isa<CallPrototypeDecl>(I[3]->getOperand(3).getSymbol()));
  EXPECT_TRUE(isa<CallTargetsDecl>(I[4]->getOperand(3).getSymbol()));
}

TEST(PTXParser, AddressesOfSymbols) {
  Parsed P(Header.str() + ".global .u32 g[4]; .shared .u32 s;\n"
                          ".func f() { .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                          "mov.u64 %rd1, g+8; mov.u32 %r1, s;\n"
                          "ld.global.u32 %r1, [g+4]; mov.u64 %rd1, f; }\n");
  ASSERT_TRUE(P.M) << P.messages();
  auto I = instructions(*P.M->Functions[0]);
  EXPECT_EQ(I[0]->getOperand(1).getOffset(), 8);
  EXPECT_EQ(I[2]->getOperand(1).getAddressBase(), Operand::Base::Symbol);
  EXPECT_EQ(I[2]->getOperand(1).getSymbol(), P.M->Globals[0]);
  EXPECT_EQ(I[2]->getOperand(1).getOffset(), 4);
  EXPECT_EQ(I[3]->getOperand(1).getSymbol(), P.M->Functions[0]);
}

TEST(PTXParser, LocAndPragma) {
  Parsed P(withBody(".loc 1 12 5\n"
                    ".loc 2 3 4, function_name $L__info0+6, inlined_at 1 7 8\n"
                    ".pragma \"nounroll\";\nret;"));
  ASSERT_TRUE(P.M) << P.messages();
  std::vector<const LocStatement *> Locs;
  for (const Statement *S : P.M->Functions[0]->Body)
    if (auto *L = llvm::dyn_cast<LocStatement>(S))
      Locs.push_back(L);
  ASSERT_EQ(Locs.size(), 2u);
  EXPECT_EQ(Locs[0]->Line, 12u);
  EXPECT_FALSE(Locs[0]->Inlined);
  EXPECT_EQ(Locs[1]->FunctionName, "$L__info0");
  EXPECT_EQ(Locs[1]->FunctionNameOffset, 6);
  EXPECT_EQ(Locs[1]->InlinedAtColumn, 8u);
}

TEST(PTXParser, Sections) {
  Parsed P(Header.str() + ".section .debug_info {\n"
                          "$L: .b8 1, 2\n.b32 .debug_abbrev+4\n.b64 a-b\n}\n");
  ASSERT_TRUE(P.M) << P.messages();
  ASSERT_EQ(P.M->Sections.size(), 1u);
  auto Items = P.M->Sections[0]->Items;
  ASSERT_EQ(Items.size(), 5u);
  EXPECT_EQ(Items[0].K, SectionItem::Kind::Label);
  EXPECT_EQ(Items[2].Value, 2u);
  EXPECT_EQ(Items[3].Name, ".debug_abbrev");
  EXPECT_EQ(Items[3].Value, 4u);
  EXPECT_EQ(Items[4].Minus, "b");
}

TEST(PTXParser, Alias) {
  Parsed P(Header.str() + ".func g() { ret; }\n.func h();\n.alias h, g;\n");
  ASSERT_TRUE(P.M) << P.messages();
  ASSERT_EQ(P.M->Aliases.size(), 1u);
  EXPECT_EQ(P.M->Aliases[0]->Aliasee, P.M->Functions[0]);
}

TEST(PTXParser, WeakFunctionsHaveNoAlias) {
  Parsed P(Header.str() +
           ".weak .func g() { ret; }\n.func h();\n.alias h, g;\n");
  EXPECT_FALSE(P.M);
  EXPECT_NE(P.messages().find("'g' is .weak and cannot have an alias"),
            std::string::npos)
      << P.messages();
}

TEST(PTXParser, FunctionsAndLocalsMayShareAName) {
  Parsed P(Header.str() + ".func g(.param .b32 g);\n"
                          ".func f() { .param .b32 f; st.param.b32 [f], 1;\n"
                          "call g, (f); }\n");
  EXPECT_TRUE(P.M) << P.messages();
}

TEST(PTXParser, SignallingNaNIsKept) {
  Body B("mov.f32 %f1, 0f7F800001;");
  EXPECT_EQ(B.I[0]->getOperand(1).getDoubleBits(), 0x7FF0000020000000u);
}
