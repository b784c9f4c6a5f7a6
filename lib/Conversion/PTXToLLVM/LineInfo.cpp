//===- LineInfo.cpp - Line tables from .loc ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the source places in the locations of lowered functions into LLVM's
// debug locations.
//
//===----------------------------------------------------------------------===//

#include "DebugMetadata/VariableRecord.h"
#include "Emitter.h"
#include "heddle/Dialect/PTX/DebugPiece.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

namespace {

/// Where the places of a function come from: `.loc`, or, where it has none,
/// the PTX text itself.
class LineInfo {
public:
  LineInfo(ModuleOp Module, const ptx::DebugInfo *Debug)
      : Context(Module.getContext()), Debug(Debug),
        MainFile(fileOf(ptxir::getPTXLoc(Module.getLoc()).getFilename())) {}
  void attach(LLVM::LLVMFuncOp Func);

private:
  LLVM::DIFileAttr fileOf(StringRef Path);
  LLVM::DISubprogramAttr subprogram(StringRef Name, LLVM::DIFileAttr File,
                                    unsigned Line);
  LLVM::DISubprogramAttr inlinedSubprogram(StringRef Name,
                                           LLVM::DIFileAttr File);
  Location place(LocationAttr Source, LLVM::DISubprogramAttr Scope);
  void lowerVariables(LLVM::LLVMFuncOp Func, LLVM::DISubprogramAttr Scope);

  MLIRContext *Context;
  const ptx::DebugInfo *Debug;
  LLVM::DIFileAttr MainFile;
  LLVM::DICompileUnitAttr Unit;
  DenseMap<std::pair<StringRef, LLVM::DIFileAttr>, LLVM::DISubprogramAttr>
      Inlined;
};

} // namespace

LLVM::DIFileAttr LineInfo::fileOf(StringRef Path) {
  auto [Directory, Name] = Path.rsplit('/');
  if (Name.empty())
    return LLVM::DIFileAttr::get(Context, Path, "");
  return LLVM::DIFileAttr::get(Context, Name, Directory);
}

LLVM::DISubprogramAttr
LineInfo::subprogram(StringRef Name, LLVM::DIFileAttr File, unsigned Line) {
  if (!Unit)
    Unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(Context)),
        llvm::dwarf::DW_LANG_C_plus_plus_14, MainFile,
        StringAttr::get(Context, "heddle"), /*isOptimized=*/true,
        LLVM::DIEmissionKind::Full);
  auto Id = StringAttr::get(Context, Name);
  return LLVM::DISubprogramAttr::get(
      Context, DistinctAttr::create(UnitAttr::get(Context)), Unit, File, Id, Id,
      File, Line, Line,
      LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      LLVM::DISubroutineTypeAttr::get(Context, {}), {}, {});
}

LLVM::DISubprogramAttr LineInfo::inlinedSubprogram(StringRef Name,
                                                   LLVM::DIFileAttr File) {
  LLVM::DISubprogramAttr &Subprogram = Inlined[{Name, File}];
  if (!Subprogram)
    Subprogram = subprogram(Name, File, 0);
  return Subprogram;
}

/// A file's place, also behind the name of the function that it is in.
static FileLineColLoc filePlace(LocationAttr Source) {
  if (auto Named = dyn_cast<NameLoc>(Source))
    return filePlace(Named.getChildLoc());
  if (auto Call = dyn_cast<CallSiteLoc>(Source))
    return filePlace(Call.getCallee());
  return cast<FileLineColLoc>(Source);
}

/// The place in the function itself, outside of everything inlined into it.
static FileLineColLoc outermost(LocationAttr Source) {
  while (auto Call = dyn_cast<CallSiteLoc>(Source))
    Source = Call.getCaller();
  return filePlace(Source);
}

