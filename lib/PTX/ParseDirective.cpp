//===- ParseDirective.cpp - Directives and old forms ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives between a signature and its body, initializers of opaque
// types, aliases, and what PTX had before version 2.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::ptx {

namespace {

/// A directive before a body, what it may stand before (bits of DirectiveUse)
/// and what it needs.
struct DirectiveRule {
  StringLiteral Name;
  uint8_t Uses;
  uint8_t MinVersion;
  uint16_t MinSm;
};

constexpr uint8_t OnEntry = 1, OnFunc = 2, OnPrototype = 4;
constexpr DirectiveRule DirectiveRules[] = {
    {".maxntid", OnEntry, 13, 0},
    {".reqntid", OnEntry, 21, 0},
    {".minnctapersm", OnEntry, 20, 0},
    {".maxnctapersm", OnEntry, 13, 0},
    {".maxnreg", OnEntry, 13, 0},
    {".reqnctapercluster", OnEntry, 78, 90},
    {".explicitcluster", OnEntry, 78, 90},
    {".maxclusterrank", OnEntry, 78, 90},
    {".blocksareclusters", OnEntry, 90, 90},
    {".minperctamemory", OnEntry, 94, 80},
    {".noreturn", OnFunc | OnPrototype, 64, 30},
    {".abi_preserve", OnFunc | OnPrototype, 90, 80},
    {".abi_preserve_control", OnFunc | OnPrototype, 90, 80},
    {".language", OnEntry | OnFunc, 93, 0},
    {".pragma", OnEntry | OnFunc | OnPrototype, 20, 0},
};

/// The names of `.language` codes in their order; reserved ones are empty.
constexpr StringLiteral LanguageNames[] = {
    "unknown",       "",        "",
    "ptx",           "nvvm",    "cuda c++",
    "cuda c++ tile", "tile ir", "python-cutile",
    "fortran",       "optix"};

} // namespace

bool Parser::requireFeature(SourceRange Where, const Twine &What,
                            unsigned Version, unsigned Sm) {
  if (!SawVersion || !SawTarget)
    return true;
  if (M->PTXVersion.getCode() < Version)
    return failAt(Where, What + " needs .version " + Twine(Version / 10) + "." +
                             Twine(Version % 10) + "; .version is " +
                             Twine(unsigned(M->PTXVersion.Major)) + "." +
                             Twine(unsigned(M->PTXVersion.Minor)));
  if (M->GPU.Sm != 0 && M->GPU.Sm < Sm)
    return failAt(Where, What + " needs sm_" + Twine(Sm) + "; .target is " +
                             M->GPU.str());
  return true;
}

//===----------------------------------------------------------------------===//
// Between a signature and its body
//===----------------------------------------------------------------------===//

/// `"ptx", "cuda c++", 0x7`
bool Parser::parseLanguages(PerformanceDirectives &D) {
  do {
    SourceRange Where = Tok.getRange();
    uint64_t Code;
    if (Tok.is(TokenKind::Integer)) {
      if (!parseUnsigned(Code, std::size(LanguageNames) - 1,
                         "the code of a language"))
        return false;
    } else {
      StringRef Name;
      if (!parseString(Name))
        return false;
      const StringLiteral *It = find_if(LanguageNames, [&](StringRef Known) {
        return !Known.empty() && Known.equals_insensitive(Name);
      });
      if (It == std::end(LanguageNames))
        return failAt(Where, "unknown language '" + Name + "'");
      Code = It - LanguageNames;
    }
    D.Languages |= 1u << Code;
  } while (consume(','));
  return true;
}

