//===- Instruction.cpp - ptx.inst and the PTX table -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check of a ptx.inst against the rows of its opcode: the kind of each
// operand, and the width of each register. What a register was declared as
// the dialect does not know, so that .f32 and .s32 are one here.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dialect/PTX/Instruction.h"
#include "InstSyntax.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxir;
using llvm::Twine;

void ptxir::forEachRegister(OperandAttr Form,
                            llvm::function_ref<void(OperandAttr)> Fn) {
  switch (Form.getKind()) {
  case OperandKind::Result:
  case OperandKind::Value:
  case OperandKind::Negated:
  case OperandKind::Updated:
    Fn(Form);
    break;
  default:
    break;
  }
  for (Attribute Part : Form.getParts())
    forEachRegister(cast<OperandAttr>(Part), Fn);
}

Value ptxir::getUpdatedOperand(Value Result) {
  auto Op = Result.getDefiningOp<InstOp>();
  if (!Op)
    return {};
  Value Found;
  unsigned NextArg = 0, NextResult = 0;
  for (auto Form : Op.getForms().getAsRange<OperandAttr>())
    forEachRegister(Form, [&](OperandAttr Part) {
      bool Updates = Part.getKind() == OperandKind::Updated;
      bool IsResult = Updates || Part.getKind() == OperandKind::Result;
      if (Updates && Op.getValues()[NextResult] == Result)
        Found = Op.getArgs()[NextArg];
      NextArg += Updates || !IsResult;
      NextResult += IsResult;
    });
  return Found;
}

namespace {

/// Checks the operands of one operation against one row.
class RowCheck {
public:
  RowCheck(InstOp Op, const ptx::Mnemonic &Mn) : Op(Op), Mn(Mn) {}
  bool run();
  std::string Why;

private:
  bool fail(const Twine &Text) {
    Why = ("operand '" + Spec->getName() + "' " + Text).str();
    return false;
  }
  bool check(OperandAttr Form);
  bool checkAddress(OperandAttr Form);
  bool checkImmediate(OperandAttr Form);
  bool checkRegisters(OperandAttr Form);
  bool checkRegister(OperandAttr Form, unsigned Bits);
  /// Whether the next register, an operand or a result, has this width.
  bool takeRegister(TypeRange Registers, unsigned &Next, unsigned Bits);
  bool checkWhole(OperandAttr Form);
  bool checkPart(OperandAttr Form);
  /// Elements of the vector that the operand has to be, 0: none.
  unsigned vectorWidth() const;
  bool isDest() const { return Spec->Role == ptx::OperandRole::Dest; }

  InstOp Op;
  const ptx::Mnemonic &Mn;
  const ptx::OperandSpec *Spec = nullptr;
  std::optional<ptx::Type> Ty;
  unsigned NextArg = 0, NextResult = 0;
};

} // namespace

unsigned RowCheck::vectorWidth() const {
  return ptx::getVectorWidth(Mn, *Spec);
}

bool RowCheck::takeRegister(TypeRange Registers, unsigned &Next,
                            unsigned Bits) {
  if (Next == Registers.size())
    return fail("has no register");
  unsigned Have = bitWidth(Registers[Next++]);
  // Registers of bytes are the smallest, but for predicates.
  if (Bits > 1)
    Bits = llvm::alignTo(Bits, 8);
  if (Bits == 0 || Spec->fits(Have, Bits))
    return true;
  return fail("must have " + Twine(Bits) + " bits, but has " + Twine(Have));
}