Location LineInfo::place(LocationAttr Source, LLVM::DISubprogramAttr Scope) {
  FileLineColLoc Place = filePlace(Source);
  LLVM::DIFileAttr File = fileOf(Place.getFilename());
  if (auto Call = dyn_cast<CallSiteLoc>(Source)) {
    auto Named = dyn_cast<NameLoc>(Call.getCallee());
    auto Callee = inlinedSubprogram(
        Named ? Named.getName().getValue() : StringRef("inlined"), File);
    return CallSiteLoc::get(FusedLoc::get({Place}, Callee, Context),
                            place(Call.getCaller(), Scope));
  }
  if (File == Scope.getFile())
    return FusedLoc::get({Place}, Scope, Context);
  return FusedLoc::get(
      {Place}, LLVM::DILexicalBlockFileAttr::get(Scope, File, 0), Context);
}

/// Variables become debug records of LLVM whose names say which entry of
/// .debug_info they are (describeVariables reads them).
void LineInfo::lowerVariables(LLVM::LLVMFuncOp Func,
                              LLVM::DISubprogramAttr Scope) {
  auto Replace = [&](auto Op, VariableRecord::KindType K, Value V,
                     int64_t Offset) {
    OpBuilder B(Op);
    if (!V)
      V = LLVM::PoisonOp::create(B, Op->getLoc(), B.getI32Type());
    ptxir::DebugPiece Piece = ptxir::debugPieceOf(Op);
    std::string Name = VariableRecord{uint64_t(Op.getEntry()), K, Offset,
                                      Piece.Offset, Piece.Bytes}
                           .spell();
    auto Variable = LLVM::DILocalVariableAttr::get(
        Scope, B.getStringAttr(Name), LLVM::DIFileAttr(), /*line=*/0,
        /*arg=*/0, /*alignInBits=*/0, LLVM::DITypeAttr(), LLVM::DIFlags::Zero);
    LLVM::DbgValueOp::create(B, Op->getLoc(), V, Variable,
                             LLVM::DIExpressionAttr::get(Context));
    Op->erase();
  };
  Func.getBody().walk([&](Operation *Op) {
    if (auto Now = dyn_cast<ptxir::DebugValueOp>(Op))
      Replace(Now, VariableRecord::Value, Now.getValue(), 0);
    else if (auto Place = dyn_cast<ptxir::DebugPlaceOp>(Op))
      Replace(Place, VariableRecord::Address, Place.getAddress(),
              Place.getOffset());
  });
}

void LineInfo::attach(LLVM::LLVMFuncOp Func) {
  if (Func.isExternal())
    return;
  // Where a compiler has described the function, the place in the text says
  // what the place in the source is.
  bool IsDescribed = Debug && Debug->subprogramOf(Func.getName());
  LocationAttr First;
  if (!IsDescribed)
    Func.getBody().walk([&](Operation *Op) {
      First = ptxir::getSourceLoc(Op->getLoc());
      return First ? WalkResult::interrupt() : WalkResult::advance();
    });
  FileLineColLoc Start =
      First ? outermost(First) : ptxir::getPTXLoc(Func.getLoc());
  auto Scope =
      subprogram(Func.getName(), fileOf(Start.getFilename()), Start.getLine());
  Func->setLoc(FusedLoc::get({Start}, Scope, Context));
  lowerVariables(Func, Scope);
  // Line 0 is the place of what has none.
  LocationAttr Nowhere =
      FileLineColLoc::get(Context, Start.getFilename(), 0, 0);
  Func.getBody().walk([&](Operation *Op) {
    LocationAttr Source = First ? ptxir::getSourceLoc(Op->getLoc())
                                : LocationAttr(ptxir::getPTXLoc(Op->getLoc()));
    Op->setLoc(place(Source ? Source : Nowhere, Scope));
  });
}

void lowering::attachLineInfo(ModuleOp Module, const ptx::DebugInfo *Debug) {
  LineInfo Info(Module, Debug);
  for (auto Func : Module.getOps<LLVM::LLVMFuncOp>())
    Info.attach(Func);
}
