//===- Parser.cpp - The PTX parser: tokens and modules ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands outside of functions: .version, .target, .address_size, .file,
// .section, .pragma, .alias; and what all parts of the parser share.
//
//===----------------------------------------------------------------------===//

#include "heddle/PTX/Parser.h"
#include "Lint.h"
#include "ParserImpl.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::ptx {

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

Parser::Parser(MemoryBufferRef Buffer, DiagnosticEngine &Diags,
               const ParseOptions &Options)
    : Buffer(Buffer), Diags(Diags), Options(Options),
      Lex(Buffer.getBuffer(), Diags), M(std::make_unique<Module>()),
      Check(Diags, Buffer.getBuffer()) {
  Check.setModule(M.get());
}

bool Parser::failAt(SourceRange Where, const Twine &Message) {
  Diags.error(Where, Message);
  return false;
}

bool Parser::failNear(SourceRange Where, const Twine &Message, StringRef Near,
                      StringRef Lead) {
  Diags.error(Where, Message).suggest(Near, Lead);
  return false;
}

/// Adds where .version or .target was set to an error about its value.
void Parser::noteHeader(Diagnostic &D, SourceRange Where) {
  D.note(Where, "as '" +
                    Buffer.getBuffer().substr(Where.Loc.Offset, Where.Length) +
                    "' says");
}

bool Parser::fail(const Twine &Message) {
  // The lexer has reported an Error token.
  if (!Tok.is(TokenKind::Error))
    Diags.error(Tok.getRange(), Message);
  return false;
}

std::string Parser::describeToken() const {
  if (Tok.is(TokenKind::Eof))
    return "the end of the file";
  return ("'" + getText() + "'").str();
}

bool Parser::expected(const Twine &What) {
  return fail("expected " + What + " before " + describeToken());
}

bool Parser::expect(char C, const Twine &Context) {
  if (consume(C))
    return true;
  return expected("'" + Twine(C) + "' " + Context);
}

/// The `;` that ends a statement. Where it is missing, the place to look at is
/// the end of the statement and not the next line.
bool Parser::expectSemicolon(const Twine &Context) {
  return expect(';', "after " + Context);
}

bool Parser::parseWord(StringRef &Text, SourceRange &Where, const Twine &What) {
  if (!Tok.is(TokenKind::Word))
    return expected(What);
  Text = getText();
  Where = Tok.getRange();
  advance();
  return true;
}

bool Parser::parseUnsigned(uint64_t &Value, uint64_t Max, const Twine &What) {
  if (!Tok.is(TokenKind::Integer))
    return expected(What);
  if (Tok.Value > Max)
    return fail(What + " is too large; the largest is " + Twine(Max));
  Value = Tok.Value;
  advance();
  return true;
}

bool Parser::parseString(StringRef &Text) {
  if (!Tok.is(TokenKind::String))
    return expected("a string in quotes");
  Text = getText().drop_front().drop_back();
  advance();
  return true;
}

/// Goes past the `;` that ends the present statement, or up to the `}` that
/// closes the scope.
void Parser::skipStatement() {
  unsigned Open = OperandBraces;
  OperandBraces = 0;
  while (!Tok.is(TokenKind::Eof)) {
    if (Tok.is('}')) {
      if (Open == 0)
        return;
      --Open;
    } else if (Tok.is('{')) {
      ++Open;
    } else if (Tok.is(';')) {
      UnmatchedBraces += Open;
      advance();
      return;
    }
    advance();
  }
}

bool Parser::startsTopLevel() const {
  // Functions do not nest, so these are never in one.
  return Tok.is(TokenKind::Dotted) &&
         StringSwitch<bool>(getText())
             .Cases({".entry", ".func", ".visible", ".extern", ".weak",
                     ".section"},
                    true)
             .Default(false);
}

/// The directives of the module that can follow a function.
static constexpr StringLiteral ModuleDirectives[] = {
    ".entry",  ".func",  ".visible", ".extern", ".weak",
    ".common", ".tex",   ".global",  ".const",  ".shared",
    ".pragma", ".alias", ".file",    ".section"};

/// Whether the signature of a function may end here: ptxas needs no `;` behind
/// that of a declaration.
bool Parser::endsDeclaration() const {
  return Tok.is(TokenKind::Eof) || (Tok.is(TokenKind::Dotted) &&
                                    is_contained(ModuleDirectives, getText()));
}

