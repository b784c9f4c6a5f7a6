//===- ExportBody.cpp - Blocks and branches ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes blocks in their order. What a branch passes to a block is moved to
// the block's registers on the edge: before an unconditional branch, behind a
// conditional one.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;

BodyExporter::BodyExporter(ModuleExporter &M, Operation *Function,
                           const ParamNames &Names)
    : M(M), Function(Function), Body(Function->getRegion(0)), Names(Names),
      Registers(Body) {}

//===----------------------------------------------------------------------===//
// Places of .loc
//===----------------------------------------------------------------------===//

/// `1 12 5`, and behind it what is inlined there.
std::string BodyExporter::placeOf(LocationAttr Loc) {
  StringAttr Name;
  LocationAttr Caller;
  if (auto Call = dyn_cast<CallSiteLoc>(Loc)) {
    Caller = Call.getCaller();
    Loc = Call.getCallee();
  }
  if (auto Named = dyn_cast<NameLoc>(Loc)) {
    Name = Named.getName();
    Loc = Named.getChildLoc();
  }
  auto Place = dyn_cast<FileLineColLoc>(Loc);
  if (!Place)
    return {};
  std::string Text = std::to_string(M.fileNumber(Place.getFilename())) + " " +
                     std::to_string(Place.getLine()) + " " +
                     std::to_string(Place.getColumn());
  if (!Caller)
    return Text;
  // The place of the call must have been named before.
  std::string CallerText = placeOf(Caller);
  if (CallerText.empty())
    return {};
  if (Places.insert(CallerText).second)
    line(".loc " + CallerText);
  if (Name)
    Text += ", function_name " + M.debugString(Name);
  else
    Text += ", function_name " +
            M.debugString(StringAttr::get(Loc.getContext(), "inlined"));
  StringRef Short = StringRef(CallerText).split(',').first;
  return Text + ", inlined_at " + Short.str();
}

