//===- HeddleAsmParser.cpp - Parses instructions ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads guard, mnemonic, operands and control field of an instruction, as the
// instruction printer writes them. Labels and directives are LLVM's.
//
//===----------------------------------------------------------------------===//

#include "HeddleAsmMatcher.h"
#include "HeddleMCAsmInfo.h"
#include "HeddleMCTargetDesc.h"
#include "HeddleTargetStreamer.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCParser/AsmLexer.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCParsedAsmOperand.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace llvm::Heddle;
namespace isa = heddle::isa;

namespace {

/// `@P0` or `@!UP1` before an instruction.
struct Guard {
  SMLoc Loc;
  bool IsPresent = false;
  bool Negated = false;
  RegisterName Reg = {RegisterFile::P, PredicateTrue};
};

class HeddleAsmParser : public MCTargetAsmParser {
public:
  HeddleAsmParser(const MCSubtargetInfo &STI, MCAsmParser &Parser,
                  const MCInstrInfo &MII, const MCTargetOptions &Options)
      : MCTargetAsmParser(Options, STI, MII), Parser(Parser) {
    MCAsmParserExtension::Initialize(Parser);
    Parser.addAliasForDirective(".half", ".2byte");
    Parser.addAliasForDirective(".word", ".4byte");
    Parser.addAliasForDirective(".dword", ".8byte");
  }

  bool tokenIsStartOfStatement(AsmToken::TokenKind Token) override {
    return Token == AsmToken::At;
  }
  bool parseInstruction(ParseInstructionInfo &, StringRef, SMLoc NameLoc,
                        OperandVector &) override {
    return Error(NameLoc, "expected an instruction");
  }
  bool parseInstruction(ParseInstructionInfo &Info, StringRef Name,
                        AsmToken Token, OperandVector &Operands) override;
  bool matchAndEmitInstruction(SMLoc IDLoc, unsigned &Opcode, OperandVector &,
                               MCStreamer &Out, uint64_t &, bool) override;
  bool parsePrimaryExpr(const MCExpr *&Res, SMLoc &EndLoc) override;
  bool parseRegister(MCRegister &Reg, SMLoc &StartLoc, SMLoc &EndLoc) override;
  ParseStatus tryParseRegister(MCRegister &Reg, SMLoc &StartLoc,
                               SMLoc &EndLoc) override;
  ParseStatus parseDirective(AsmToken DirectiveID) override;
  void onEndOfFile() override;
  void convertToMapAndConstraints(unsigned, const OperandVector &) override {}

private:
  bool parseMetadata(SMLoc Loc);
  bool parseGuard(Guard &G);
  bool parseMnemonic(AsmToken &Token);
  bool parseControl(uint32_t &Field, unsigned &Flags);
  bool parseControlItem(isa::Control &Control, unsigned &Seen, unsigned &Flags);
  bool parseControlNumber(StringRef Name, unsigned Max, uint8_t &Value);
  bool matchStatement(StringRef Mnemonic, SMLoc Loc,
                      ArrayRef<AsmElement> Elements, const Guard &G,
                      uint32_t Control);
  bool finish(const isa::InstInfo &Info, SmallVectorImpl<MCOperand> &Operands,
              const Guard &G, uint32_t Control);
  bool reportUnknown(StringRef Mnemonic, SMLoc Loc);
  bool reportFailures(ArrayRef<AsmElement> Elements,
                      ArrayRef<MatchFailure> Failures);

  MCAsmParser &Parser;
  /// Labels that instructions name, and where.
  SmallVector<std::pair<const MCSymbol *, SMLoc>> LabelUses;
  MCInst Inst; ///< what parseInstruction leaves to matchAndEmitInstruction
};

/// Calls \p Visit for each temporary symbol of an expression.
void visitLabels(const MCExpr *E, function_ref<void(const MCSymbol *)> Visit) {
  if (auto *S = dyn_cast<MCSymbolRefExpr>(E)) {
    if (S->getSymbol().isTemporary())
      Visit(&S->getSymbol());
  } else if (auto *S = dyn_cast<MCSpecifierExpr>(E)) {
    visitLabels(S->getSubExpr(), Visit);
  } else if (auto *U = dyn_cast<MCUnaryExpr>(E)) {
    visitLabels(U->getSubExpr(), Visit);
  } else if (auto *B = dyn_cast<MCBinaryExpr>(E)) {
    visitLabels(B->getLHS(), Visit);
    visitLabels(B->getRHS(), Visit);
  }
}

} // namespace