/// Goes on to something that can begin a declaration of the module.
void Parser::skipTopLevel() {
  unsigned Open = 0;
  while (!Tok.is(TokenKind::Eof)) {
    if (Tok.is('{')) {
      ++Open;
    } else if (Tok.is('}')) {
      if (Open != 0)
        --Open;
      if (Open == 0) {
        advance();
        consume(';');
        return;
      }
    } else if (Open == 0 && Tok.is(';')) {
      advance();
      return;
    } else if (startsTopLevel()) {
      return;
    }
    advance();
  }
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

std::unique_ptr<Module> Parser::run() {
  advance();
  while (!Tok.is(TokenKind::Eof) && !Diags.isFull()) {
    uint32_t Before = Tok.Offset;
    if (parseTopLevel())
      continue;
    // Whatever failed, make sure to get on.
    if (Tok.Offset == Before)
      advance();
    skipTopLevel();
  }
  if (!SawVersion && !Diags.hasErrors())
    failAt({{0}, 1}, "the file has no .version directive");
  if (SawVersion && !SawTarget && !Diags.hasErrors())
    failAt({{0}, 1}, "the file has no .target directive");
  for (auto [File, Where] : LocFiles)
    if (!FileNumbers.contains(File))
      Diags.warning(WarningId::UnknownFile, Where,
                    "file " + Twine(File) +
                        " has no .file directive; the line "
                        "is lost");
  if (Diags.hasErrors())
    return nullptr;
  M->Files = save(Files);
  M->Globals = save(Globals);
  M->Functions = save(Functions);
  M->Aliases = save(Aliases);
  M->Sections = save(Sections);
  M->Pragmas = save(Pragmas);
  lint(*M, Diags);
  // A warning may have been made an error.
  return Diags.hasErrors() ? nullptr : std::move(M);
}

/// Whether .version and .target have come; reports it once when not.
bool Parser::checkHeader() {
  if ((SawVersion && SawTarget) || HeaderReported)
    return true;
  HeaderReported = true;
  if (!SawVersion)
    Diags
        .error(Tok.getRange(),
               "a PTX file must begin with a .version directive")
        .note({}, "for example '.version 8.0'");
  else
    Diags.error(Tok.getRange(), "a .target directive must follow .version")
        .note({}, "for example '.target sm_90'");
  return true;
}

bool Parser::parseTopLevel() {
  if (Tok.is(TokenKind::AtAt))
    return skipOldDwarf();
  if (!Tok.is(TokenKind::Dotted))
    return fail("expected a directive before " + describeToken());
  StringRef Text = getText();
  if (Text == ".version")
    return parseVersion();
  if (Text == ".target")
    return parseTargetDirective();
  checkHeader();
  if (Text == ".address_size")
    return parseAddressSize();
  if (Text == ".file")
    return parseFile();
  if (Text == ".section")
    return parseSection();
  if (Text == ".alias")
    return parseAlias();
  if (Text == ".pragma")
    return parsePragmaStrings(Pragmas, PragmaPlace::Module);

  Linkage Link = parseLinkage();
  if (isDotted(".tex"))
    return parseTextureDirective(Link);
  if (isDotted(".entry") || isDotted(".func"))
    return parseFunction(Link);
  DeclSpec Spec;
  Spec.Link = Link;
  if (parseSpace(Spec)) {
    if (Spec.IsRegister)
      return failAt(Spec.Where, "registers can be declared only in functions");
    return parseDeclSpec(Spec) && parseDeclarators(Spec, nullptr) &&
           expectSemicolon("the declaration");
  }
  SmallVector<StringRef> Known{".version", ".target", ".address_size"};
  append_range(Known, ModuleDirectives);
  if (!Tok.is(TokenKind::Dotted))
    return expected("a directive of the module");
  return failNear(Tok.getRange(),
                  "expected a directive of the module before " +
                      describeToken(),
                  findNearest(getText(), Known));
}

/// What the comments at the head of the file say of the tool that wrote it:
/// NVIDIA's compilers and LLVM each have a line for that.
static StringRef findProducer(StringRef Head) {
  StringRef Found;
  while (!Head.empty()) {
    auto [Line, Rest] = Head.split('\n');
    Head = Rest;
    if (!Line.consume_front("//"))
      continue;
    Line = Line.trim();
    if (Line.starts_with("Cuda compilation tools,"))
      return Line;
    if (Line.consume_front("Generated by "))
      Found = Line;
  }
  return Found;
}

/// Reports a version that is not known, at the token.
void Parser::reportVersion(bool IsNewer) {
  VersionRange Newest = getKnownVersions().back();
  std::string Known =
      (Twine(unsigned(Newest.Major)) + "." + Twine(unsigned(Newest.LastMinor)))
          .str();
  if (!IsNewer) {
    failAt(Tok.getRange(), "unknown PTX version; the newest is " + Known);
    return;
  }
  std::string Text = ("PTX version " + getText() +
                      " is newer than the newest that is known here, " + Known)
                         .str();
  if (Options.AcceptNewerVersion) {
    Diags.warning(WarningId::NewerVersion, Tok.getRange(),
                  Text + "; the file is read as if it had that one");
    return;
  }
  StringRef Producer = findProducer(Buffer.getBuffer().take_front(Tok.Offset));
  // XLA finds out the newest version from ptxas's words for this.
  Diags
      .error(Tok.getRange(),
             Text + ": the file was written by a newer tool" +
                 (Producer.empty() ? "" : " (" + Producer + ")") +
                 "; use a newer Heddle, have the tool write an older version, "
                 "or try all the same with --accept-newer-version")
      .note({}, "Unsupported .version " + getText() + "; current version is '" +
                    Known + "'");
}

bool Parser::parseVersion() {
  SourceRange Where = Tok.getRange();
  if (SawVersion)
    return fail("the .version directive may come only once");
  advance();
  SawVersion = true;
  auto [Major, Minor] = getText().split('.');
  unsigned MajorNumber, MinorNumber;
  auto Known = getKnownVersions();
  if (!Tok.is(TokenKind::Double) || Major.getAsInteger(10, MajorNumber) ||
      Minor.getAsInteger(10, MinorNumber) ||
      (Minor.size() != 1 && MajorNumber <= Known.back().Major))
    return expected("a version such as 8.0");
  if (none_of(Known, [&](const VersionRange &R) {
        return R.Major == MajorNumber && MinorNumber <= R.LastMinor;
      })) {
    reportVersion(MajorNumber > Known.back().Major ||
                  (MajorNumber == Known.back().Major &&
                   MinorNumber > Known.back().LastMinor));
    advance();
    // What follows is judged by the newest.
    M->PTXVersion = {Known.back().Major, Known.back().LastMinor};
    return true;
  }
  M->PTXVersion = {uint8_t(MajorNumber), uint8_t(MinorNumber)};
  VersionWhere = {Where.Loc, Tok.Offset + Tok.Length - Where.Loc.Offset};
  advance();
  if (!Functions.empty() || !Globals.empty())
    return failAt(Where, "the .version directive must come first");
  return true;
}

/// The name that a misspelt word of .target may stand for.
static std::string findNearestTarget(StringRef Name) {
  SmallVector<std::string> Texts{"debug", "texmode_independent",
                                 "texmode_unified", "map_f64_to_f32"};
  for (const KnownTarget &K : getKnownTargets())
    Texts.push_back(K.GPU.str());
  return findNearest(Name, SmallVector<StringRef>(Texts.begin(), Texts.end()))
      .str();
}

bool Parser::parseTargetDirective() {
  if (!SawVersion)
    checkHeader();
  if (SawTarget && !CurFunction)
    return fail("the .target directive may come only once");
  advance();
  do {
    StringRef Name;
    SourceRange Where;
    if (!parseWord(Name, Where, "a target such as sm_90"))
      return false;
    bool IsIndependent = Name == "texmode_independent";
    if (Name == "debug") {
      M->TargetDebug = true;
    } else if (IsIndependent || Name == "texmode_unified") {
      if (CurFunction && M->TextureModeIndependent != IsIndependent)
        return failAt(Where, "'" + Name + "' is not the mode of the file");
      M->TextureModeIndependent = IsIndependent;
    } else if (Name == "map_f64_to_f32") {
      M->MapF64ToF32 = true;
    } else {
      Target GPU;
      bool Parsed = parseTarget(Name, GPU);
      auto Known = getKnownTargets();
      auto It =
          find_if(Known, [&](const KnownTarget &K) { return K.GPU == GPU; });
      if (!Parsed || It == Known.end()) {
        failNear(Where, "unknown target '" + Name + "'",
                 Parsed ? "" : findNearestTarget(Name));
        SawTarget = HeaderReported = true;
        continue;
      }
      if (SawVersion && It->MinVersion > M->PTXVersion.getCode())
        noteHeader(Diags.error(Where, "target '" + Name + "' needs .version " +
                                          Twine(It->MinVersion / 10) + "." +
                                          Twine(It->MinVersion % 10) +
                                          " or later"),
                   VersionWhere);
      M->GPU = GPU;
      Mnemonics.clear(); // What they may be depends on the target.
      TargetWhere = Where;
      SawTarget = true;
    }
  } while (consume(','));
  if (!SawTarget) {
    SawTarget = true;
    return expected("a target such as sm_90");
  }
  return true;
}

bool Parser::parseAddressSize() {
  if (SawAddressSize)
    return fail("the .address_size directive may come only once");
  SawAddressSize = true;
  advance();
  if (!Tok.is(TokenKind::Integer) || (Tok.Value != 32 && Tok.Value != 64))
    return expected("32 or 64");
  M->AddressSize = Tok.Value;
  M->HasAddressSize = true;
  advance();
  return true;
}

/// `.file 1 "a.cu", 1234, 5678`
bool Parser::parseFile() {
  SourceRange Where = Tok.getRange();
  advance();
  FileEntry File;
  uint64_t Index, Number;
  if (!parseUnsigned(Index, MaxFileNumber, "the number of the file") ||
      !parseString(File.Name))
    return false;
  File.Index = Index;
  if (consume(',')) {
    if (!parseUnsigned(Number, UINT64_MAX, "the time stamp"))
      return false;
    File.Timestamp = Number;
    if (!expect(',', "before the size of the file") ||
        !parseUnsigned(Number, UINT64_MAX, "the size of the file"))
      return false;
    File.Size = Number;
  }
  return declareFile(File, Where);
}

bool Parser::declareFile(const FileEntry &File, SourceRange Where) {
  auto [It, New] = FileNumbers.try_emplace(File.Index, Where);
  if (!New) {
    Diags.error(Where, "there is a .file " + Twine(File.Index) + " already")
        .note(It->second, "declared here");
    return false;
  }
  Files.push_back(File);
  return true;
}

/// `.section .debug_info { .b8 1, 2  .b64 label ... }`
bool Parser::parseSection() {
  auto *S = create<Section>();
  S->Loc = Tok.getLoc();
  advance();
  if (!Tok.is(TokenKind::Dotted))
    return expected("the name of a section such as .debug_info");
  S->Name = getText();
  advance();
  if (!expect('{', "at the start of a section"))
    return false;
  SmallVector<SectionItem, 0> Items;
  while (!Tok.is('}')) {
    if (Tok.is(TokenKind::Eof))
      return expected("'}' at the end of the section");
    if (!parseSectionItem(Items))
      return false;
  }
  advance();
  S->Items = ArrayRef<SectionItem>(Items).copy(M->getArena());
  Sections.push_back(S);
  return true;
}

/// A label, or `.b32 1, .debug_abbrev, a-b, sym+4`.
bool Parser::parseSectionItem(SmallVectorImpl<SectionItem> &Items) {
  SectionItem Item;
  Item.Loc = Tok.getLoc();
  if (Tok.is(TokenKind::Word)) {
    Item.K = SectionItem::Kind::Label;
    Item.Name = getText();
    if (!requireFeature(Tok.getRange(), "a label in a section", 70, 0))
      return false;
    advance();
    Items.push_back(Item);
    return expect(':', "after a label");
  }
  Item.Width = StringSwitch<uint8_t>(getText())
                   .Case(".b8", 1)
                   .Case(".b16", 2)
                   .Case(".b32", 4)
                   .Case(".b64", 8)
                   .Default(0);
  if (!Tok.is(TokenKind::Dotted) || Item.Width == 0)
    return expected("a label, .b8, .b16, .b32, .b64 or '}'");
  advance();
  do {
    Item.Loc = Tok.getLoc();
    Item.Name = Item.Minus = {};
    Item.Value = 0;
    if (Tok.is(TokenKind::Word) || Tok.is(TokenKind::Dotted)) {
      Item.K = SectionItem::Kind::Symbol;
      Item.Name = getText();
      advance();
      int64_t Addend = 0;
      SourceRange Where = Tok.getRange();
      if (consume('-')) {
        if (!requireFeature(Where, "a difference of labels", 75, 0) ||
            !parseWord(Item.Minus, Where, "a label"))
          return false;
      } else if (consume('+') && !parseIntConstant(Addend, "the offset")) {
        return false;
      }
      Item.Value = Addend;
    } else if (Tok.is(TokenKind::String)) {
      Item.K = SectionItem::Kind::String;
      parseString(Item.Name);
    } else {
      int64_t Value;
      Item.K = SectionItem::Kind::Int;
      if (!parseIntConstant(Value, "a datum"))
        return false;
      Item.Value = Value;
    }
    Items.push_back(Item);
  } while (consume(','));
  return true;
}

namespace {

/// A string of `.pragma`, where it may stand and what follows its first word.
struct PragmaRule {
  StringLiteral Name;
  bool OnlyInBody;
  enum { Nothing, Text, Number } Argument;
};

constexpr PragmaRule PragmaRules[] = {
    {"nounroll", false, PragmaRule::Nothing},
    {"used_bytes_mask", true, PragmaRule::Text},
    {"enable_smem_spilling", true, PragmaRule::Nothing},
    {"frequency", true, PragmaRule::Number},
    {"mma_throughput", true, PragmaRule::Nothing},
};

} // namespace

/// What the manual does not list has no effect; for the whole module ptxas
/// refuses it.
bool Parser::checkPragma(StringRef Text, SourceRange Where, PragmaPlace Place) {
  auto [Word, Argument] = Text.split(' ');
  const PragmaRule *Rule =
      find_if(PragmaRules, [&](const PragmaRule &R) { return R.Name == Word; });
  bool IsKnown = Rule != std::end(PragmaRules) &&
                 (Argument.empty() || Rule->Argument != PragmaRule::Nothing);
  if (!IsKnown) {
    SmallVector<StringRef> Known;
    for (const PragmaRule &R : PragmaRules)
      Known.push_back(R.Name);
    StringRef Near = findNearest(Word, Known);
    if (Place == PragmaPlace::Module)
      return failNear(Where, "unknown pragma '" + Text + "'", Near);
    Diags
        .warning(WarningId::UnknownPragma, Where,
                 "unknown pragma '" + Text + "' has no effect")
        .suggest(Near);
    return true;
  }
  if (Rule->OnlyInBody && Place != PragmaPlace::Body)
    return failAt(Where,
                  "pragma '" + Word + "' is only for the inside of a function");
  uint64_t Number;
  if (Rule->Argument != PragmaRule::Nothing && Argument.trim().empty())
    return failAt(Where, "pragma '" + Word + "' needs a number behind it");
  if (Rule->Argument == PragmaRule::Number &&
      Argument.trim().getAsInteger(0, Number))
    return failAt(Where, "'" + Argument.trim() + "' is no number for pragma '" +
                             Word + "'");
  return true;
}

/// `.pragma "a", "b";`
bool Parser::parsePragmaStrings(SmallVectorImpl<StringRef> &Strings,
                                PragmaPlace Place) {
  advance();
  do {
    StringRef Text;
    SourceRange Where = Tok.getRange();
    if (!parseString(Text))
      return false;
    // An error does not hide what follows.
    if (checkPragma(Text, Where, Place))
      Strings.push_back(Text);
  } while (consume(','));
  return expectSemicolon(".pragma");
}

/// `.alias f, g;`
bool Parser::parseAlias() {
  if (!requireFeature(Tok.getRange(), "'.alias'", 63, 30))
    return false;
  advance();
  const Function *F[2] = {};
  SourceRange Where[2];
  StringRef Names[2];
  for (unsigned I : {0, 1}) {
    if (I == 1 && !expect(',', "in .alias"))
      return false;
    if (!parseWord(Names[I], Where[I], "the name of a function"))
      return false;
    F[I] = dyn_cast_or_null<Function>(Symbols.lookup(Names[I]).D);
    if (!F[I] || F[I]->isEntry())
      return failAt(Where[I], "'" + Names[I] +
                                  "' is not a .func that was declared before");
  }
  if (!F[1]->isDefinition())
    return failAt(Where[1], "the function '" + Names[1] +
                                "' must be defined before an alias of it");
  if (F[1]->Link == Linkage::Weak)
    return failAt(Where[1], "the function '" + Names[1] +
                                "' is .weak and cannot have an alias");
  if (F[0]->isDefinition())
    return failAt(Where[0], "the function '" + Names[0] +
                                "' has a body and cannot be an alias");
  if (!checkAlias(*F[0], *F[1], Where[0]))
    return false;
  Aliases.push_back(create<AliasDecl>(Names[0], Where[0].Loc, F[0], F[1]));
  return expectSemicolon(".alias");
}

std::unique_ptr<Module> parseModule(MemoryBufferRef Buffer,
                                    DiagnosticEngine &Diags,
                                    const ParseOptions &Options) {
  Diags.setBuffer(Buffer);
  if (Buffer.getBufferSize() >= SourceLoc::Invalid) {
    Diags.error({}, "the file is larger than 4 GiB");
    return nullptr;
  }
  // Else each byte of a program or an archive would be an error of its own.
  if (Buffer.getBuffer().contains('\0')) {
    Diags.error({}, "this is binary data, not PTX text");
    return nullptr;
  }
  return Parser(Buffer, Diags, Options).run();
}

} // namespace heddle::ptx