void BodyExporter::writeLoc(Operation *Op) {
  LocationAttr Loc = ptxir::getSourceLoc(Op->getLoc());
  std::string Text = Loc ? placeOf(Loc) : std::string();
  if (Text.empty() || Text == LastPlace)
    return;
  line(".loc " + Text);
  Places.insert(Text);
  LastPlace = Text;
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

unsigned BodyExporter::labelOf(Block *B) {
  auto [It, New] = Labels.try_emplace(B, NumLabels);
  NumLabels += New;
  return It->second;
}

/// Operations that are operands of others, or nothing. Labels are written where
/// blocks begin.
bool BodyExporter::isWrittenNowhere(Operation *Op) const {
  if (auto Label = dyn_cast<ptxir::LabelOp>(Op))
    return !M.isDebugLabel(Label.getName());
  return isa<ptxir::ConstantOp, ptxir::AddrOfOp, ptxir::ParamAddrOp,
             ptxir::AllocaOp, ptxir::UndefOp>(Op);
}

/// Gives blocks the names of the labels that they begin with. Scopes of PTX may
/// have several labels of one name, and a body of ours has one scope.
void BodyExporter::nameLabels() {
  Body.walk([&](ptxir::LabelOp Label) {
    if (M.isDebugLabel(Label.getName()))
      UsedNames.insert(Label.getName());
  });
  for (Block &B : Body) {
    auto Label = dyn_cast<ptxir::LabelOp>(B.front());
    if (!Label || Label.getBehind())
      continue;
    unsigned Number = labelOf(&B);
    NameGivers.insert(Label);
    if (M.isDebugLabel(Label.getName())) {
      NeededLabels.insert(Number);
      GivenNames[Number] = Label.getName().str();
      continue;
    }
    GivenNames[Number] = uniqueName(Label.getName());
  }
}

namespace {
struct Copy {
  unsigned Dest;
  /// The class that is read, or NoClass.
  unsigned From;
  std::string Text; ///< What is read.
  /// First mention of the register, its kind, the number of the argument.
  std::tuple<unsigned, unsigned, unsigned> Order;
};
constexpr unsigned NoClass = ~0u;
} // namespace

bool BodyExporter::hasCopies(Operation *Branch, unsigned Successor) {
  auto Interface = cast<BranchOpInterface>(Branch);
  return llvm::any_of(
      llvm::zip(
          Branch->getSuccessor(Successor)->getArguments(),
          Interface.getSuccessorOperands(Successor).getForwardedOperands()),
      [&](auto Passed) {
        auto [Arg, V] = Passed;
        return isNamed(V) || !symbolName(V).empty() ||
               Registers.classOf(V) != Registers.classOf(Arg);
      });
}

/// The moves of an edge are parallel: one whose register is still to be read
/// waits; where all wait, a register is saved first.
std::vector<std::string> BodyExporter::copies(Operation *Branch,
                                              unsigned Successor) {
  std::vector<Copy> Waiting;
  auto Interface = cast<BranchOpInterface>(Branch);
  for (auto [Arg, V] : llvm::zip(
           Branch->getSuccessor(Successor)->getArguments(),
           Interface.getSuccessorOperands(Successor).getForwardedOperands())) {
    unsigned Dest = Registers.classOf(Arg);
    if (isNamed(V) || !symbolName(V).empty()) {
      auto Constant = V.getDefiningOp<ptxir::ConstantOp>();
      Waiting.push_back(
          {Dest,
           NoClass,
           Constant ? immediate(Constant.getValue(),
                                untypedOf(ptxir::bitWidth(V.getType())))
                    : symbolName(V),
           {}});
    } else if (unsigned From = Registers.classOf(V); From != Dest) {
      Waiting.push_back({Dest, From, {}, {}});
    }
  }
  // In the order in which an import of the text numbers the registers.
  for (auto [I, C] : llvm::enumerate(Waiting)) {
    auto It = Mentioned.find(C.Dest);
    C.Order = {It == Mentioned.end() ? ~0u : It->second,
               registerOrder(Registers.typeOf(C.Dest)), I};
  }
  llvm::sort(Waiting,
             [](const Copy &A, const Copy &B) { return A.Order < B.Order; });
  std::vector<std::string> Out;
  auto Emit = [&](const Copy &C) {
    std::string Dest = mark(C.Dest);
    moveTo(Out, Dest, Registers.typeOf(C.Dest),
           C.From == NoClass ? C.Text : mark(C.From));
  };
  while (!Waiting.empty()) {
    auto Free = llvm::find_if(Waiting, [&](const Copy &C) {
      return llvm::none_of(Waiting,
                           [&](const Copy &O) { return O.From == C.Dest; });
    });
    if (Free != Waiting.end()) {
      Emit(*Free);
      Waiting.erase(Free);
      continue;
    }
    Type Ty = Registers.typeOf(Waiting.front().Dest);
    unsigned Saved = Registers.newClass(Ty);
    Emit({Saved, Waiting.front().Dest, {}, {}});
    for (Copy &C : Waiting)
      if (C.From == Waiting.front().Dest)
        C.From = Saved;
  }
  return Out;
}

void BodyExporter::writeEdge(Operation *Branch, unsigned Successor, Block *Next,
                             StringRef Uni) {
  for (const std::string &Move : copies(Branch, Successor))
    line(Move);
  Block *Dest = Branch->getSuccessor(Successor);
  if (Dest != Next)
    line("bra" + Uni + " " + labelMark(labelOf(Dest)) + ";");
}

//===----------------------------------------------------------------------===//
// Terminators
//===----------------------------------------------------------------------===//

/// Whether an operation is one instruction that accesses memory, with no move
/// of a constant or an address before it.
static bool isSingleAccess(Operation *Op) {
  if (!isa<ptxir::LdOp, ptxir::StOp, ptxir::AtomOp, ptxir::RedOp>(Op))
    return false;
  // The first operand is the address.
  return llvm::all_of(Op->getOperands().drop_front(), [](Value V) {
    if (!isNamed(V))
      return true;
    ptx::Type Ty = untypedOf(ptxir::bitWidth(V.getType()));
    return V.getDefiningOp<ptxir::ConstantOp>() && ptx::hasConstants(Ty) &&
           Ty != ptx::Type::B16 && Ty != ptx::Type::B128;
  });
}

/// A block that does nothing but access memory, between a branch around it and
/// the other target, is its instructions under the branch's guard. The import
/// makes such a block of them again.
bool BodyExporter::writeGuarded(ptxir::CondBraOp Op, Block *Next) {
  bool OnTrue = Op.getTrueDest() == Next;
  Block *Join = OnTrue ? Op.getFalseDest() : Op.getTrueDest();
  auto Bra = Next ? dyn_cast<ptxir::BraOp>(Next->getTerminator()) : nullptr;
  if (!Bra || Bra.getDest() != Join || Join == Next ||
      Next->getSinglePredecessor() != Op->getBlock() || hasCopies(Op, 0) ||
      hasCopies(Op, 1) || hasCopies(Bra, 0) || isNamed(Op.getGuard()) ||
      !llvm::all_of(Next->without_terminator(),
                    [&](Operation &O) {
                      return isWrittenNowhere(&O) || isSingleAccess(&O);
                    }) ||
      llvm::all_of(Next->without_terminator(),
                   [&](Operation &O) { return isWrittenNowhere(&O); }))
    return false;
  std::string Guard = (OnTrue ? "@" : "@!") + reg(Op.getGuard());
  for (Operation &O : Next->without_terminator()) {
    if (isWrittenNowhere(&O))
      continue;
    writeLoc(&O);
    if (failed(writeOp(&O))) {
      Failed = true;
      return true;
    }
    Lines.back().Text = "\t" + Guard + " " + Lines.back().Text.substr(1);
  }
  Written.insert(Next);
  auto Following = std::next(Next->getIterator());
  if (Following == Body.end() || &*Following != Join)
    line("bra " + labelMark(labelOf(Join)) + ";");
  return true;
}

void BodyExporter::writeCondBra(ptxir::CondBraOp Op, Block *Next) {
  if (writeGuarded(Op, Next))
    return;
  std::string Guard = inRegister(Op.getGuard());
  std::string Bra = Op.getUni() ? "bra.uni " : "bra ";
  bool OnTrue = hasCopies(Op, 0), OnFalse = hasCopies(Op, 1);
  // The edge that falls through is the one with moves, or to the next block.
  bool FallsTrue =
      (OnTrue && !OnFalse) || (OnTrue == OnFalse && Op.getTrueDest() == Next &&
                               Op.getFalseDest() != Next);
  unsigned Jumps = FallsTrue ? 1 : 0;
  bool BothMove = OnTrue && OnFalse;
  unsigned Label = BothMove ? NumLabels++ : labelOf(Op->getSuccessor(Jumps));
  line((FallsTrue ? "@!" : "@") + Guard + " " + Bra + labelMark(Label) + ";");
  if (!BothMove) {
    writeEdge(Op, 1 - Jumps, Next);
    return;
  }
  writeEdge(Op, 1 - Jumps, nullptr);
  Lines.push_back({"", Label});
  writeEdge(Op, Jumps, Next);
}

void BodyExporter::writeBrx(ptxir::BrxOp Op) {
  std::string Index = source(Op.getIndex(), std::nullopt, false);
  std::string List = freshName("ts");
  std::string Targets;
  SmallVector<std::pair<unsigned, unsigned>> Edges;
  for (unsigned S = 0; S != Op->getNumSuccessors(); ++S) {
    bool Moves = hasCopies(Op, S);
    unsigned Label = Moves ? NumLabels++ : labelOf(Op->getSuccessor(S));
    if (Moves)
      Edges.push_back({Label, S});
    Targets += (S == 0 ? "" : ", ") + labelMark(Label);
  }
  Lines.push_back({List + ": .branchtargets " + Targets + ";", NoLabel});
  line(Twine("brx.idx") + (Op.getUni() ? ".uni " : " ") + Index + ", " + List +
       ";");
  for (auto [Label, S] : Edges) {
    Lines.push_back({"", Label});
    writeEdge(Op, S, nullptr);
  }
}

void BodyExporter::writeRet(ptxir::RetOp Op) {
  for (auto [V, Name] : llvm::zip(Op.getValues(), Names.Results))
    storeParam(Name, V, /*InRegister=*/Op.getNumOperands() > 1);
  line(Op.getUni() ? "ret.uni;" : "ret;");
}

LogicalResult BodyExporter::writeTerminator(Operation *Op, Block *Next) {
  writeLoc(Op);
  if (auto Bra = dyn_cast<ptxir::BraOp>(Op)) {
    writeEdge(Bra, 0, Next, Bra.getUni() ? ".uni" : "");
  } else if (auto Cond = dyn_cast<ptxir::CondBraOp>(Op)) {
    writeCondBra(Cond, Next);
    return failure(Failed);
  } else if (auto Brx = dyn_cast<ptxir::BrxOp>(Op)) {
    writeBrx(Brx);
  } else if (auto Ret = dyn_cast<ptxir::RetOp>(Op)) {
    writeRet(Ret);
  } else if (isa<ptxir::ExitOp>(Op)) {
    line("exit;");
  } else {
    return M.unsupported(Op, Op->getName().getStringRef() + " in PTX");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult BodyExporter::writeBlock(Block &B, Block *Next) {
  Lines.push_back({"", labelOf(&B)});
  for (Operation &Op : B.without_terminator()) {
    if (isWrittenNowhere(&Op))
      continue;
    writeLoc(&Op);
    if (failed(writeOp(&Op)))
      return failure();
  }
  if (failed(writeTerminator(B.getTerminator(), Next)))
    return failure();
  for (auto Label : B.getOps<ptxir::LabelOp>())
    if (Label.getBehind() && M.isDebugLabel(Label.getName()))
      Lines.push_back({Label.getName().str() + ":", NoLabel});
  return success();
}

/// The name as it is, or with a number behind it where something in the
/// function or a symbol has that name.
std::string BodyExporter::uniqueName(StringRef Wanted) {
  std::string Base = nameOfVariable(Wanted), Name = Base;
  for (unsigned I = 1; M.isDeclared(Name) || !UsedNames.insert(Name).second;
       ++I)
    Name = Base + "_" + std::to_string(I);
  return Name;
}

/// A name that nothing in the function and no symbol has.
std::string BodyExporter::freshName(StringRef Base) {
  for (unsigned &I = NextName[Base];;) {
    std::string Name = (Base + Twine(I++)).str();
    if (!M.isDeclared(Name) && UsedNames.insert(Name).second)
      return Name;
  }
}

/// Whether an address is only ever an array that calls pass.
static bool isCallArray(ptxir::AllocaOp Op) {
  bool Passed = false;
  for (OpOperand &Use : Op->getUses()) {
    Operation *User = Use.getOwner();
    if (auto Ld = dyn_cast<ptxir::LdOp>(User);
        Ld && Use.getOperandNumber() == 0 &&
        Ld.getSpace() == ptxir::Space::Param_func)
      continue;
    if (auto St = dyn_cast<ptxir::StOp>(User);
        St && Use.getOperandNumber() == 0 &&
        St.getSpace() == ptxir::Space::Param_func)
      continue;
    std::optional<ArrayAttr> Arrays;
    unsigned First = 0;
    if (auto Call = dyn_cast<ptxir::CallOp>(User)) {
      Arrays = Call.getAggregates();
    } else if (auto Call = dyn_cast<ptxir::CallIndirectOp>(User)) {
      Arrays = Call.getAggregates();
      First = 1;
    }
    unsigned Number = Use.getOperandNumber();
    if (!Arrays || Number < First)
      return false;
    auto Array = dyn_cast<ptxir::AggregateAttr>((*Arrays)[Number - First]);
    if (!Array || Array.getSize() != Op.getSize() ||
        Array.getAlignment() != Op.getAlignment())
      return false;
    Passed = true;
  }
  return Passed;
}

/// Declares the function's variables, and gives its parameters their names.
void BodyExporter::writeVariables() {
  if (auto Func = dyn_cast<ptxir::FuncOp>(Function)) {
    for (const std::string &Name : Names.Results)
      UsedNames.insert(Name);
    for (auto [I, Arg] : llvm::enumerate(Body.getArguments())) {
      UsedNames.insert(Names.Args[I]);
      if (Func.getArgAttr(I, ptxir::FuncOp::AggregateAttrName))
        VariableNames[Arg] = Names.Args[I];
    }
  }
  if (auto Entry = dyn_cast<ptxir::EntryOp>(Function))
    for (auto Param : Entry.getParams().getAsRange<ptxir::EntryParamAttr>())
      UsedNames.insert(Param.getName());
  Body.walk([&](ptxir::AllocaOp Op) {
    std::string Name = uniqueName(Op.getName());
    VariableNames[Op] = Name;
    bool Param = isCallArray(Op);
    if (Param)
      ParamArrays.insert(Op);
    line((Param ? ".param " : ".local ") +
         arrayOf(Op.getTy(), Op.getSize(), Op.getAlignment(), Name) + ";");
  });
}

LogicalResult BodyExporter::run(llvm::raw_ostream &OS) {
  writeVariables();
  nameLabels();
  // Scalar parameters are read once, into registers.
  if (auto Func = dyn_cast<ptxir::FuncOp>(Function))
    for (auto [I, Arg] : llvm::enumerate(Body.getArguments()))
      if (!VariableNames.count(Arg))
        loadParam(Arg, Names.Args[I], /*InRegister=*/false);
  for (Block &B : Body) {
    if (Written.contains(&B))
      continue;
    auto Following = std::next(B.getIterator());
    if (failed(writeBlock(B, Following == Body.end() ? nullptr : &*Following)))
      return failure();
  }
  finish(OS);
  return success();
}
