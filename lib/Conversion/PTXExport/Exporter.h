//===- Exporter.h - State of an export --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parts of the export share: the module's names and files, and the
// registers and lines of the function being written.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXEXPORT_EXPORTER_H
#define HEDDLE_LIB_CONVERSION_PTXEXPORT_EXPORTER_H

#include "OutOfSSA.h"
#include "heddle/Conversion/PTXExport.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/PTX/Forms.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace heddle::ptxexport {

/// A parameter's declaration: `.param .b32 name`.
std::string scalarParam(mlir::Type Ty, llvm::StringRef Name);
/// `.align 8 .b8 name[16]`: \p Size bytes of elements of a type; a size of 0 is
/// not written.
std::string arrayOf(ptxir::ScalarType Ty, uint64_t Size, uint64_t Alignment,
                    llvm::StringRef Name);
/// `.param .align 8 .b8 name[16]`
std::string arrayParam(ptxir::AggregateAttr Array, llvm::StringRef Name);
/// `.b32`, as a register of this type is declared.
llvm::StringRef registerTypeName(mlir::Type Ty);
/// The same for moves and accesses to memory, which have no .f16; a predicate
/// is 0 or 1 in memory.
llvm::StringRef memoryTypeName(mlir::Type Ty);
/// Place of the type's registers among the declarations.
unsigned registerOrder(mlir::Type Ty);
/// The untyped PTX type of a width.
ptx::Type untypedOf(unsigned Bits);

class ModuleExporter {
public:
  explicit ModuleExporter(mlir::ModuleOp Module)
      : Module(Module), Symbols(Module) {}
  mlir::LogicalResult run(llvm::raw_ostream &OS);

  mlir::LogicalResult unsupported(mlir::Operation *Op, const llvm::Twine &What);

  /// Number of a file of `.loc`, which `.file` then declares.
  unsigned fileNumber(mlir::StringAttr Name);
  /// `label` or `label+4`: where `.debug_str` holds the name of a function.
  std::string debugString(mlir::StringAttr Name);
  bool isDeclared(llvm::StringRef Symbol) const {
    return SymbolNames.contains(Symbol);
  }
  /// A prefix that no symbol of the module begins with.
  llvm::StringRef labelPrefix() const { return LabelPrefix; }
  /// Whether a section of debug information refers to a label of this name.
  bool isDebugLabel(llvm::StringRef Name) const {
    return DebugLabels.contains(Name);
  }
  bool isAvailable(const ptx::Mnemonic &Mn) const {
    return ptx::isAvailable(Mn, Version, GPU);
  }

  mlir::ModuleOp Module;
  unsigned AddressBits = 64;
  unsigned NumFunctions = 0;

private:
  mlir::LogicalResult readHeader();
  void readFiles();
  void readDebugStrings();
  void readDebugLabels();
  void writeHeader(llvm::raw_ostream &OS);
  void writeFiles(llvm::raw_ostream &OS);
  void writeSections(llvm::raw_ostream &OS);
  mlir::LogicalResult writeGlobal(ptxir::GlobalOp Global,
                                  llvm::raw_ostream &OS);
  mlir::LogicalResult writeFunction(mlir::Operation *Op, bool Define,
                                    llvm::raw_ostream &OS);
  std::string performance(ptxir::EntryOp Entry);

  mlir::SymbolTable Symbols;
  llvm::StringSet<> SymbolNames;
  unsigned Version = 0;
  ptx::Target GPU;
  std::string LabelPrefix = "$L__BB";
  /// By name; the numbers of the module's file table, and of what `.loc` adds.
  std::map<std::string, unsigned> Files;
  std::vector<std::string> NewFiles;
  llvm::StringMap<std::string> DebugStrings;
  llvm::StringSet<> DebugLabels;
  /// Names of functions for which the module has no string.
  std::vector<std::string> NewStrings;
};

