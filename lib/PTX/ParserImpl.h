//===- ParserImpl.h - The PTX parser ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser with one token of lookahead. Names are resolved
// and instructions checked as they are read. A function that parses returns
// false after it has reported an error; the statement loops then skip to the
// next `;`.
//
// The members are defined in Parser.cpp (module), ParseConstant.cpp,
// ParseDecl.cpp (variables and functions), ParseDirective.cpp, ParseBody.cpp
// (statements and operands) and Mnemonic.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_PTX_PARSERIMPL_H
#define HEDDLE_LIB_PTX_PARSERIMPL_H

#include "Checker.h"
#include "Lexer.h"
#include "SymbolTable.h"
#include "heddle/PTX/Parser.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::ptx {

/// Value of a constant expression.
struct Constant {
  enum class Kind : uint8_t { Int, Single, Double } K = Kind::Int;
  bool Unsigned = false; ///< Int: .u64 rather than .s64.
  uint64_t Bits = 0;     ///< Of the integer, or of the float or double.
  SourceRange Range;

  bool isInt() const { return K == Kind::Int; }
  double toDouble() const;
};

class Parser {
public:
  /// The dotted parts of a mnemonic.
  struct Parts;
  Parser(llvm::MemoryBufferRef Buffer, DiagnosticEngine &Diags,
         const ParseOptions &Options);
  std::unique_ptr<Module> run();

private:
  //===--------------------------------------------------------------------===//
  // Tokens (Parser.cpp)
  //===--------------------------------------------------------------------===//
  void advance() {
    PreviousEnd = Tok.Offset + Tok.Length;
    Tok = Lex.lex();
  }
  /// Whether a line ends between the previous token and this one.
  bool isOnNewLine() const {
    return Buffer.getBuffer().slice(PreviousEnd, Tok.Offset).contains('\n');
  }
  llvm::StringRef getText() const { return Lex.getText(Tok); }
  bool isDotted(llvm::StringRef Name) const {
    return Tok.is(TokenKind::Dotted) && getText() == Name;
  }
  bool consume(char C) {
    if (!Tok.is(C))
      return false;
    advance();
    return true;
  }
  bool consumeDotted(llvm::StringRef Name) {
    if (!isDotted(Name))
      return false;
    advance();
    return true;
  }
  /// Reports an error at the token and returns false.
  bool fail(const llvm::Twine &Message);
  bool failAt(SourceRange Where, const llvm::Twine &Message);
  /// The same, asking whether \p Near was meant; \p Lead is shown before it.
  bool failNear(SourceRange Where, const llvm::Twine &Message,
                llvm::StringRef Near, llvm::StringRef Lead = "");
  void reportVersion(bool IsNewer);
  void noteHeader(Diagnostic &D, SourceRange Where);
  /// "expected <What>" at the token.
  bool expected(const llvm::Twine &What);
  bool expect(char C, const llvm::Twine &Context);
  bool expectSemicolon(const llvm::Twine &Context);
  bool parseWord(llvm::StringRef &Text, SourceRange &Where,
                 const llvm::Twine &What);
  bool parseUnsigned(uint64_t &Value, uint64_t Max, const llvm::Twine &What);
  bool parseString(llvm::StringRef &Text);
  std::string describeToken() const;
  /// Whether a function or a variable with a linkage begins here.
  bool startsTopLevel() const;
  bool endsDeclaration() const;
  void skipStatement();
  void skipTopLevel();

  template <typename T, typename... ArgTs> T *create(ArgTs &&...Args) {
    return new (M->getArena()) T(std::forward<ArgTs>(Args)...);
  }
  template <typename T> llvm::ArrayRef<T> save(llvm::ArrayRef<T> Values) {
    return Values.copy(M->getArena());
  }
  template <typename T, unsigned N>
  llvm::ArrayRef<T> save(const llvm::SmallVector<T, N> &Values) {
    return llvm::ArrayRef<T>(Values).copy(M->getArena());
  }