bool RowCheck::checkRegister(OperandAttr Form, unsigned Bits) {
  bool Updates = ptx::readsDestination(*Mn.Form, *Spec);
  OperandKind Kind = Form.getKind();
  if (Form.getValue() != 0 && Spec->Selector == ptx::OperandSelector::None)
    return fail("has no parts");
  if (Kind == OperandKind::Sink)
    return Spec->Sink || Spec->Rule == ptx::OperandTypeRule::Sink ||
           (isDest() && Spec->VectorWidth != 0) || fail("cannot be '_'");
  if (Updates && Kind != OperandKind::Updated)
    return fail("must be updated");
  if (!Updates && isDest() && Kind != OperandKind::Result)
    return fail("must be a result");
  if (!isDest() && Kind != OperandKind::Value &&
      !(Spec->Minus && Kind == OperandKind::Negated))
    return fail("must be a value");
  bool Reads = !isDest() || Updates;
  return (!Reads || takeRegister(Op.getArgs().getTypes(), NextArg, Bits)) &&
         (!isDest() ||
          takeRegister(Op.getValues().getTypes(), NextResult, Bits));
}

/// A scalar, or the parts that make one up.
bool RowCheck::checkPart(OperandAttr Form) {
  unsigned Bits = Ty ? ptx::getTypeBits(*Ty) : 0;
  if (Form.getKind() != OperandKind::Vector)
    return checkRegister(Form, Bits);
  unsigned Parts = Form.getParts().size();
  if (!Spec->Packable || Parts == 0)
    return fail("takes no vector");
  return llvm::all_of(Form.getParts(), [&](Attribute Part) {
    return checkRegister(cast<OperandAttr>(Part), Bits / Parts);
  });
}

bool RowCheck::checkRegisters(OperandAttr Form) {
  if (Form.getKind() == OperandKind::Pair) {
    if (!Spec->PairPredicate || Form.getParts().size() != 2)
      return fail("is not a pair");
    return checkWhole(Form.getPart(0)) && checkRegister(Form.getPart(1), 1);
  }
  if (Spec->PairRequired)
    return fail("needs a predicate beside it");
  return checkWhole(Form);
}

/// An operand, or what stands before the predicate of a pair.
bool RowCheck::checkWhole(OperandAttr Form) {
  unsigned Width = vectorWidth();
  bool Alone = Width == 1 && !Spec->Braces;
  if (Width == 0 || (Alone && Form.getKind() != OperandKind::Vector))
    return checkPart(Form);
  size_t Count = Form.getParts().size();
  if (Form.getKind() != OperandKind::Vector ||
      !(Count == Width || (Spec->Longer && Count > Width)))
    return fail("must be a vector of " + Twine(Width));
  for (auto [I, Part] : llvm::enumerate(Form.getParts())) {
    bool IsIndex = I == 0 && Spec->FirstIndex;
    unsigned Bits = IsIndex ? 32 : Ty ? ptx::getTypeBits(*Ty) : 0;
    if (!checkRegister(cast<OperandAttr>(Part), Bits))
      return false;
  }
  return true;
}

bool RowCheck::checkAddress(OperandAttr Form) {
  if (Form.getKind() != OperandKind::Address || Form.getParts().size() != 1)
    return fail("must be an address");
  bool Ok = true;
  forEachRegister(Form, [&](OperandAttr Part) {
    Ok &=
        Part.getKind() == OperandKind::Value && NextArg++ < Op.getArgs().size();
  });
  return Ok || fail("has an address without a register");
}

bool RowCheck::checkImmediate(OperandAttr Form) {
  if (Form.getKind() != OperandKind::Immediate)
    return fail("must be an integer constant");
  ArrayRef<int64_t> Allowed = Spec->getAllowedValues();
  return Allowed.empty() || llvm::is_contained(Allowed, Form.getValue()) ||
         fail("cannot be " + Twine(Form.getValue()));
}

bool RowCheck::check(OperandAttr Form) {
  bool HasModifier =
      Spec->WithKind != ptx::NoModKind && Mn.Mods[Spec->WithKind] != 0;
  if (Form.getKind() == OperandKind::None)
    return (Spec->Optional && !HasModifier) || fail("is missing");
  if (Spec->WithKind != ptx::NoModKind && !HasModifier)
    return fail("belongs to a modifier that is not there");
  switch (Spec->Role) {
  case ptx::OperandRole::Dest:
  case ptx::OperandRole::Source:
    return checkRegisters(Form);
  case ptx::OperandRole::Immediate:
    return checkImmediate(Form);
  case ptx::OperandRole::Address:
    return checkAddress(Form);
  case ptx::OperandRole::Object:
    return checkRegister(Form, 64);
  default:
    return fail("is a part of the control flow, which has operations of its "
                "own");
  }
}