/// What follows the name of a directive before a body.
bool Parser::parseDirectiveValue(StringRef Name, PerformanceDirectives &D) {
  SourceRange Where = Tok.getRange();
  auto Triple = [&](std::optional<std::array<uint32_t, 3>> &Result) {
    Result = {1, 1, 1};
    if (!parseDirectiveNumbers(*Result))
      return false;
    return !is_contained(*Result, 0u) ||
           failAt(Where, "'" + Name + "' needs numbers greater than 0");
  };
  auto Number = [&](std::optional<uint32_t> &Result) {
    Result = 0;
    return parseDirectiveNumbers(MutableArrayRef(*Result));
  };
  auto Flag = [](bool &Result) { return Result = true; };
  if (Name == ".maxntid")
    return Triple(D.MaxNTid);
  if (Name == ".reqntid")
    return Triple(D.ReqNTid);
  if (Name == ".reqnctapercluster")
    return Triple(D.ReqNCtaPerCluster);
  if (Name == ".minnctapersm")
    return Number(D.MinNCtaPerSm);
  if (Name == ".maxnctapersm")
    return Number(D.MaxNCtaPerSm);
  if (Name == ".maxnreg")
    return Number(D.MaxNReg) &&
           (*D.MaxNReg != 0 ||
            failAt(Where, "'.maxnreg' needs a number greater than 0"));
  if (Name == ".maxclusterrank")
    return Number(D.MaxClusterRank);
  if (Name == ".minperctamemory")
    return Number(D.MinPerCtaMemory);
  if (Name == ".abi_preserve")
    return Number(D.AbiPreserve);
  if (Name == ".abi_preserve_control")
    return Number(D.AbiPreserveControl);
  if (Name == ".explicitcluster")
    return Flag(D.ExplicitCluster);
  if (Name == ".blocksareclusters")
    return Flag(D.BlocksAreClusters);
  if (Name == ".noreturn")
    return Flag(D.NoReturn);
  return parseLanguages(D);
}