bool HeddleAsmParser::parseInstruction(ParseInstructionInfo &, StringRef,
                                       AsmToken Token, OperandVector &) {
  Guard G;
  if (Token.is(AsmToken::At) && (parseGuard(G) || parseMnemonic(Token)))
    return true;
  StringRef Name = Token.getString();
  StringRef Mnemonic = Name.split('.').first;
  if (getCandidates(Mnemonic).empty())
    return reportUnknown(Mnemonic, Token.getLoc());
  auto Elements = AsmStatementReader(Parser).read(Name);
  uint32_t Control = DefaultControl;
  unsigned Flags = 0;
  if (!Elements || parseControl(Control, Flags))
    return true;
  if (getTok().isNot(AsmToken::EndOfStatement))
    return Error(getTok().getLoc(), "expected the end of the statement");
  if (matchStatement(Mnemonic, Token.getLoc(), *Elements, G, Control))
    return true;
  Inst.setFlags(Flags);
  for (const AsmElement &E : *Elements)
    if (E.Kind == AsmElement::Symbolic)
      visitLabels(E.Expr, [&](const MCSymbol *Label) {
        LabelUses.push_back({Label, E.Loc});
      });
  Lex();
  return false;
}

/// The object writer would report these without their place.
void HeddleAsmParser::onEndOfFile() {
  for (auto [Label, Loc] : LabelUses)
    if (!Label->isDefined() && !Label->isVariable())
      Error(Loc, "label '" + Label->getName() + "' is not defined");
}

bool HeddleAsmParser::parseGuard(Guard &G) {
  G.IsPresent = true;
  G.Negated = parseOptionalToken(AsmToken::Exclaim);
  G.Loc = getTok().getLoc();
  std::optional<RegisterName> Reg = parseRegisterName(getTok().getString());
  if (getTok().isNot(AsmToken::Identifier) || !Reg ||
      (Reg->File != RegisterFile::P && Reg->File != RegisterFile::UP))
    return Error(G.Loc, "expected a predicate after '@'");
  G.Reg = *Reg;
  Lex();
  return false;
}

bool HeddleAsmParser::parseMnemonic(AsmToken &Token) {
  Token = getTok();
  if (Token.isNot(AsmToken::Identifier))
    return Error(Token.getLoc(), "expected an instruction");
  Lex();
  return false;
}

bool HeddleAsmParser::reportUnknown(StringRef Mnemonic, SMLoc Loc) {
  StringRef Suggestion = suggestMnemonic(Mnemonic);
  if (Suggestion.empty())
    return Error(Loc, "unknown instruction '" + Mnemonic + "'");
  return Error(Loc, "unknown instruction '" + Mnemonic + "'; did you mean '" +
                        Suggestion + "'?");
}

bool HeddleAsmParser::matchStatement(StringRef Mnemonic, SMLoc Loc,
                                     ArrayRef<AsmElement> Elements,
                                     const Guard &G, uint32_t Control) {
  SmallVector<MatchFailure, 5> Failures;
  for (const isa::InstInfo *Info : getCandidates(Mnemonic)) {
    AsmMatcher Matcher(*Info, Elements);
    if (Matcher.match())
      return finish(*Info, Matcher.operands(), G, Control);
    Failures.push_back(Matcher.failure());
  }
  return reportFailures(Elements, Failures);
}