bool RowCheck::run() {
  ArrayRef<ptx::OperandSpec> Specs = Mn.Form->getOperands();
  ArrayRef<Attribute> Forms = Op.getForms().getValue();
  if (Specs.size() != Forms.size()) {
    Why = ("takes " + Twine(Specs.size()) + " operands, not " +
           Twine(Forms.size()))
              .str();
    return false;
  }
  for (auto [S, Form] : llvm::zip(Specs, Forms)) {
    Spec = &S;
    Ty = ptx::getOperandType(Mn, S);
    if (!check(cast<OperandAttr>(Form)))
      return false;
  }
  if (NextArg == Op.getArgs().size() && NextResult == Op.getValues().size())
    return true;
  Why = "has registers that stand in no operand";
  return false;
}

std::optional<ptx::Mnemonic> ptxir::resolveMnemonic(InstOp Op,
                                                    std::string &Why) {
  SmallVector<StringRef> Parts(Op.getModifiers().getAsValueRange<StringAttr>());
  auto Found = ptx::findMnemonics(Op.getOpcode(), Parts);
  if (Found.empty())
    Why = ("PTX has no '" + Op.getOpcode() + (Parts.empty() ? "" : ".") +
           llvm::join(Parts, ".") + "'")
              .str();
  for (const ptx::Mnemonic &Mn : Found) {
    RowCheck Check(Op, Mn);
    if (Check.run())
      return Mn;
    if (Why.empty())
      Why = Check.Why;
  }
  return std::nullopt;
}

LogicalResult InstOp::verify() {
  std::string Why;
  if (resolveMnemonic(*this, Why))
    return success();
  return emitOpError(Why);
}

//===----------------------------------------------------------------------===//
// Syntax of operand forms
//===----------------------------------------------------------------------===//

namespace {

using UnresolvedOperand = OpAsmParser::UnresolvedOperand;

/// Reads forms and gathers the SSA values in them.
class FormsParser {
public:
  FormsParser(OpAsmParser &Parser, SmallVectorImpl<UnresolvedOperand> &Args)
      : Parser(Parser), Args(Args) {}
  /// One operand, `a|b` included.
  OperandAttr parse();

private:
  OperandAttr parsePart();
  OperandAttr parseAddress();
  OperandAttr make(OperandKind Kind, int64_t Value = 0,
                   ArrayRef<Attribute> Parts = {}) {
    return OperandAttr::get(Parser.getContext(), Kind, Value, Parts);
  }

  OpAsmParser &Parser;
  SmallVectorImpl<UnresolvedOperand> &Args;
};

} // namespace

OperandAttr FormsParser::parseAddress() {
  SmallVector<Attribute> Parts = {parse()};
  int64_t Offset = 0;
  if (!Parts[0] ||
      (succeeded(Parser.parseOptionalPlus()) && Parser.parseInteger(Offset)))
    return {};
  while (succeeded(Parser.parseOptionalComma())) {
    Parts.push_back(parse());
    if (!Parts.back())
      return {};
  }
  if (Parser.parseRSquare())
    return {};
  return make(OperandKind::Address, Offset, Parts);
}