/// Names of the parameters of a function as its declaration has them.
struct ParamNames {
  llvm::SmallVector<std::string> Args;
  llvm::SmallVector<std::string> Results;
};
ParamNames paramNames(ptxir::FuncOp Func, llvm::StringRef FunctionName);
/// A name that no register can have: one that begins with % begins with _.
std::string nameOfVariable(llvm::StringRef Name);
/// `(.param .b32 r) f (.param .b32 a)`, with names or `_`.
std::string funcSignature(ptxir::FuncOp Func, llvm::StringRef Name,
                          const ParamNames &Names);

/// A line of a body. Registers and labels in it are marks that get their names
/// when the whole text is there.
struct Line {
  std::string Text;
  /// The label that the line is, or NoLabel.
  unsigned Label;
};

/// What an instruction takes, apart from its mnemonic; the row of the table
/// says where each stands.
struct Operands {
  llvm::SmallVector<mlir::Value, 4> Results;
  llvm::SmallVector<mlir::Value, 4> Sources;
  llvm::SmallVector<int64_t, 2> Immediates;
  mlir::Value Address;
  int64_t Offset = 0;
  bool Unified = false; ///< `.unified` stands behind the address.
};

/// What a call and its prototype name.
struct CallTexts {
  llvm::SmallVector<std::string> ArgNames, ResultNames, ArgTypes, ResultTypes;
  std::vector<std::string> After; ///< Instructions behind the call.
};

/// Writes the body of one function. Members are grouped by the file that
/// defines them.
class BodyExporter {
public:
  static constexpr unsigned NoLabel = ~0u;

  BodyExporter(ModuleExporter &M, mlir::Operation *Function,
               const ParamNames &Names);
  mlir::LogicalResult run(llvm::raw_ostream &OS);

private:
  friend class InstWriter;
  // Blocks and branches (ExportBody.cpp).
  mlir::LogicalResult writeBlock(mlir::Block &B, mlir::Block *Next);
  mlir::LogicalResult writeTerminator(mlir::Operation *Op, mlir::Block *Next);
  void writeCondBra(ptxir::CondBraOp Op, mlir::Block *Next);
  void writeBrx(ptxir::BrxOp Op);
  void writeRet(ptxir::RetOp Op);
  bool writeGuarded(ptxir::CondBraOp Op, mlir::Block *Next);
  bool hasCopies(mlir::Operation *Branch, unsigned Successor);
  /// The moves that an edge makes, one after the other.
  std::vector<std::string> copies(mlir::Operation *Branch, unsigned Successor);
  /// Writes them and goes to the successor, unless that is \p Next.
  void writeEdge(mlir::Operation *Branch, unsigned Successor, mlir::Block *Next,
                 llvm::StringRef Uni = "");
  void moveTo(std::vector<std::string> &Out, const std::string &Dest,
              mlir::Type Ty, const std::string &Source);
  void writeLoc(mlir::Operation *Op);
  std::string placeOf(mlir::LocationAttr Loc);
  unsigned labelOf(mlir::Block *B);
  void nameLabels();
  bool isWrittenNowhere(mlir::Operation *Op) const;
  static std::string labelMark(unsigned Label) {
    return "\x03" + std::to_string(Label) + "\x04";
  }
  void line(const llvm::Twine &Text) {
    Lines.push_back({("\t" + Text).str(), NoLabel});
  }
  void writeVariables();
  void finish(llvm::raw_ostream &OS);

  // Operands (ExportOperands.cpp).
  std::string mark(unsigned Class);
  std::string reg(mlir::Value V) { return mark(Registers.classOf(V)); }
  std::string temporary(mlir::Type Ty) { return mark(Registers.newClass(Ty)); }
  /// A register that holds the value; moves a constant or an address to one.
  std::string inRegister(mlir::Value V);
  std::string source(mlir::Value V, std::optional<ptx::Type> Ty,
                     bool AddressOf);
  std::string immediate(mlir::TypedAttr Value, ptx::Type Ty);
  /// The name of a variable or parameter; empty when V is none.
  std::string symbolName(mlir::Value V);
  std::string address(mlir::Value Base, int64_t Offset);
  std::string bracketed(mlir::Value Base, int64_t Offset) {
    return "[" + address(Base, Offset) + "]";
  }
  bool isParamArray(mlir::Value V) const { return ParamArrays.contains(V); }

