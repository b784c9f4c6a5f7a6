//===- GeneratorState.h - State of the generator ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parts of the generator share: the registers, and where a statement
// stands.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_GENERATORSTATE_H
#define HEDDLE_TEST_RANDOM_GENERATORSTATE_H

#include "Generator.h"
#include "heddle/PTX/Tables.h"
#include "heddle/Support/RandomGenerator.h"

#include <map>
#include <optional>

namespace heddle::random {

/// A word with as many edge values as random ones.
uint64_t interestingWord(RandomGenerator &R);

/// Registers with one purpose. `Loose` ones hold floats whose NaNs may have
/// any bits: PTX leaves the bits of some open (neg.f32, everything in f64), so
/// only instructions that take a float read them.
struct Pool {
  const char *Prefix; ///< `%r`
  const char *Type;   ///< `.b32`
  unsigned Count;
};

/// Where a statement stands.
struct Scope {
  unsigned Depth = 0;
  unsigned Loops = 0; ///< Around it.
  /// All threads of the CTA that have not ended are here together.
  bool IsUniform = false;
  /// A register that holds the lanes of the warp that are here; empty where
  /// that is not known. Then nothing that lanes do together may stand here.
  std::string Mask;
  /// All 32 lanes are here.
  bool IsFullWarp = false;
  /// Where @p bra leaves the innermost loop without a mask.
  std::string Break;
};

/// A memory that a thread has for itself, or that nobody writes.
struct Region {
  std::string Space;  ///< `.global`, empty: generic.
  std::string Base;   ///< A register, or a variable.
  unsigned Bytes = 0; ///< A power of two.
  bool IsWide = true; ///< The address has 64 bits.
  bool IsWritable = true;
  bool IsPrivate = true;
};

/// Chosen elements and types of a row of the PTX table.
struct ChosenForm {
  const ptx::FormRow *Row = nullptr;
  std::string Mnemonic;
  std::vector<ptx::Type> Types;
  uint8_t Mods[ptx::NumModKinds] = {};

  template <typename E> E get() const {
    return E(Mods[unsigned(ptx::ModKindOf<E>::Value)]);
  }
  bool has(ptx::ModKind K) const { return Mods[unsigned(K)] != 0; }
};

/// The rows of the table that can be drawn for a target, by opcode.
std::vector<std::vector<const ptx::FormRow *>> drawableForms(ptx::Target GPU);

/// A group of lines that belong together.
Statement group(std::string Lines, bool Needed = false);

/// Lines that put \p From, of a float type, into \p To with canonical NaNs;
/// \p P is a predicate for them.
std::string canonical(llvm::StringRef Type, const std::string &From,
                      const std::string &To, const std::string &P);
/// The same for each half of a pair, in the registers \p A and \p B.
std::string canonicalPair(llvm::StringRef Type, const std::string &From,
                          const std::string &To, const std::string &P,
                          const std::string &A, const std::string &B);

class Generator {
public:
  Generator(uint64_t Seed, const SupportTest &IsSupported);
  RandomProgram run();

private:
  /// A .func of the program. All take the lanes that call, or 0, the address
  /// of the thread's memory and a depth; then come parameters of their own.
  struct Callee {
    std::string Name;
    bool HasMask = false; ///< Only for calls where the lanes are known.
    std::vector<std::string> Params; ///< `.b32`, `.b64`, or `array`.
    std::string Result;              ///< Likewise.
    bool InRegisters = false;        ///< In place of .param; no arrays.
  };

  // Names and text (Generator.cpp).
  std::string header() const;
  std::string probeText(const std::string &Instruction) const;
  /// Whether an instruction, written with the generator's registers, can be
  /// tested; the answer is that for its mnemonic on this target.
  bool mayUse(const std::string &Mnemonic, const std::string &Instruction);
  std::string label() { return "$L" + std::to_string(NextLabel++); }
  std::string temp(const char *Type);
  std::string reg(const char *Prefix, unsigned Count);
  void beginFunction();
  std::vector<std::string> registerDeclarations();
  void startMemory(FunctionText &F, bool IsKernel);
  void startValues(FunctionText &F, const std::string &Base, unsigned Places,
                   unsigned Distance, unsigned Span);
  std::string collectPredicates(const std::string &Flags);
  void outputs(FunctionText &F);
  FunctionText makeKernel();
  void makeModule();