OperandAttr FormsParser::parsePart() {
  if (succeeded(Parser.parseOptionalKeyword("none")))
    return make(OperandKind::None);
  if (succeeded(Parser.parseOptionalKeyword("_")))
    return make(OperandKind::Sink);
  int64_t Selector = 0;
  if (succeeded(Parser.parseOptionalKeyword("update")))
    return Parser.parseOperand(Args.emplace_back())
               ? OperandAttr()
               : make(OperandKind::Updated);
  if (succeeded(Parser.parseOptionalEqual())) {
    if (succeeded(Parser.parseOptionalKeyword("part")) &&
        Parser.parseInteger(Selector))
      return {};
    return make(OperandKind::Result, Selector);
  }
  if (succeeded(Parser.parseOptionalLSquare()))
    return parseAddress();
  int64_t Value;
  if (OptionalParseResult Read = Parser.parseOptionalInteger(Value);
      Read.has_value())
    return failed(*Read) ? OperandAttr() : make(OperandKind::Immediate, Value);
  if (succeeded(Parser.parseOptionalLBrace())) {
    SmallVector<Attribute> Parts;
    do {
      Parts.push_back(parsePart());
      if (!Parts.back())
        return {};
    } while (succeeded(Parser.parseOptionalComma()));
    return Parser.parseRBrace() ? OperandAttr()
                                : make(OperandKind::Vector, 0, Parts);
  }
  bool Negated = succeeded(Parser.parseOptionalKeyword("neg"));
  if (Parser.parseOperand(Args.emplace_back()) ||
      (succeeded(Parser.parseOptionalKeyword("part")) &&
       Parser.parseInteger(Selector)))
    return {};
  return make(Negated ? OperandKind::Negated : OperandKind::Value, Selector);
}

OperandAttr FormsParser::parse() {
  OperandAttr First = parsePart();
  if (!First || failed(Parser.parseOptionalVerticalBar()))
    return First;
  OperandAttr Second = parsePart();
  return Second ? make(OperandKind::Pair, 0, {First, Second}) : OperandAttr();
}

ParseResult ptxir::parseForms(OpAsmParser &Parser, ArrayAttr &Forms,
                              SmallVectorImpl<UnresolvedOperand> &Args) {
  SmallVector<Attribute> Parsed;
  FormsParser P(Parser, Args);
  if (Parser.parseLParen())
    return failure();
  if (failed(Parser.parseOptionalRParen())) {
    do {
      Parsed.push_back(P.parse());
      if (!Parsed.back())
        return failure();
    } while (succeeded(Parser.parseOptionalComma()));
    if (Parser.parseRParen())
      return failure();
  }
  Forms = Parser.getBuilder().getArrayAttr(Parsed);
  return success();
}

static void printForm(OpAsmPrinter &P, OperandAttr Form, OperandRange Args,
                      unsigned &Next) {
  auto Part = [&](Attribute A) {
    printForm(P, cast<OperandAttr>(A), Args, Next);
  };
  switch (Form.getKind()) {
  case OperandKind::None:
    P << "none";
    return;
  case OperandKind::Sink:
    P << '_';
    return;
  case OperandKind::Result:
    P << '=';
    if (Form.getValue())
      P << " part " << Form.getValue();
    return;
  case OperandKind::Value:
  case OperandKind::Negated:
  case OperandKind::Updated:
    P << (Form.getKind() == OperandKind::Negated   ? "neg "
          : Form.getKind() == OperandKind::Updated ? "update "
                                                   : "");
    // An invalid operation may have fewer operands.
    if (Next < Args.size())
      P << Args[Next++];
    if (Form.getValue())
      P << " part " << Form.getValue();
    return;
  case OperandKind::Immediate:
    P << Form.getValue();
    return;
  case OperandKind::Address:
    P << '[';
    llvm::for_each(Form.getParts(), Part);
    if (Form.getValue())
      P << " + " << Form.getValue();
    P << ']';
    return;
  case OperandKind::Vector:
    P << '{';
    llvm::interleaveComma(Form.getParts(), P, Part);
    P << '}';
    return;
  case OperandKind::Pair:
    Part(Form.getParts()[0]);
    P << " | ";
    Part(Form.getParts()[1]);
    return;
  }
}

void ptxir::printForms(OpAsmPrinter &P, Operation *, ArrayAttr Forms,
                       OperandRange Args) {
  unsigned Next = 0;
  P << '(';
  llvm::interleaveComma(Forms, P, [&](Attribute Form) {
    printForm(P, cast<OperandAttr>(Form), Args, Next);
  });
  P << ')';
}