bool HeddleAsmParser::finish(const isa::InstInfo &Info,
                             SmallVectorImpl<MCOperand> &Operands,
                             const Guard &G, uint32_t Control) {
  isa::OperandKind Kind = getGuardKind(Info);
  if (G.IsPresent && getRegisterFile(Kind) != G.Reg.File)
    return Error(G.Loc, Info.Uniform
                            ? "the guard of a uniform instruction is a uniform "
                              "predicate"
                            : "the guard of this instruction is a predicate "
                              "of the threads");
  Operands[findOperand(Info, isa::Role::pg)] =
      MCOperand::createReg(getRegister(Kind, G.Reg.Number));
  Operands[findOperand(Info, isa::Role::pgn)] = MCOperand::createImm(G.Negated);
  Operands[findOperand(Info, isa::Role::ctl)] = MCOperand::createImm(Control);
  Inst.clear();
  Inst.setOpcode(getOpcode(Info));
  for (const MCOperand &Op : Operands)
    Inst.addOperand(Op);
  return false;
}

/// Reports the operands that the best-matching candidates expected.
bool HeddleAsmParser::reportFailures(ArrayRef<AsmElement> Elements,
                                     ArrayRef<MatchFailure> Failures) {
  size_t Furthest = 0;
  for (const MatchFailure &F : Failures)
    Furthest = std::max(Furthest, F.Position);
  SMLoc Loc = Elements[Furthest].Loc;
  SmallVector<StringRef, 5> Wanted;
  for (const MatchFailure &F : Failures) {
    if (F.Position != Furthest)
      continue;
    if (F.IsMessage)
      return Error(Loc, F.Text);
    if (!is_contained(Wanted, F.Text))
      Wanted.push_back(F.Text);
  }
  std::string Message = "expected " + Wanted.front().str();
  for (size_t I = 1; I < Wanted.size(); ++I)
    Message += (I + 1 < Wanted.size() ? ", " : " or ") + Wanted[I].str();
  return Error(Loc, Message);
}

/// `{stall=4, yield, wr=0, rd=1, wait=0x3, full}`, or nothing.
bool HeddleAsmParser::parseControl(uint32_t &Field, unsigned &Flags) {
  if (!parseOptionalToken(AsmToken::LCurly))
    return false;
  isa::Control Control;
  unsigned Seen = 0;
  do {
    if (parseControlItem(Control, Seen, Flags))
      return true;
  } while (parseOptionalToken(AsmToken::Comma));
  Field = Control.pack();
  return Parser.parseToken(AsmToken::RCurly, "expected ',' or '}'");
}

bool HeddleAsmParser::parseControlItem(isa::Control &Control, unsigned &Seen,
                                       unsigned &Flags) {
  SMLoc Loc = getTok().getLoc();
  StringRef Name;
  if (Parser.parseIdentifier(Name))
    return Error(Loc, "expected stall, yield, wr, rd, wait or full");
  StringRef Names[] = {"stall", "yield", "wr", "rd", "wait", "full"};
  auto *It = find(Names, Name);
  if (It == std::end(Names))
    return Error(Loc,
                 "'" + Name + "' is not stall, yield, wr, rd, wait or full");
  unsigned Bit = 1u << (It - Names);
  if (Seen & Bit)
    return Error(Loc, "'" + Name + "' stands twice");
  Seen |= Bit;
  switch (It - Names) {
  case 0:
    return parseControlNumber(Name, 15, Control.Stall);
  case 1:
    Control.Yield = true;
    return false;
  case 2:
    return parseControlNumber(Name, isa::NumCounters - 1, Control.WriteCounter);
  case 3:
    return parseControlNumber(Name, isa::NumCounters - 1, Control.ReadCounter);
  case 4:
    return parseControlNumber(Name, (1u << isa::NumCounters) - 1,
                              Control.WaitMask);
  default:
    Flags |= FullForm;
    return false;
  }
}

bool HeddleAsmParser::parseControlNumber(StringRef Name, unsigned Max,
                                         uint8_t &Value) {
  if (Parser.parseToken(AsmToken::Equal, "expected '=' after '" + Name + "'"))
    return true;
  SMLoc Loc = getTok().getLoc();
  int64_t Number;
  if (Parser.parseIntToken(Number, "expected a number"))
    return true;
  if (Number < 0 || Number > Max)
    return Error(Loc, "'" + Name + "' is at most " + Twine(Max));
  Value = Number;
  return false;
}

