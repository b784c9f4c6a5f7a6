//===- Instruction.h - Operations ready to execute --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of the dialect as the machine runs it: a list of instructions
// whose operands are numbers of registers, with all modifiers decoded.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_INSTRUCTION_H
#define HEDDLE_LIB_INTERPRETER_INSTRUCTION_H

#include "Values.h"
#include "heddle/Dialect/PTX/InstReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <string>
#include <vector>

namespace heddle::interp {

class Thread;
class Warp;
struct Function;
struct Instruction;

/// Everything that an operation says behind its name. What an operation does
/// not have is at its default.
struct Modifiers {
  ScalarType Ty = ScalarType::B32;
  ScalarType SrcTy = ScalarType::B32;
  bool HasSrcTy = false;
  ptxir::Rounding Rnd = ptxir::Rounding::None;
  ptxir::Cmp Cmp = ptxir::Cmp::Eq;
  ptxir::BoolOp BoolOp = ptxir::BoolOp::None;
  ptxir::Test Test = ptxir::Test::Finite;
  ptxir::Space Space = ptxir::Space::Generic;
  ptxir::AtomKind Kind = ptxir::AtomKind::Add;
  ptxir::WrapMode Wrap = ptxir::WrapMode::Clamp;
  ptxir::ShiftDir Dir = ptxir::ShiftDir::L;
  /// `mode` is another enumeration for each family.
  uint32_t RawMode = 0;
  bool Ftz = false, Sat = false, Satfinite = false, Relu = false, Oob = false;
  bool Turns = false; ///< An angle is in turns.
  bool NaN = false, Abs = false, XorsignAbs = false, Approx = false;
  bool Full = false, ShiftAmount = false, To = false, Relaxed = false;
  bool NoReturn = false, NoFtz = false;
  bool WholeWarp = false; ///< All lanes take part; no operand is their mask.
  uint32_t Lut = 0;
  int64_t Offset = 0;
  int64_t Size = 0;
  int64_t Alignment = 1;
  uint32_t Index = 0;
  int64_t Entry = 0; ///< Of a variable of the source, in .debug_info,
  int64_t PieceOffset = 0, PieceBytes = 0; ///< and the bytes of it.
  std::string Name; ///< Of a special register; of a ptx.inst all its words.