  //===--------------------------------------------------------------------===//
  // Module (Parser.cpp)
  //===--------------------------------------------------------------------===//
  bool parseTopLevel();
  bool parseVersion();
  bool parseTargetDirective();
  bool parseAddressSize();
  bool checkHeader();
  /// Numbers of files go up to this one.
  static constexpr uint64_t MaxFileNumber = INT32_MAX;
  bool parseFile();
  bool parseSection();
  bool declareFile(const FileEntry &File, SourceRange Where);
  bool parseSectionItem(llvm::SmallVectorImpl<SectionItem> &Items);
  /// Where a `.pragma` stands.
  enum class PragmaPlace : uint8_t { Module, Function, Body };
  bool checkPragma(llvm::StringRef Text, SourceRange Where, PragmaPlace Place);
  bool parsePragmaStrings(llvm::SmallVectorImpl<llvm::StringRef> &Strings,
                          PragmaPlace Place);
  bool parseAlias();

  //===--------------------------------------------------------------------===//
  // Constants (ParseConstant.cpp)
  //===--------------------------------------------------------------------===//
  bool parseConstant(Constant &C);
  bool parseConditional(Constant &C);
  bool parseBinary(Constant &C, unsigned MinPrecedence);
  bool parseUnary(Constant &C);
  bool parsePrimary(Constant &C);
  bool parseFraction(uint64_t &Bits) const;
  bool applyUnary(char Op, SourceRange Where, Constant &C);
  bool applyBinary(TokenKind Op, SourceRange Where, Constant &L,
                   const Constant &R);
  bool applyIntBinary(TokenKind Op, SourceRange Where, Constant &L,
                      const Constant &R);
  /// An integer that fits in 64 bits, as an offset or extent.
  bool parseIntConstant(int64_t &Value, const llvm::Twine &What);

  //===--------------------------------------------------------------------===//
  // Declarations (ParseDecl.cpp)
  //===--------------------------------------------------------------------===//
  /// What stands before the names of a declaration.
  struct DeclSpec {
    bool IsRegister = false;
    bool HasType = false;
    bool IsPtr = false;
    bool Managed = false;
    std::optional<UnifiedId> Unified;
    uint8_t VectorWidth = 1;
    StateSpace Space = StateSpace::None;
    StateSpace PtrSpace = StateSpace::None;
    std::optional<Type> PtrObject;
    Type Ty = Type::B32;
    uint8_t ConstBank = 0;
    Linkage Link = Linkage::None;
    uint32_t Align = 0;
    uint32_t PtrAlign = 0;
    SourceRange Where;      ///< The type, or the space before one is seen.
    SourceRange SpaceWhere; ///< The state space.
  };
  Linkage parseLinkage();
  bool parseSpace(DeclSpec &Spec);
  bool parseDeclSpec(DeclSpec &Spec);
  bool parseDeclSpecPart(DeclSpec &Spec, bool &Done);
  bool parseAlign(uint32_t &Align);
  bool parseAttribute(DeclSpec &Spec);
  bool parseUnifiedId(std::optional<UnifiedId> &Id);
  bool parsePtr(DeclSpec &Spec);
  bool checkDeclSpec(const DeclSpec &Spec);
  /// Parses `name`, `name<n>`, `name[2][3] = ...`, separated by commas.
  bool parseDeclarators(const DeclSpec &Spec,
                        llvm::SmallVectorImpl<const Statement *> *Body);
  bool parseRegister(const DeclSpec &Spec, RegisterDecl *&Result);
  Variable *createVariable(const DeclSpec &Spec, llvm::StringRef Name,
                           SourceRange Where);
  bool parseVariable(const DeclSpec &Spec, Variable *&Result);
  bool parseVariables(const DeclSpec &Spec,
                      llvm::SmallVectorImpl<Variable *> &Result, bool &IsRange);
  bool parseInitialized(Variable *V);
  bool parseDeclarator(const DeclSpec &Spec,
                       llvm::SmallVectorImpl<Decl *> &Result);
  bool parseDims(Variable &V);
  bool numberRegister(RegisterDecl *R);
  bool declareRegister(RegisterDecl *R);
  bool declareVariable(Variable *V);
  bool redeclareGlobal(Variable *Old, Variable *New);
  bool declare(Decl *D);