bool Parser::parsePerformance(PerformanceDirectives &D, DirectiveUse Use) {
  SmallVector<StringRef> Strings;
  while (Tok.is(TokenKind::Dotted)) {
    StringRef Text = getText();
    const DirectiveRule *Rule = find_if(
        DirectiveRules, [&](const DirectiveRule &R) { return R.Name == Text; });
    if (Rule == std::end(DirectiveRules)) {
      if (Use == DirectiveUse::Func && endsDeclaration())
        break;
      SmallVector<StringRef> Known;
      for (const DirectiveRule &R : DirectiveRules)
        Known.push_back(R.Name);
      StringRef Near = findNearest(Text, Known);
      return fail("unknown directive '" + Text + "' before the body" +
                  (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
    }
    SourceRange Where = Tok.getRange();
    if (!(Rule->Uses & uint8_t(Use)))
      return fail("'" + Text + "' is not for " +
                  (Use == DirectiveUse::Entry ? "kernels"
                                              : "functions that are called"));
    if (!requireFeature(Where, "'" + Text + "'", Rule->MinVersion, Rule->MinSm))
      return false;
    if (Text == ".maxnctapersm" && SawVersion && M->PTXVersion.getCode() >= 21)
      return fail("'.maxnctapersm' was given up in .version 2.1");
    if (Text == ".maxnctapersm" && SawVersion && M->PTXVersion.getCode() == 20)
      Diags.warning(WarningId::Deprecated, Where,
                    "'.maxnctapersm' is deprecated since .version 2.0; use "
                    "'.minnctapersm'");
    if (Text == ".pragma") {
      if (!parsePragmaStrings(Strings, PragmaPlace::Function))
        return false;
      continue;
    }
    advance();
    if (!parseDirectiveValue(Text, D))
      return false;
  }
  D.Pragmas = save(Strings);
  return true;
}

//===----------------------------------------------------------------------===//
// Aliases
//===----------------------------------------------------------------------===//

/// An alias has the parameters of the function that it names.
bool Parser::checkAlias(const Function &Alias, const Function &Aliasee,
                        SourceRange Where) {
  auto SameSize = [](auto Both) {
    auto *A = dyn_cast<Variable>(std::get<0>(Both));
    auto *B = dyn_cast<Variable>(std::get<1>(Both));
    return bool(A) == bool(B) && (!A || A->getSize() == B->getSize());
  };
  if (Alias.Params.size() == Aliasee.Params.size() &&
      Alias.Returns.size() == Aliasee.Returns.size() &&
      all_of(zip(Alias.Params, Aliasee.Params), SameSize) &&
      all_of(zip(Alias.Returns, Aliasee.Returns), SameSize))
    return true;
  Diags
      .error(Where, "'" + Alias.getName() + "' has other parameters than '" +
                        Aliasee.getName() + "'")
      .noteDeclaration(&Aliasee);
  return false;
}

//===----------------------------------------------------------------------===//
// Textures, samplers and surfaces
//===----------------------------------------------------------------------===//

/// `{ width = 4, addr_mode_0 = clamp_to_border }`, after the `=`.
bool Parser::parseOpaqueInit(Variable &V) {
  static constexpr StringLiteral Fields[] = {
      "width",       "height",        "depth",
      "array_size",  "channel_order", "channel_data_type",
      "num_samples", "memory_layout", "normalized_coords",
      "filter_mode", "addr_mode_0",   "num_mipmap_levels",
      "addr_mode_1", "addr_mode_2",   "force_unnormalized_coords"};
  SmallVector<StringRef> Known(Fields, Fields + std::size(Fields));
  if (!expect('{', "at the start of the initializer"))
    return false;
  SmallVector<OpaqueField> Init;
  do {
    OpaqueField F;
    SourceRange Where;
    if (!parseWord(F.Name, Where, "the name of a field"))
      return false;
    F.Loc = Where.Loc;
    if (!is_contained(Known, F.Name)) {
      StringRef Near = findNearest(F.Name, Known);
      return failAt(Where,
                    "'" + F.Name + "' is no field of '." + getTypeName(V.Ty) +
                        "'" +
                        (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
    }
    if (!expect('=', "after the name of a field"))
      return false;
    if (Tok.is(TokenKind::Word)) {
      F.Word = getText();
      advance();
    } else {
      int64_t Value;
      if (!parseIntConstant(Value, "the value of a field"))
        return false;
      F.Value = Value;
    }
    Init.push_back(F);
  } while (consume(','));
  V.HasInit = true;
  V.OpaqueInit = ArrayRef<OpaqueField>(Init).copy(M->getArena());
  return expect('}', "at the end of the initializer");
}

/// `.tex .u32 t;` of PTX 1: a texture with its sampler.
bool Parser::parseTextureDirective(Linkage Link) {
  SourceRange Where = Tok.getRange();
  if (SawVersion && M->PTXVersion.getCode() >= 15)
    return fail("'.tex' was given up in .version 1.5; use '.global .texref'");
  advance();
  if (!consumeDotted(".u32") && !consumeDotted(".u64"))
    return expected("the type .u32 or .u64");
  DeclSpec Spec;
  Spec.Space = StateSpace::Global;
  Spec.Ty = Type::TexRef;
  Spec.HasType = true;
  Spec.Link = Link;
  Spec.Where = Spec.SpaceWhere = Where;
  return parseDeclarators(Spec, nullptr) && expectSemicolon("the declaration");
}

/// A line `@@DWARF ...`, which PTX had before 2.0 and which nothing reads.
bool Parser::skipOldDwarf() {
  if (SawVersion && M->PTXVersion.getCode() >= 20)
    Diags.warning(WarningId::Deprecated, Tok.getRange(),
                  "'@@DWARF' is deprecated since .version 2.0; use '.section'");
  advance();
  if (!Tok.is(TokenKind::Word) || !getText().equals_insensitive("DWARF"))
    return expected("'DWARF' after '@@'");
  do
    advance();
  while (!Tok.is(TokenKind::Eof) && !isOnNewLine());
  return true;
}

} // namespace heddle::ptx