  template <typename E> E mode() const { return static_cast<E>(RawMode); }
  bool operator==(const Modifiers &) const = default;
};

/// Computes results from operands and nothing else. The results are cut to
/// their registers' widths afterwards.
using Evaluator = void (*)(const Instruction &I, const Bits *In, Bits *Out);

/// What became of a thread's instruction.
enum class Outcome : uint8_t {
  Next,    ///< Go on with the following instruction.
  Jumped,  ///< The program counter is set.
  Waiting, ///< The thread waits; what it waits for moves it on.
  Stopped, ///< The thread ended, or there was a fault.
};
using Executor = Outcome (*)(Thread &T, const Instruction &I);

/// Carries out an operation that lanes of a warp execute together, once all of
/// \p Lanes wait at it. Each lane has its own instruction, alike but for its
/// registers.
using WarpExecutor = void (*)(Warp &W, uint32_t Lanes);

/// A successor: where to go on, and which registers its arguments take.
struct Edge {
  uint32_t Target = 0;
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 4> Moves; ///< From, to.
};

/// The number of an operand that is not there.
constexpr uint32_t NoRegister = ~0u;

/// An argument that is the address of a .param array.
struct Aggregate {
  uint64_t Size = 0; ///< In bytes; 0: not an array.
  uint64_t Alignment = 1;
  bool IsResult = false;
};

struct Instruction {
  Evaluator Evaluate = nullptr;
  /// What a ptx.inst computes, of its operands, or with Together of those of
  /// all lanes, one lane's after the other's; Evaluate or Together call it.
  std::function<void(const Bits *In, Bits *Out)> Compute;
  Executor Execute = nullptr;
  WarpExecutor Together = nullptr;
  Modifiers Mods;
  llvm::SmallVector<uint32_t, 4> Operands;
  llvm::SmallVector<uint32_t, 2> Results;
  llvm::SmallVector<uint16_t, 2> ResultWidths;
  llvm::SmallVector<uint16_t, 4> OperandWidths;
  llvm::SmallVector<Edge, 0> Edges;
  const Function *Callee = nullptr;
  std::vector<Aggregate> Aggregates; ///< Empty or one for each argument.
  mlir::Operation *Op = nullptr;
};

/// What a function that the module does not define does.
using SystemCall = Outcome (*)(Thread &T, const Instruction &Call);

struct Function {
  std::string Name;
  uint64_t Address = 0;
  bool IsEntry = false;
  SystemCall System = nullptr; ///< In place of code.
  std::vector<Instruction> Code;
  /// Contents of the registers when the function starts: constants, and poison
  /// for what is not written yet.
  std::vector<Bits> Initial;
  std::vector<uint32_t> Arguments; ///< Their registers.
  std::vector<Aggregate> Aggregates;
};

/// What the machine knows of an operation of the dialect.
struct OpSemantics {
  /// Picks the evaluator for the modifiers; null where one is not covered.
  Evaluator (*Choose)(const Modifiers &M) = nullptr;
  Executor Execute = nullptr;
  WarpExecutor Together = nullptr;
};

/// Reads the words of a ptx.inst and says what it does: Instruction::Compute,
/// or Execute or Together and Mods. False if it is not covered. Operands and
/// results are there already, in the order of the text; Mods.Offset is that of
/// the address.
using InstDecoder = bool (*)(const ptxir::InstReader &Reader, Instruction &I);

/// Semantics by the operation's name, for ptx.inst by its opcode. Each family
/// adds its own.
class SemanticsTable {
public:
  template <typename... Ops> void pure(Evaluator (*Choose)(const Modifiers &)) {
    (add(Ops::getOperationName(), {Choose, nullptr, nullptr}), ...);
  }
  template <typename... Ops> void thread(Executor Execute) {
    (add(Ops::getOperationName(), {nullptr, Execute, nullptr}), ...);
  }
  template <typename... Ops> void warp(WarpExecutor Together) {
    (add(Ops::getOperationName(), {nullptr, nullptr, Together}), ...);
  }
  void inst(llvm::StringRef Opcode, InstDecoder Decode) {
    Decoders[Opcode].push_back(Decode);
  }
  /// Null for an operation that is not covered.
  const OpSemantics *find(llvm::StringRef Name) const {
    auto It = Table.find(Name);
    return It == Table.end() ? nullptr : &It->second;
  }
  /// Decodes a ptx.inst; false if it is not covered.
  bool decodeInst(const ptxir::InstReader &Reader, Instruction &I) const;

private:
  void add(llvm::StringRef Name, const OpSemantics &S) { Table[Name] = S; }
  llvm::DenseMap<llvm::StringRef, OpSemantics> Table;
  /// Several families can have instructions of one opcode.
  llvm::DenseMap<llvm::StringRef, llvm::SmallVector<InstDecoder, 2>> Decoders;
};

void addIntegerSemantics(SemanticsTable &Table);
void addBitSemantics(SemanticsTable &Table);
void addFloatSemantics(SemanticsTable &Table);
void addCompareSemantics(SemanticsTable &Table);
void addConvertSemantics(SemanticsTable &Table);
void addVideoSemantics(SemanticsTable &Table);
void addNarrowSemantics(SemanticsTable &Table);
void addMixedSemantics(SemanticsTable &Table);
void addQuadSemantics(SemanticsTable &Table);
void addSparseSemantics(SemanticsTable &Table);
void addMemorySemantics(SemanticsTable &Table);
void addWarpSemantics(SemanticsTable &Table);
void addControlSemantics(SemanticsTable &Table);
void addMatrixSemantics(SemanticsTable &Table);
void addAsyncSemantics(SemanticsTable &Table);
void addFabricSemantics(SemanticsTable &Table);
void addReductionSemantics(SemanticsTable &Table);
void addTensorSemantics(SemanticsTable &Table);

/// A table function that picks the same evaluator for all modifiers.
template <Evaluator E> Evaluator always(const Modifiers &) { return E; }

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_INSTRUCTION_H