  bool parseInitializer(Variable &V);
  struct InitState;
  bool parseInitLevel(InitState &S, unsigned Level);
  bool parseOpaqueInit(Variable &V);
  bool parseInitElement(const Variable &V, InitElement &E);
  bool parseInitSymbol(const Variable &V, InitElement &E);
  bool convertInit(const Variable &V, const Constant &C, InitElement &E);

  bool parseFunction(Linkage Link);
  bool parseFunctionAttribute(std::optional<UnifiedId> &Unified);
  bool parseParamList(bool IsEntry, bool AllowUnnamed,
                      llvm::SmallVectorImpl<Parameter> &Params);
  bool parseParam(bool IsEntry, bool AllowUnnamed,
                  llvm::SmallVectorImpl<Parameter> &Params);
  /// What a directive stands before the body of.
  enum class DirectiveUse : uint8_t { Entry = 1, Func = 2, Prototype = 4 };
  bool parsePerformance(PerformanceDirectives &D, DirectiveUse Use);
  bool parseDirectiveValue(llvm::StringRef Name, PerformanceDirectives &D);
  bool parseLanguages(PerformanceDirectives &D);
  /// Whether the module's version and target have what is at \p Where.
  bool requireFeature(SourceRange Where, const llvm::Twine &What,
                      unsigned Version, unsigned Sm);
  bool parseConstBank(DeclSpec &Spec);
  bool parseTextureDirective(Linkage Link);
  bool skipOldDwarf();
  bool checkOpaqueSpace(const DeclSpec &Spec);
  bool checkParam(const Variable &V, bool IsEntry);
  bool checkVariableSpace(const Variable &V, SourceRange Where);
  bool checkParamSpace(const Function &F, SourceRange Where);
  bool checkAlias(const Function &Alias, const Function &Aliasee,
                  SourceRange Where);
  bool reportPerformance(llvm::StringRef Text);
  bool parseDirectiveNumbers(llvm::MutableArrayRef<uint32_t> Values);
  bool checkSignature(const Function &F, SourceRange Where);
  bool mergePrototype(Function *Old, Function *New, SourceRange Where);
  bool declareFunction(Function *&F, SourceRange Where);
  bool checkSignatureEnd(bool HasNoEnd, SourceRange Name);
  bool parseBody(Function *F);

  //===--------------------------------------------------------------------===//
  // Bodies (ParseBody.cpp)
  //===--------------------------------------------------------------------===//
  using StatementList = llvm::SmallVectorImpl<const Statement *>;
  void parseStatements(StatementList &Out);
  bool parseStatement(StatementList &Out);
  bool parseDirective(StatementList &Out);
  bool parseLoc(StatementList &Out);
  bool parseLocIntermediate(StatementList &Out);
  bool parseLabel(const Token &Name, StatementList &Out);
  bool parseBranchTargets(const Token &Name, StatementList &Out);
  bool parseCallTargets(const Token &Name, StatementList &Out);
  bool parseCallPrototype(const Token &Name, StatementList &Out);
  bool parseGuard(Guard &G);
  bool parseInstruction(const Guard &G, Token Name, StatementList &Out);
  void resolveLabels(size_t FirstPending);

  using OperandList = llvm::SmallVectorImpl<Operand>;
  bool parseOperands(const FormRow &Form, OperandList &Operands);
  bool parseCallOperands(OperandList &Operands);
  bool parseOperandList(Operand &Result);
  bool parseSum(Operand &Term);
  bool checkSums(const Mnemonic &Mn, llvm::ArrayRef<Operand> Operands);
  bool parseOperand(Operand &Result);
  bool parsePrimaryOperand(Operand &Result);
  bool parseNameOperand(Operand &Result, bool Negated);
  bool parseRegisterOperand(Operand &Result, const SymbolTable::Symbol &S,
                            llvm::StringRef Name, const Token &At,
                            bool Negated);
  bool parseSpecialOperand(Operand &Result, SpecialReg Special,
                           llvm::StringRef Name, const Token &At, bool Negated);
  bool isSelector(const RegisterDecl &R) const;
  bool parseVectorOperand(Operand &Result);
  bool parseAddressOperand(Operand &Result);
  bool parseLabelOperand(Operand &Result);
  bool parseDeclOperand(Operand &Result, llvm::StringRef What);
  bool parseComponent(uint32_t EndOfName, int &Component);
  bool parseArrayElement(Operand &Result, SourceRange Name, const Decl &D);
  bool parseOffset(int64_t &Offset);
  Operand expandVector(const Operand &O);
  bool parseConstantOperand(Operand &Result);
  bool reportUnknown(SourceRange Where, llvm::StringRef Name,
                     bool IsLabel = false);

