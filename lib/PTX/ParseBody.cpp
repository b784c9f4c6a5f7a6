//===- ParseBody.cpp - Statements and operands ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of functions.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "heddle/PTX/Forms.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace heddle::ptx {

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Statements up to the `}` of the scope, which stays.
void Parser::parseStatements(StatementList &Out) {
  while (!Tok.is(TokenKind::Eof) && !Diags.isFull()) {
    if (Tok.is('}')) {
      if (UnmatchedBraces == 0)
        return;
      --UnmatchedBraces;
      advance();
      continue;
    }
    uint32_t Before = Tok.Offset;
    if (parseStatement(Out))
      continue;
    // A function that begins here shows that a `}` is missing.
    if (startsTopLevel())
      return;
    skipStatement();
    if (Tok.Offset == Before && !Tok.is('}'))
      advance();
  }
}

bool Parser::parseStatement(StatementList &Out) {
  if (Tok.is(TokenKind::Dotted))
    return parseDirective(Out);
  if (Tok.is('{')) {
    if (++Depth > Options.MaxDepth)
      return fail("scopes are nested too deeply");
    SourceRange Open = Tok.getRange();
    advance();
    auto *Block = create<BlockStatement>(Open.Loc);
    size_t FirstPending = PendingLabels.size();
    Symbols.enterScope();
    SmallVector<const Statement *, 16> Body;
    parseStatements(Body);
    resolveLabels(FirstPending);
    Symbols.leaveScope();
    --Depth;
    Block->Body = ArrayRef<const Statement *>(Body).copy(M->getArena());
    Out.push_back(Block);
    if (consume('}') || Diags.isFull())
      return true;
    Diags.error(Tok.getRange(), "expected '}' at the end of the scope")
        .note(Open, "to match this '{'");
    return false;
  }
  Guard G;
  if (Tok.is('@')) {
    if (!parseGuard(G))
      return false;
    if (!Tok.is(TokenKind::Word))
      return expected("an instruction after the guard");
  }
  if (!Tok.is(TokenKind::Word))
    return expected("an instruction, a label or a directive");
  Lex.extendMnemonic(Tok);
  Token Name = Tok;
  advance();
  if (Tok.is(':') && !G)
    return parseLabel(Name, Out);
  // Blanks may stand between the parts of a mnemonic.
  while (Tok.is(TokenKind::Dotted)) {
    Name.Length = Tok.Offset + Tok.Length - Name.Offset;
    advance();
  }
  return parseInstruction(G, Name, Out);
}

/// `@p` or `@!p`
bool Parser::parseGuard(Guard &G) {
  advance();
  G.Negated = consume('!');
  StringRef Name;
  SourceRange Where;
  if (!parseWord(Name, Where, "a predicate"))
    return false;
  SymbolTable::Symbol S = Symbols.lookup(Name);
  if (!S.D)
    return reportUnknown(Where, Name);
  G.Register = dyn_cast<RegisterDecl>(S.D);
  G.Index = S.Index;
  if (!G.Register)
    return failAt(Where, "'" + Name + "' is not a register");
  return Check.checkGuard(G, Where);
}

bool Parser::parseDirective(StatementList &Out) {
  StringRef Text = getText();
  SourceLoc Loc = Tok.getLoc();
  // The caller reports the `}` that must be missing.
  if (startsTopLevel())
    return false;
  if (Text == ".loc")
    return parseLoc(Out);
  if (Text == ".pragma") {
    SmallVector<StringRef> Strings;
    if (!parsePragmaStrings(Strings, PragmaPlace::Body))
      return false;
    Out.push_back(create<PragmaStatement>(Loc, save(Strings)));
    return true;
  }
  if (Text == ".file")
    return parseFile();
  // ptxas takes it, without a `;`, and judges by it what follows.
  if (Text == ".target")
    return parseTargetDirective();
  if (Text == ".loc_intermediate")
    return parseLocIntermediate(Out);
  DeclSpec Spec;
  if (parseSpace(Spec))
    return parseDeclSpec(Spec) && parseDeclarators(Spec, &Out) &&
           expectSemicolon("the declaration");
  if (Text == ".branchtargets" || Text == ".calltargets" ||
      Text == ".callprototype")
    return fail("'" + Text + "' needs a label before it");
  static const StringRef Known[] = {".reg",   ".local",  ".shared", ".param",
                                    ".const", ".global", ".loc",    ".pragma"};
  return failNear(Tok.getRange(),
                  "unknown directive '" + Text + "' in a function",
                  findNearest(Text, Known));
}