bool HeddleAsmParser::matchAndEmitInstruction(SMLoc IDLoc, unsigned &Opcode,
                                              OperandVector &, MCStreamer &Out,
                                              uint64_t &, bool) {
  Inst.setLoc(IDLoc);
  Opcode = Inst.getOpcode();
  Out.emitInstruction(Inst, getSTI());
  return false;
}

/// Adds `%const(expression)` and `%shared(expression)` to LLVM's expressions.
bool HeddleAsmParser::parsePrimaryExpr(const MCExpr *&Res, SMLoc &EndLoc) {
  if (getTok().isNot(AsmToken::Percent))
    return MCTargetAsmParser::parsePrimaryExpr(Res, EndLoc);
  Lex();
  SMLoc Loc = getTok().getLoc();
  StringRef Name;
  uint16_t Specifier = S_None;
  if (!Parser.parseIdentifier(Name))
    Specifier = parseSpecifierName(Name);
  if (Specifier == S_None)
    return Error(Loc, "expected const or shared after '%'");
  const MCExpr *Inner;
  if (Parser.parseToken(AsmToken::LParen, "expected '('") ||
      Parser.parseParenExpression(Inner, EndLoc))
    return true;
  Res = MCSpecifierExpr::create(Inner, Specifier, getContext(), Loc);
  return false;
}

bool HeddleAsmParser::parseRegister(MCRegister &Reg, SMLoc &StartLoc,
                                    SMLoc &EndLoc) {
  if (tryParseRegister(Reg, StartLoc, EndLoc).isSuccess())
    return false;
  return Error(getTok().getLoc(), "expected a register");
}

ParseStatus HeddleAsmParser::tryParseRegister(MCRegister &Reg, SMLoc &StartLoc,
                                              SMLoc &EndLoc) {
  StartLoc = getTok().getLoc();
  EndLoc = getTok().getEndLoc();
  std::optional<RegisterName> Name = parseRegisterName(getTok().getString());
  if (getTok().isNot(AsmToken::Identifier) || !Name)
    return ParseStatus::NoMatch;
  for (isa::OperandKind Kind :
       {isa::OperandKind::GPR32, isa::OperandKind::UGPR32, isa::OperandKind::PR,
        isa::OperandKind::UPR, isa::OperandKind::BR})
    if (getRegisterFile(Kind) == Name->File)
      Reg = getRegister(Kind, Name->Number);
  Lex();
  return ParseStatus::Success;
}

ParseStatus HeddleAsmParser::parseDirective(AsmToken DirectiveID) {
  if (DirectiveID.getString() == MetadataBegin)
    return parseMetadata(DirectiveID.getLoc());
  return ParseStatus::NoMatch;
}

/// Takes the text up to the closing directive as it is, since the lexer knows
/// no YAML.
bool HeddleAsmParser::parseMetadata(SMLoc Loc) {
  const SourceMgr &Sources = Parser.getSourceManager();
  StringRef Buffer =
      Sources.getMemoryBuffer(Sources.FindBufferContainingLoc(Loc))
          ->getBuffer();
  const char *Begin = getTok().getEndLoc().getPointer();
  StringRef Text(Begin, Buffer.end() - Begin);
  size_t Size = Text.find(MetadataEnd);
  if (Size == StringRef::npos)
    return Error(Loc, MetadataBegin + " without " + MetadataEnd);
  Text = Text.take_front(Size);
  while (getTok().getLoc().getPointer() < Text.end() &&
         getTok().isNot(AsmToken::Eof))
    getLexer().Lex();
  if (getTok().getLoc().getPointer() != Text.end())
    return Error(Loc, "the metadata holds the beginning of a comment");
  Lex();
  Expected<heddle::ModuleMetadata> Metadata = metadataFromYAML(Text);
  if (!Metadata)
    return Error(Loc, toString(Metadata.takeError()));
  static_cast<HeddleTargetStreamer *>(Parser.getStreamer().getTargetStreamer())
      ->emitMetadata(*Metadata);
  return parseEOL();
}

MCTargetAsmParser *llvm::createHeddleAsmParser(const MCSubtargetInfo &STI,
                                               MCAsmParser &Parser,
                                               const MCInstrInfo &MII,
                                               const MCTargetOptions &Options) {
  return new HeddleAsmParser(STI, Parser, MII, Options);
}