  // Instructions (ExportInstructions.cpp, ExportMemory.cpp, ExportCalls.cpp).
  mlir::LogicalResult writeOp(mlir::Operation *Op);
  /// Writes what is no instruction; false if \p Op is one.
  bool writeDirective(mlir::Operation *Op);
  mlir::LogicalResult writeEvent(ptxir::PmeventOp Op);
  mlir::LogicalResult writeSetmaxnreg(ptxir::SetmaxnregOp Op);
  mlir::LogicalResult writeByTable(mlir::Operation *Op);
  /// Writes the instruction of the first row that the modifiers and operands
  /// fit and that the module's version and target have.
  mlir::LogicalResult write(mlir::Operation *Op, llvm::StringRef Opcode,
                            ptx::Mnemonic Mn, const Operands &Ops);
  class Arrangement;
  bool arrange(const ptx::Mnemonic &Mn, const Operands &Ops,
               llvm::SmallVectorImpl<std::string> *Texts);
  mlir::LogicalResult writeInst(ptxir::InstOp Op);
  mlir::LogicalResult writeCarry(mlir::Operation *Op);
  bool carriesDirectly(mlir::Value Carry, mlir::Operation *User);
  bool needsCarryRegister(mlir::Value Carry);
  void writeGuardedMoves(ptxir::SelpOp Op);
  mlir::LogicalResult writeMoves(mlir::Operation *Op);
  mlir::LogicalResult writeSreg(ptxir::SregOp Op);
  mlir::LogicalResult writeBarrier(mlir::Operation *Op);
  mlir::LogicalResult writeMemory(mlir::Operation *Op);
  mlir::LogicalResult writeLdSt(mlir::Operation *Op);
  mlir::LogicalResult writeAtomic(mlir::Operation *Op);
  mlir::LogicalResult writeFence(ptxir::FenceOp Op);
  mlir::LogicalResult writeStack(mlir::Operation *Op);
  ptxir::Space effectiveSpace(ptxir::Space S, mlir::Value Base);
  mlir::LogicalResult writeCall(mlir::Operation *Op);
  /// Declares the parameters of a call and stores the arguments in them.
  void passArguments(mlir::ValueRange Args, mlir::ArrayAttr Arrays,
                     CallTexts &Call);
  /// `st.param [name], V` and the way back.
  void storeParam(const llvm::Twine &Name, mlir::Value V, bool InRegister);
  void loadParam(mlir::Value V, const llvm::Twine &Name, bool InRegister);
  void passArray(mlir::Value V, ptxir::AggregateAttr Array,
                 const std::string &Name, std::vector<std::string> &After);
  std::string uniqueName(llvm::StringRef Wanted);
  std::string freshName(llvm::StringRef Base);

  ModuleExporter &M;
  mlir::Operation *Function;
  mlir::Region &Body;
  const ParamNames &Names;
  RegisterClasses Registers;
  std::vector<Line> Lines;
  /// Order of the first mention of a register, by class.
  llvm::DenseMap<unsigned, unsigned> Mentioned;
  llvm::DenseMap<mlir::Block *, unsigned> Labels;
  /// Blocks that stand under a guard in the one before.
  llvm::DenseSet<mlir::Block *> Written;
  unsigned NumLabels = 0;
  /// Labels that have a name, by their numbers.
  llvm::DenseMap<unsigned, std::string> GivenNames;
  /// The operations that these names come from.
  llvm::DenseSet<mlir::Operation *> NameGivers;
  /// Labels that are written even if nothing jumps to them.
  llvm::DenseSet<unsigned> NeededLabels;
  /// `.local` variables, and the parameters that calls pass by name.
  llvm::DenseMap<mlir::Value, std::string> VariableNames;
  llvm::DenseSet<mlir::Value> ParamArrays;
  llvm::StringSet<> UsedNames;
  llvm::StringMap<unsigned> NextName;
  std::string LastPlace;
  llvm::StringSet<> Places;
  bool Failed = false;
};

} // namespace heddle::ptxexport

#endif // HEDDLE_LIB_CONVERSION_PTXEXPORT_EXPORTER_H