  //===--------------------------------------------------------------------===//
  // Mnemonics (Mnemonic.cpp)
  //===--------------------------------------------------------------------===//
  /// The rows that a mnemonic fits, in table order.
  using MnemonicSet = llvm::ArrayRef<const Mnemonic *>;
  struct Matches {
    llvm::SmallVector<const Mnemonic *, 4> Available;
    /// What needs another .version or .target.
    llvm::SmallVector<const Mnemonic *, 4> Unavailable;
    /// A row whose vectors are smaller.
    const FormRow *TooWide = nullptr;

    bool isEmpty() const {
      return Available.empty() && Unavailable.empty() && !TooWide;
    }
  };
  /// Reports an error and returns an empty set when nothing fits.
  const Mnemonic *chooseForm(MnemonicSet Set, llvm::ArrayRef<Operand> Written,
                             llvm::SmallVectorImpl<Operand> &Arranged);
  MnemonicSet resolveMnemonic(llvm::StringRef Text, SourceLoc Loc);
  void matchRow(const FormRow &Row, const Parts &P, llvm::StringRef Text,
                Matches &Result);
  void warnOfForm(const Mnemonic &Mn, SourceRange Where);
  void reportOperandCount(MnemonicSet Set, SourceRange Where, size_t Count);
  void reportMnemonic(llvm::StringRef Text, SourceLoc Loc);
  bool checkAvailability(const Mnemonic &Mn, SourceRange Where, bool Report);

  llvm::MemoryBufferRef Buffer;
  DiagnosticEngine &Diags;
  const ParseOptions &Options;
  Lexer Lex;
  Token Tok;
  uint32_t PreviousEnd = 0;
  std::unique_ptr<Module> M;
  SymbolTable Symbols;
  Checker Check;
  bool SawVersion = false;
  bool SawTarget = false;
  bool SawAddressSize = false;
  bool HeaderReported = false;
  /// `.version 8.0`, and the name in .target.
  SourceRange VersionWhere, TargetWhere;

  llvm::SmallVector<FileEntry> Files;
  /// Where the number of each file was declared.
  llvm::DenseMap<uint32_t, SourceRange> FileNumbers;
  /// The files that .loc names, each with its first use.
  llvm::MapVector<uint32_t, SourceRange> LocFiles;
  llvm::SmallVector<const Variable *> Globals;
  llvm::SmallVector<const Function *> Functions;
  llvm::SmallVector<const AliasDecl *> Aliases;
  llvm::SmallVector<const Section *> Sections;
  llvm::SmallVector<llvm::StringRef> Pragmas;
  llvm::DenseMap<llvm::StringRef, MnemonicSet> Mnemonics;

  //===--------------------------------------------------------------------===//
  // The function that is being parsed
  //===--------------------------------------------------------------------===//
  Function *CurFunction = nullptr;
  uint32_t NumRegisters = 0;
  uint32_t NumLabels = 0;
  unsigned Depth = 0;
  unsigned ConstantDepth = 0;
  /// Closing braces to pass over, after skipStatement went past their opening.
  unsigned UnmatchedBraces = 0;
  /// Braces of vector operands that are open where an error came up.
  unsigned OperandBraces = 0;

  /// A use of a label whose scope has not ended, so that the label may still
  /// come. One of the slots is to be set.
  struct PendingLabel {
    llvm::StringRef Name;
    SourceLoc Loc;
    Operand *Op;
    const LabelDecl **Slot;
  };
  llvm::SmallVector<PendingLabel> PendingLabels;
  llvm::SmallVector<const Instruction *> Meaningless;
  /// The registers of sums that the operands of the present instruction are,
  /// and the additions.
  llvm::SmallVector<std::pair<const RegisterDecl *, const Instruction *>> Sums;
};

} // namespace heddle::ptx

#endif // HEDDLE_LIB_PTX_PARSERIMPL_H