/// `.loc 1 12 5` and `, function_name L + 4, inlined_at 1 3 7`
bool Parser::parseLoc(StatementList &Out) {
  SourceRange Where = Tok.getRange();
  auto *S = create<LocStatement>(Where.Loc);
  advance();
  auto Numbers = [&](uint32_t &File, uint32_t &Line, uint32_t &Column) {
    for (uint32_t *N : {&File, &Line, &Column}) {
      uint64_t Value;
      if (!parseUnsigned(Value, N == &File ? MaxFileNumber : UINT32_MAX,
                         "file, line and column"))
        return false;
      *N = Value;
    }
    return true;
  };
  if (!Numbers(S->File, S->Line, S->Column))
    return false;
  LocFiles.insert({S->File, Where});
  while (consume(',')) {
    StringRef Key;
    if (!parseWord(Key, Where, "function_name or inlined_at"))
      return false;
    if (Key == "function_name") {
      if (!parseWord(S->FunctionName, Where, "a label"))
        return false;
      if (consume('+') && !parseIntConstant(S->FunctionNameOffset, "an offset"))
        return false;
    } else if (Key == "inlined_at") {
      S->Inlined = true;
      if (!Numbers(S->InlinedAtFile, S->InlinedAtLine, S->InlinedAtColumn))
        return false;
    } else {
      return failAt(Where, "expected function_name or inlined_at");
    }
  }
  Out.push_back(S);
  return true;
}

/// `.loc_intermediate 2 23 6`: a place in an intermediate language.
bool Parser::parseLocIntermediate(StatementList &Out) {
  if (!requireFeature(Tok.getRange(), "'.loc_intermediate'", 94, 0))
    return false;
  auto *S = create<LocIntermediateStatement>(Tok.getLoc());
  advance();
  for (uint32_t *N : {&S->File, &S->Line, &S->Column}) {
    uint64_t Value;
    if (!parseUnsigned(Value, UINT32_MAX, "file, line and column"))
      return false;
    *N = Value;
  }
  Out.push_back(S);
  return true;
}

bool Parser::parseLabel(const Token &Name, StatementList &Out) {
  advance();
  StringRef Text = Lex.getText(Name);
  if (Text.contains('.') || Text == "_" || Text == "$")
    return failAt(Name.getRange(), "'" + Text + "' cannot be a label");
  if (isDotted(".branchtargets"))
    return parseBranchTargets(Name, Out);
  if (isDotted(".calltargets"))
    return parseCallTargets(Name, Out);
  if (isDotted(".callprototype"))
    return parseCallPrototype(Name, Out);
  auto *Label = create<LabelDecl>(Text, Name.getLoc());
  Label->setNumber(NumLabels++);
  // A duplicate has been reported; what follows it is well-formed.
  declare(Label);
  Out.push_back(create<LabelStatement>(Name.getLoc(), Label));
  return true;
}

/// `ts: .branchtargets L0, L1;`
bool Parser::parseBranchTargets(const Token &Name, StatementList &Out) {
  advance();
  SmallVector<PendingLabel, 16> Uses;
  do {
    PendingLabel Use{};
    SourceRange Where;
    if (!parseWord(Use.Name, Where, "a label"))
      return false;
    Use.Loc = Where.Loc;
    Uses.push_back(Use);
  } while (consume(','));
  auto *D = create<BranchTargetsDecl>(Lex.getText(Name), Name.getLoc());
  const LabelDecl **Slots =
      M->getArena().Allocate<const LabelDecl *>(Uses.size());
  for (auto [I, Use] : enumerate(Uses)) {
    Slots[I] = nullptr;
    Use.Slot = Slots + I;
    PendingLabels.push_back(Use);
  }
  D->Targets = {Slots, Uses.size()};
  Out.push_back(create<DeclarationStatement>(Name.getLoc(), D));
  return declare(D) && expectSemicolon(".branchtargets");
}

/// `ct: .calltargets f, g;`
bool Parser::parseCallTargets(const Token &Name, StatementList &Out) {
  advance();
  SmallVector<const Function *> Targets;
  do {
    StringRef Text;
    SourceRange Where;
    if (!parseWord(Text, Where, "the name of a function"))
      return false;
    Decl *D = Symbols.lookup(Text).D;
    if (!D)
      return reportUnknown(Where, Text);
    auto *F = dyn_cast<Function>(D);
    if (!F)
      return failAt(Where, "'" + Text + "' is not a function");
    Targets.push_back(F);
  } while (consume(','));
  auto *D = create<CallTargetsDecl>(Lex.getText(Name), Name.getLoc());
  D->Targets = save(Targets);
  Out.push_back(create<DeclarationStatement>(Name.getLoc(), D));
  return declare(D) && expectSemicolon(".calltargets");
}