  // Instructions from the table (GenerateForms.cpp).
  std::optional<ChosenForm> chooseForm();
  std::optional<std::string> instruction(const ChosenForm &Form, bool ForProbe);
  std::optional<std::string> operandText(const ChosenForm &Form,
                                         const ptx::OperandSpec &Spec,
                                         bool ForProbe);
  std::optional<std::string> randomInstruction();
  std::string source(ptx::Type Ty, bool Wider, bool ForProbe,
                     bool MayBeLoose = true, bool MayBeConstant = true);
  std::string selector(ptx::OperandSelector Kind);
  std::string destination(const ChosenForm &Form, ptx::Type Ty, bool Wider,
                          bool ForProbe);
  std::string immediate(ptx::Type Ty);
  std::string exact(unsigned Width);
  std::string exactWriteable(unsigned Width);
  std::string predicate();

  // Statements (Generator.cpp, GenerateControl.cpp, GenerateMemory.cpp,
  // GenerateWarp.cpp).
  Body statements(const Scope &S, unsigned Count);
  Statement statement(const Scope &S);
  Statement canonicalise();
  Statement carryChain();
  Statement extremeChain();
  Statement conditionChain();
  Statement predicateLogic();
  Statement uniformStep();
  Statement packing();
  Statement byteMove();
  Statement specialRegister();
  Statement branchOn(const Scope &S);
  Statement loop(const Scope &S);
  Statement maskedLoop(const Scope &S);
  Statement indexedBranch(const Scope &S);
  Statement jumble(const Scope &S);
  Statement leaveLoop(const Scope &S);
  Statement endThreads(const Scope &S);
  Statement call(const Scope &S);
  std::string otherCallee(const Callee &F, const std::string &Pointer);
  template <size_t N>
  void chooseSignature(Callee &C, const char *const (&Types)[N]);
  std::string calleeHeader(const Callee &C) const;
  std::string parameterRead(const Callee &C, const std::string &Type,
                            const std::string &To, size_t N) const;
  std::string ownParameters(const Callee &C);
  std::string selfCallInRegisters(const Callee &C);
  std::string selfCallInMemory(const Callee &C);
  Statement recursion(const Callee &C);
  std::string resultStore(const Callee &C);
  void makeFunction();
  std::string argumentStore(const std::string &Param, const std::string &Type);
  Statement access(const Scope &S);
  Statement privateAtomic();
  Statement vectorAtomic();
  std::string completedOperation(std::string &Bytes);
  Statement asyncOperation();
  Statement stackMemory();
  Statement sharedSum();
  Statement exchange(const Scope &S);
  Statement warpOperation(const Scope &S);
  Statement leaderExchange(const Scope &S);
  std::string addressIn(const Region &Where, unsigned Size,
                        std::string &Address);
  std::string randomPredicate(const std::string &Result);
  std::string uniformPredicate(const std::string &Result);
  std::string trips(const std::string &Result, bool IsUniform);
  std::string barrier();
  std::string loadOrStore(const Region &Where);

  RandomGenerator R;
  SupportTest IsSupported;
  RandomProgram P;
  ptx::Target GPU;
  std::vector<std::vector<const ptx::FormRow *>> Opcodes;
  std::vector<Region> Regions; ///< Of the function being made.
  std::vector<Callee> Callees;
  bool MayEnd = false; ///< Threads of this program may end early.
  unsigned NextLabel = 0;
  std::map<std::string, unsigned> Temps; ///< By type.
  unsigned Budget = 0; ///< Statements that the function may still get.
};

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_GENERATORSTATE_H