/// `p: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
bool Parser::parseCallPrototype(const Token &Name, StatementList &Out) {
  advance();
  auto *D = create<CallPrototypeDecl>(Lex.getText(Name), Name.getLoc());
  SmallVector<Parameter> Returns, Params;
  if (Tok.is('(') && !parseParamList(false, true, Returns))
    return false;
  StringRef Text;
  SourceRange Where;
  if (!parseWord(Text, Where, "'_'"))
    return false;
  if (Text != "_")
    return failAt(Where, "expected '_' in place of the function's name");
  if (Tok.is('(') && !parseParamList(false, true, Params))
    return false;
  PerformanceDirectives Directives;
  if (!parsePerformance(Directives, DirectiveUse::Prototype))
    return false;
  D->Returns = save(Returns);
  D->Params = save(Params);
  D->NoReturn = Directives.NoReturn;
  D->AbiPreserve = Directives.AbiPreserve;
  D->AbiPreserveControl = Directives.AbiPreserveControl;
  if (D->NoReturn && !Returns.empty())
    failAt(Name.getRange(),
           "a function with return values cannot be .noreturn");
  Out.push_back(create<DeclarationStatement>(Name.getLoc(), D));
  return declare(D) && expectSemicolon(".callprototype");
}

/// At the end of a scope: settles the uses of labels since \p FirstPending
/// that the scope declares; the others are left to the scope around it.
void Parser::resolveLabels(size_t FirstPending) {
  bool Outermost = FirstPending == 0 && Depth == 0;
  size_t Kept = FirstPending;
  for (size_t I = FirstPending; I != PendingLabels.size(); ++I) {
    PendingLabel &Use = PendingLabels[I];
    SymbolTable::Symbol S = Symbols.lookup(Use.Name);
    if (S.D && S.Depth == Symbols.getDepth() && isa<LabelDecl>(S.D)) {
      auto *Label = cast<LabelDecl>(S.D);
      if (Use.Slot)
        *Use.Slot = Label;
      else if (Use.Op) // Null when the instruction had an error.
        *Use.Op = Operand::makeLabel(Use.Loc, Label);
      continue;
    }
    if (!Outermost) {
      PendingLabels[Kept++] = Use;
      continue;
    }
    SourceRange Where{Use.Loc, uint32_t(Use.Name.size())};
    if (S.D)
      Diags.error(Where, "'" + Use.Name + "' is not a label")
          .noteDeclaration(S.D);
    else
      reportUnknown(Where, Use.Name, /*IsLabel=*/true);
  }
  PendingLabels.truncate(Kept);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The first row that takes as many operands as are written, and of their kinds
/// if there is one such. Null when none takes as many.
const Mnemonic *Parser::chooseForm(MnemonicSet Set, ArrayRef<Operand> Written,
                                   SmallVectorImpl<Operand> &Arranged) {
  const Mnemonic *First = nullptr;
  for (const Mnemonic *Candidate : Set) {
    if (!Checker::arrange(*Candidate, Written, Arranged))
      continue;
    if (Set.size() == 1 || Checker::fitsKinds(*Candidate, Arranged))
      return Candidate;
    if (!First)
      First = Candidate;
  }
  if (First)
    Checker::arrange(*First, Written, Arranged);
  return First;
}

/// Warns of a form that the manual advises against, or does not have.
void Parser::warnOfForm(const Mnemonic &Mn, SourceRange Where) {
  const FormRow &Form = *Mn.Form;
  if (Form.Undocumented || Form.Meaningless)
    Diags.warning(WarningId::Undocumented, Where,
                  "the manual does not have this form of '" + Mn.Spelling +
                      "'");
  if (Form.DeprecatedSince != 0 &&
      M->PTXVersion.getCode() >= Form.DeprecatedSince)
    Diags.warning(WarningId::Deprecated, Where,
                  "'" + Mn.Spelling + "' is deprecated since .version " +
                      Twine(Form.DeprecatedSince / 10) + "." +
                      Twine(Form.DeprecatedSince % 10) + "; " +
                      Form.getAdvice());
}

/// No form of the mnemonic has that many operands.
void Parser::reportOperandCount(MnemonicSet Set, SourceRange Where,
                                size_t Count) {
  const Mnemonic &First = *Set.front();
  std::string Takes;
  for (const OperandSpec &Spec : First.Form->getOperands())
    if (Spec.WithKind == NoModKind || First.Mods[Spec.WithKind])
      Takes += (Takes.empty() ? "" : ", ") +
               (Spec.Optional && Spec.WithKind == NoModKind
                    ? "{" + Spec.getName().str() + "}"
                    : Spec.getName().str());
  Diagnostic &D = Diags.error(
      Where, "'" + First.Spelling + "' takes " +
                 (Takes.empty() ? "no operands" : "the operands " + Takes) +
                 "; there are " + Twine(Count));
  // What a modifier would allow.
  SmallSet<StringRef, 4> Told;
  for (const Mnemonic *Mn : Set)
    for (const OperandSpec &Spec : Mn->Form->getOperands())
      if (Spec.WithKind != NoModKind && !Mn->Mods[Spec.WithKind] &&
          Told.insert(Spec.getName()).second)
        D.note({}, "operand '" + Spec.getName() + "' goes with '." +
                       getModifierName(ModKind(Spec.WithKind), 1) + "'");
}

/// Whether an operand is a vector register without a component.
static bool isWholeVector(const Operand &O) {
  return O.is(Operand::Kind::Register) && O.getComponent() < 0 &&
         O.getRegister()->getVectorWidth() != 1;
}

/// `{v.x, v.y}` for the vector `v`, as which `mov.b64` packs and unpacks it.
Operand Parser::expandVector(const Operand &O) {
  SmallVector<Operand, 4> Parts;
  for (unsigned I : seq(O.getRegister()->getVectorWidth()))
    Parts.push_back(Operand::makeRegister(O.getLoc(), O.getRegister(),
                                          O.getRegisterIndex(), I));
  return Operand::makeAggregate(Operand::Kind::Vector, O.getLoc(),
                                ArrayRef<Operand>(Parts).copy(M->getArena()));
}

bool Parser::parseInstruction(const Guard &G, Token Name, StatementList &Out) {
  StringRef Text = Lex.getText(Name);
  MnemonicSet Set = resolveMnemonic(Text, Name.getLoc());
  if (Set.empty())
    return false;
  SmallVector<Operand, 8> Written, Arranged;
  bool IsCall = Set.front()->Op == Opcode::Call;
  size_t FirstPending = PendingLabels.size();
  Sums.clear();
  if (IsCall ? !parseCallOperands(Written)
             : !parseOperands(*Set.front()->Form, Written))
    return false;
  if (!Tok.is(';') && isOnNewLine()) {
    // Most likely only the `;` is missing: go on with what is there.
    return !failAt({{PreviousEnd}, 1}, "expected ';' after '" + Text + "'");
  }
  if (!Tok.is(';'))
    return expected(Written.empty() ? "';'" : "',' or ';'");

  const Mnemonic *Chosen = chooseForm(Set, Written, Arranged);
  if (!Chosen) {
    reportOperandCount(Set, Name.getRange(), Written.size());
    advance();
    return true;
  }
  warnOfForm(*Chosen, Name.getRange());
  for (auto [Spec, O] : zip(Chosen->Form->getOperands(), Arranged))
    if (Spec.Packable && isWholeVector(O) && getVectorWidth(*Chosen, Spec) == 0)
      O = expandVector(O);
  // Errors of the operands do not hide what follows the `;`.
  bool HasMeaning = !Chosen->Form->Meaningless;
  checkSums(*Chosen, Arranged);
  if (Check.checkOperands(*Chosen, Arranged, HasMeaning) && IsCall)
    Check.checkCall(Arranged);
  MutableArrayRef<Operand> Saved(
      M->getArena().Allocate<Operand>(Arranged.size()), Arranged.size());
  std::uninitialized_copy(Arranged.begin(), Arranged.end(), Saved.begin());
  // The one use of a label is an operand of role Label.
  if (PendingLabels.size() != FirstPending)
    for (auto [I, Spec] : enumerate(Chosen->Form->getOperands()))
      if (Spec.Role == OperandRole::Label)
        PendingLabels.back().Op = &Saved[I];
  auto *Inst = create<Instruction>(Name.getLoc(), Chosen, G, Saved);
  if (!HasMeaning)
    Meaningless.push_back(Inst);
  for (auto [Sum, Addition] : Sums) {
    Out.push_back(create<VariableStatement>(Sum->getLoc(), Sum));
    Out.push_back(Addition);
  }
  Out.push_back(Inst);
  advance();
  return true;
}

/// `%r + 4`, as which ptxas takes operands that are registers: the result of an
/// addition before the instruction, which no guard concerns.
bool Parser::parseSum(Operand &Term) {
  SourceRange Where = Check.getRange(Term.getLoc());
  int64_t Addend;
  if (!parseOffset(Addend))
    return false;
  Type Ty = Term.getRegister()->getType();
  unsigned Bits = getTypeBits(Ty);
  bool IsInteger = is_contained(
      {TypeClass::UInt, TypeClass::SInt, TypeClass::Bits}, getTypeClass(Ty));
  if (!IsInteger || Bits < 16 || Bits > 64 || Term.isNegated() ||
      Term.getSelector() != 0 || Term.getRegister()->getVectorWidth() != 1)
    return failAt(Where, "a constant can be added only to an integer in a "
                         "register of 16, 32 or 64 bits");
  Diags.warning(WarningId::Undocumented, Where,
                "the manual has sums only as addresses and offsets");
  StringRef Add = Bits == 16 ? "add.u16" : Bits == 32 ? "add.u32" : "add.u64";
  MnemonicSet Set = resolveMnemonic(Add, Where.Loc);
  if (Set.empty())
    return false;
  auto *Sum = create<RegisterDecl>(Term.getRegister()->getName(), Where.Loc, Ty,
                                   1, /*IsRange=*/false, 1);
  if (!numberRegister(Sum))
    return false;
  Operand Result = Operand::makeRegister(Where.Loc, Sum, 0);
  Operand Parts[] = {Result, Term,
                     Operand::makeInt(Where.Loc, uint64_t(Addend), false)};
  Sums.emplace_back(
      Sum, create<Instruction>(Where.Loc, Set.front(), Guard(),
                               ArrayRef<Operand>(Parts).copy(M->getArena())));
  Term = Result;
  return true;
}

/// A sum is no register that can be written, or of which a part is selected.
bool Parser::checkSums(const Mnemonic &Mn, ArrayRef<Operand> Operands) {
  for (auto [Spec, O] : zip(Mn.Form->getOperands(), Operands))
    for (auto [Sum, Addition] : Sums)
      if ((Spec.Role == OperandRole::Dest ||
           Spec.Selector != OperandSelector::None) &&
          O.is(Operand::Kind::Register) && O.getRegister() == Sum)
        return failAt(Check.getRange(O.getLoc()),
                      "operand '" + Spec.getName() + "' of '" + Mn.Spelling +
                          "' must be a register and not a sum");
  return true;
}

bool Parser::parseOperands(const FormRow &Form, OperandList &Operands) {
  if (Tok.is(';'))
    return true;
  ArrayRef<OperandSpec> Specs = Form.getOperands();
  do {
    Operand O;
    OperandRole Role = Operands.size() < Specs.size()
                           ? Specs[Operands.size()].Role
                           : OperandRole::Source;
    bool Ok;
    if (Role == OperandRole::Label)
      Ok = parseLabelOperand(O);
    else if (Role == OperandRole::Targets)
      Ok = parseDeclOperand(O, "the label of a .branchtargets");
    else
      Ok = parseOperand(O) && (!O.is(Operand::Kind::Register) ||
                               !(Tok.is('+') || Tok.is('-')) || parseSum(O));
    if (!Ok)
      return false;
    Operands.push_back(O);
  } while (consume(','));
  return true;
}

bool Parser::parseLabelOperand(Operand &Result) {
  PendingLabel Use{};
  SourceRange Where;
  if (!parseWord(Use.Name, Where, "a label"))
    return false;
  Use.Loc = Where.Loc;
  PendingLabels.push_back(Use);
  Result = Operand::makeLabel(Where.Loc, nullptr);
  return true;
}

/// A name that stands for a declaration, without an offset.
bool Parser::parseDeclOperand(Operand &Result, StringRef What) {
  StringRef Name;
  SourceRange Where;
  if (!parseWord(Name, Where, What))
    return false;
  SymbolTable::Symbol S = Symbols.lookup(Name);
  if (!S.D)
    return reportUnknown(Where, Name);
  if (auto *R = dyn_cast<RegisterDecl>(S.D))
    Result = Operand::makeRegister(Where.Loc, R, S.Index);
  else
    Result = Operand::makeSymbol(Where.Loc, S.D, 0);
  return true;
}

/// `(ret), f, (a, b), proto`, where all but f may be left out.
bool Parser::parseCallOperands(OperandList &Operands) {
  Operand Returns =
      Operand::makeAggregate(Operand::Kind::List, Tok.getLoc(), {});
  Operand Arguments = Returns, Callee, Prototype;
  if (Tok.is('(') &&
      (!parseOperandList(Returns) || !expect(',', "after the return values")))
    return false;
  if (!parseDeclOperand(Callee, "the name of a function"))
    return false;
  bool HasPrototype = false;
  if (consume(',')) {
    HasPrototype = true;
    if (Tok.is('(')) {
      if (!parseOperandList(Arguments))
        return false;
      HasPrototype = consume(',');
    }
    if (HasPrototype &&
        !parseDeclOperand(Prototype, "arguments, or the label of a "
                                     ".callprototype or .calltargets"))
      return false;
  }
  Operands.append({Returns, Callee, Arguments});
  if (HasPrototype)
    Operands.push_back(Prototype);
  return true;
}

/// `(a, b)`
bool Parser::parseOperandList(Operand &Result) {
  SourceLoc Loc = Tok.getLoc();
  advance();
  SmallVector<Operand, 8> Parts;
  while (!Tok.is(')')) {
    Operand O;
    if (!parseOperand(O))
      return false;
    Parts.push_back(O);
    if (!consume(','))
      break;
    if (Tok.is(')'))
      return expected("an argument");
  }
  Result = Operand::makeAggregate(Operand::Kind::List, Loc,
                                  ArrayRef<Operand>(Parts).copy(M->getArena()));
  return expect(')', "after the arguments");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Looking through more names than these for a suggestion would take long.
static constexpr size_t MaxCandidates = 20000;

bool Parser::reportUnknown(SourceRange Where, StringRef Name, bool IsLabel) {
  const RegisterDecl *R = Symbols.findRange(Name);
  if (R && !IsLabel) {
    Diags
        .error(Where, "'" + Name + "' is not declared; '" + R->getName() +
                          "' has only " + Twine(R->getCount()) + " registers")
        .noteDeclaration(R);
    return false;
  }
  // A label can stand only where a label stands.
  SmallVector<std::string> Registers;
  if (!IsLabel)
    Registers = Symbols.getRegistersLike(Name);
  SmallVector<StringRef> Candidates(Registers.begin(), Registers.end());
  append_range(Candidates, Symbols.getNames([&](const Decl *D) {
    return isa<LabelDecl>(D) == IsLabel;
  }));
  if (!IsLabel)
    for (const SpecialRegInfo &Info : getAllSpecialRegs())
      Candidates.push_back(Info.Name);
  StringRef Near;
  if (Candidates.size() <= MaxCandidates)
    Near = findNearest(Name, Candidates);
  return failNear(Where, "'" + Name + "' is not declared", Near);
}

/// An operand, or two with `|` between them.
bool Parser::parseOperand(Operand &Result) {
  if (!parsePrimaryOperand(Result))
    return false;
  if (!Tok.is('|'))
    return true;
  advance();
  Operand Second;
  if (!parsePrimaryOperand(Second))
    return false;
  Operand Parts[] = {Result, Second};
  Result = Operand::makeAggregate(Operand::Kind::Pair, Result.getLoc(),
                                  ArrayRef<Operand>(Parts).copy(M->getArena()));
  return true;
}

bool Parser::parsePrimaryOperand(Operand &Result) {
  switch (Tok.Kind) {
  case TokenKind::Word:
    return parseNameOperand(Result, false);
  case TokenKind::OpenBracket:
    return parseAddressOperand(Result);
  case TokenKind::OpenBrace:
    return parseVectorOperand(Result);
  case TokenKind::Bang: {
    // `!p`, or the operator of a constant expression.
    Token Bang = Tok;
    advance();
    if (Tok.is(TokenKind::Word) && getText() != "WARP_SZ")
      return parseNameOperand(Result, true);
    Constant C;
    if (!parseConstant(C))
      return false;
    if (!C.isInt())
      return failAt(C.Range, "'!' needs an integer");
    Result = Operand::makeInt(Bang.getLoc(), C.Bits == 0, false);
    return true;
  }
  case TokenKind::Minus: {
    // `-a` of vmad, or the operator of a constant expression.
    StringRef Rest = Buffer.getBuffer().drop_front(Tok.Offset + 1).ltrim();
    bool IsName = Rest.starts_with("%") ||
                  (!Rest.empty() &&
                   (isAlpha(Rest[0]) || Rest[0] == '_' || Rest[0] == '$'));
    if (!IsName || Rest.starts_with("WARP_SZ"))
      return parseConstantOperand(Result);
    advance();
    return parseNameOperand(Result, true);
  }
  default:
    return parseConstantOperand(Result);
  }
}

bool Parser::parseConstantOperand(Operand &Result) {
  SourceLoc Loc = Tok.getLoc();
  Constant C;
  if (!parseConstant(C))
    return false;
  switch (C.K) {
  case Constant::Kind::Int:
    Result = Operand::makeInt(Loc, C.Bits, C.Unsigned);
    break;
  case Constant::Kind::Single: {
    // Widened by hand: a conversion would make a signalling NaN quiet.
    uint32_t Bits = C.Bits;
    uint64_t Wide = bit_cast<uint64_t>(double(bit_cast<float>(Bits)));
    if ((Bits & 0x7F800000) == 0x7F800000)
      Wide = uint64_t(Bits & 0x80000000) << 32 | 0x7FF0000000000000 |
             uint64_t(Bits & 0x7FFFFF) << 29;
    Result = Operand::makeSingle(Loc, Bits, Wide);
    break;
  }
  case Constant::Kind::Double:
    Result = Operand::makeDouble(Loc, C.Bits);
    break;
  }
  return true;
}

/// `.x` right after a name.
bool Parser::parseComponent(uint32_t EndOfName, int &Component) {
  Component = -1;
  if (!Tok.is(TokenKind::Dotted) || Tok.Offset != EndOfName)
    return true;
  Component = StringSwitch<int>(getText())
                  .Cases({".x", ".r"}, 0)
                  .Cases({".y", ".g"}, 1)
                  .Cases({".z", ".b"}, 2)
                  .Cases({".w", ".a"}, 3)
                  .Default(-1);
  if (Component < 0)
    return fail("expected .x, .y, .z or .w");
  advance();
  return true;
}

/// Whether the token is the selector of a video instruction: `.b0`, `.h10`,
/// `.b3210`. Those of vectors are components.
bool Parser::isSelector(const RegisterDecl &R) const {
  StringRef Text = getText();
  if (R.getVectorWidth() != 1 || Text.size() < 3 || Text.size() > 6)
    return false;
  return (Text[1] == 'b' || Text[1] == 'h') &&
         all_of(Text.drop_front(2), isDigit);
}

/// What follows the name of the register \p S.
bool Parser::parseRegisterOperand(Operand &Result, const SymbolTable::Symbol &S,
                                  StringRef Name, const Token &At,
                                  bool Negated) {
  auto *R = cast<RegisterDecl>(S.D);
  SourceRange Where = At.getRange();
  int Component = -1;
  if (Tok.is(TokenKind::Dotted) && isSelector(*R)) {
    advance();
    Result = Operand::makeRegister(Where.Loc, R, S.Index, -1, Negated);
    // The checker reads it, when it knows the instruction.
    Result.setSelector(1);
    return true;
  }
  if (Tok.is(TokenKind::Dotted)) {
    SourceRange Dot = Tok.getRange();
    if (!parseComponent(At.Offset + At.Length, Component))
      return false;
    if (Component >= int(R->getVectorWidth()) ||
        (Component >= 0 && R->getVectorWidth() == 1))
      return failAt(Dot, "'" + Name + "' has no such component");
  }
  Result = Operand::makeRegister(Where.Loc, R, S.Index, Component, Negated);
  return true;
}

/// What follows the name of a special register.
bool Parser::parseSpecialOperand(Operand &Result, SpecialReg Special,
                                 StringRef Name, const Token &At,
                                 bool Negated) {
  SourceRange Where = At.getRange();
  int Component = -1;
  const SpecialRegInfo &Info = getSpecialRegInfo(Special);
  if (!parseComponent(At.Offset + At.Length, Component))
    return false;
  if (Component >= 0 && Info.VectorWidth == 1)
    return failAt(Where, "'" + Name + "' has no components");
  if (SawVersion && SawTarget && M->PTXVersion.getCode() < Info.MinVersion) {
    noteHeader(Diags.error(Where, "'" + Name + "' needs .version " +
                                      Twine(Info.MinVersion / 10) + "." +
                                      Twine(Info.MinVersion % 10)),
               VersionWhere);
    return false;
  }
  if (SawTarget && M->GPU.Sm && M->GPU.Sm < Info.MinSm) {
    noteHeader(Diags.error(Where, "'" + Name + "' needs sm_" +
                                      Twine(Info.MinSm) + "; .target is " +
                                      M->GPU.str()),
               TargetWhere);
    return false;
  }
  Result = Operand::makeSpecial(Where.Loc, Special, Component, Negated);
  return true;
}

/// A register, special register, symbol or `_`.
bool Parser::parseNameOperand(Operand &Result, bool Negated) {
  StringRef Name = getText();
  Token At = Tok;
  SourceRange Where = At.getRange();
  if (Name == "WARP_SZ")
    return parseConstantOperand(Result);
  advance();
  SymbolTable::Symbol S = Symbols.lookup(Name);
  if (isa_and_nonnull<RegisterDecl>(S.D))
    return parseRegisterOperand(Result, S, Name, At, Negated);
  if (S.D && Negated)
    return failAt(Where, "'!' needs a predicate");
  if (S.D && Tok.is('['))
    return parseArrayElement(Result, Where, *S.D);
  if (S.D) {
    int64_t Offset = 0;
    if (!parseOffset(Offset))
      return false;
    Result = Operand::makeSymbol(Where.Loc, S.D, Offset);
    return true;
  }
  if (Name == "_" && !Negated) {
    Result = Operand::makeSink(Where.Loc);
    return true;
  }
  SpecialReg Special;
  if (!findSpecialReg(Name, Special))
    return reportUnknown(Where, Name);
  return parseSpecialOperand(Result, Special, Name, At, Negated);
}

/// `[2]` behind the name of an array: the address of an element, or as operand
/// of a load or store the element. Of several dimensions, and of vectors, an
/// index counts scalars as well.
bool Parser::parseArrayElement(Operand &Result, SourceRange Name,
                               const Decl &D) {
  auto *V = dyn_cast<Variable>(&D);
  if (!V || !V->IsArray || V->isUnsized()) {
    Diags.error(Name, "'" + D.getName() + "' is not an array of known size")
        .noteDeclaration(&D);
    return false;
  }
  advance();
  SourceRange Where = Tok.getRange();
  int64_t Index;
  if (!parseIntConstant(Index, "an index"))
    return false;
  int64_t Size = getTypeBits(V->Ty) / 8;
  if (Index < 0 || Index > INT64_MAX / Size)
    return failAt(Where, "an index must not be negative or so large");
  Result = Operand::makeSymbol(Name.Loc, V, Index * Size);
  Result.setElement();
  return expect(']', "after the index");
}

/// `+4`, `+-4`, or nothing.
bool Parser::parseOffset(int64_t &Offset) {
  Offset = 0;
  if (Tok.is('-'))
    return fail("an offset must be added: write '+-' for a negative one");
  if (!consume('+'))
    return true;
  return parseIntConstant(Offset, "an offset");
}

/// `{a, b, c, d}`
bool Parser::parseVectorOperand(Operand &Result) {
  SourceLoc Loc = Tok.getLoc();
  advance();
  ++OperandBraces;
  SmallVector<Operand, 8> Parts;
  do {
    if (Tok.is('{') || Tok.is('['))
      return expected("an element of the vector");
    Operand O;
    if (!parsePrimaryOperand(O))
      return false;
    Parts.push_back(O);
  } while (consume(','));
  Result = Operand::makeAggregate(Operand::Kind::Vector, Loc,
                                  ArrayRef<Operand>(Parts).copy(M->getArena()));
  if (!expect('}', "at the end of the vector"))
    return false;
  --OperandBraces;
  return true;
}

/// `[%r]`, `[%r+4]`, `[sym+4].unified`, `[4]`, and the first of these in `[a,
/// b]`.
bool Parser::parseAddressOperand(Operand &Result) {
  SourceLoc Loc = Tok.getLoc();
  advance();
  Operand Base;
  int64_t Offset = 0;
  if (Tok.is(TokenKind::Word)) {
    if (!parseNameOperand(Base, false))
      return false;
    if (Base.is(Operand::Kind::Symbol) && Base.isElement())
      return failAt(Check.getRange(Base.getLoc()),
                    "an element of an array has no brackets around it");
    if (Base.is(Operand::Kind::Symbol))
      Offset = Base.getOffset();
    else if (!Base.is(Operand::Kind::Register) &&
             !Base.is(Operand::Kind::SpecialReg))
      return failAt(Check.getRange(Base.getLoc()),
                    "an address needs a register, a variable or a number");
    else if (!parseOffset(Offset))
      return false;
  } else {
    if (!parseIntConstant(Offset, "an address"))
      return false;
    Base = Operand::makeInt(Loc, Offset, false);
  }
  Result = Operand::makeAddress(Loc, Base, Offset);
  if (!Tok.is(',')) {
    if (!expect(']', "at the end of the address"))
      return false;
    if (consumeDotted(".unified"))
      Result.setUnified();
    return true;
  }
  SmallVector<Operand, 4> Members = {Result};
  while (consume(','))
    if (!parsePrimaryOperand(Members.emplace_back()))
      return false;
  Result =
      Operand::makeAggregate(Operand::Kind::Group, Loc,
                             ArrayRef<Operand>(Members).copy(M->getArena()));
  return expect(']', "at the end of the address");
}

} // namespace heddle::ptx
