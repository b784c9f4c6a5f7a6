//===- Calls.cpp - Intrinsics and inline assembly of NVVM -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call that stands for PTX becomes a call of a function with that PTX as
// its body. All such functions are one PTX module, which the frontend compiles
// like any other; then they are inlined and gone.
//
//===----------------------------------------------------------------------===//

#include "CompileInput.h"
#include "Import.h"

#include "heddle/Target/HeddleTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

/// The constraints that have a register: h, r, l, q, f, d, and b for a
/// predicate; n is an immediate.
static bool isKnownConstraint(StringRef Code) {
  return Code.size() == 1 && StringRef("hrlqfdbn").contains(Code[0]);
}

Expected<Snippet> describeAssembly(const CallBase &Call) {
  const auto &Asm = *cast<InlineAsm>(Call.getCalledOperand());
  auto Wrong = [&](const Twine &Message) {
    return createStringError("inline assembly '" + Asm.getAsmString() +
                             "': " + Message);
  };
  Snippet S;
  for (const InlineAsm::ConstraintInfo &C : Asm.ParseConstraints()) {
    if (C.Type == InlineAsm::isClobber) {
      S.IsMemoryBarrier |= is_contained(C.Codes, "{memory}");
      continue;
    }
    if (C.isIndirect || C.Type == InlineAsm::isLabel || C.Codes.size() != 1)
      return Wrong("this kind of operand is not supported");
    if (C.Type == InlineAsm::isInput) {
      unsigned Tied;
      bool IsTied = !StringRef(C.Codes[0]).getAsInteger(10, Tied);
      S.Ties.push_back(IsTied ? static_cast<int>(Tied) : -1);
      if (IsTied)
        continue;
    }
    if (!isKnownConstraint(C.Codes[0]))
      return Wrong("constraint '" + C.Codes[0] + "' is not supported");
  }
  // $$ is a dollar, ${N} is $N.
  StringRef Text = Asm.getAsmString();
  for (size_t I = 0; I != Text.size(); ++I) {
    if (Text.substr(I).starts_with("$$")) {
      S.Text += "$$";
      ++I;
    } else if (Text.substr(I).starts_with("${")) {
      size_t End = Text.find('}', I);
      StringRef Number = Text.slice(I + 2, End);
      if (End == StringRef::npos || Number.contains(':'))
        return Wrong("modifiers of operands are not supported");
      S.Text += "$" + Number.str();
      I = End;
    } else if (Text[I] == '$' &&
               (I + 1 == Text.size() || !isDigit(Text[I + 1]))) {
      return Wrong("alternatives of dialects are not supported");
    } else {
      S.Text += Text[I];
    }
  }
  return S;
}

//===----------------------------------------------------------------------===//
// Functions of PTX
//===----------------------------------------------------------------------===//

namespace {

/// A function of PTX that calls become.
struct PTXFunction {
  std::string Text;   ///< behind its name
  std::string Origin; ///< for messages
  const Function *User;
  unsigned FirstLine = 0; ///< of the module's text
};

class CallConverter {
public:
  CallConverter(Import &I, mlir::MLIRContext &MLIR) : I(I), MLIR(MLIR) {}
  Error run();

private:
  void visit(CallBase &Call);
  void replaceReflection(CallBase &Call);
  void replaceFused(CallBase &Call);
  void require(CallBase &Call, const Snippet &S);
  Expected<std::unique_ptr<Module>> compile();
  void replace(CallBase &Call, Function &By, bool IsBarrier);

  Import &I;
  mlir::MLIRContext &MLIR;
  std::vector<PTXFunction> Functions;
  StringMap<size_t> Numbers; ///< of functions, by text
  struct Use {
    CallBase *Call;
    size_t Function;
    bool IsBarrier;
  };
  std::vector<Use> Uses;
};

} // namespace

/// The types of a call's results.
static SmallVector<Type *> resultTypes(const CallBase &Call) {
  if (auto *S = dyn_cast<StructType>(Call.getType()))
    return SmallVector<Type *>(S->elements());
  if (Call.getType()->isVoidTy())
    return {};
  return {Call.getType()};
}

/// PTX's type of a register for values of T; empty if there is none.
static StringRef registerType(Type *T, const DataLayout &DL) {
  if (T->isFloatTy())
    return ".f32";
  if (T->isDoubleTy())
    return ".f64";
  if (T->isAggregateType())
    return "";
  switch (DL.getTypeSizeInBits(T).getFixedValue()) {
  case 1:
    return ".pred";
  case 16:
    return ".b16";
  case 32:
    return ".b32";
  case 64:
    return ".b64";
  case 128:
    return ".b128";
  default:
    return "";
  }
}

/// Pointers are 64 bits wide in PTX.
static Type *typeInPTX(Type *T) {
  return T->isPointerTy() ? Type::getInt64Ty(T->getContext()) : T;
}

/// An argument that has to be a number in the PTX.
static bool isImmediate(const CallBase &Call, unsigned Argument) {
  if (isa<InlineAsm>(Call.getCalledOperand()))
    return isa<ConstantInt>(Call.getArgOperand(Argument)) &&
           cast<InlineAsm>(Call.getCalledOperand())
                   ->getConstraintString()
                   .find('n') != std::string::npos;
  return Call.paramHasAttr(Argument, Attribute::ImmArg);
}

namespace {

/// A text with what stands for $0, $1, ... and the other forms of
/// Intrinsics.def.
class Substitution {
public:
  /// The first NumResults operands are results.
  Substitution(ArrayRef<std::string> Operands, size_t NumResults)
      : Operands(Operands), NumResults(NumResults) {}
  /// None if the text asks for what is not there.
  std::optional<std::string> apply(StringRef Text);

private:
  bool add(size_t Number);
  bool addList(size_t Count);
  bool addForm(StringRef &Text);
  bool addChoice(StringRef &Text);

  ArrayRef<std::string> Operands;
  size_t NumResults;
  size_t Next = 0; ///< behind the operand that was mentioned last
  std::string Out;
};

} // namespace

bool Substitution::add(size_t Number) {
  if (Number >= Operands.size())
    return false;
  Out += Operands[Number];
  Next = Number + 1;
  return true;
}

bool Substitution::addList(size_t Count) {
  Out += '{';
  for (size_t N = 0; N != Count; ++N) {
    if (N)
      Out += ", ";
    if (!add(Next))
      return false;
  }
  Out += '}';
  return Count != 0;
}

/// $?N{a|b|...}, behind the question mark.
bool Substitution::addChoice(StringRef &Text) {
  size_t Number, Value;
  if (Text.consumeInteger(10, Number) || Number >= Operands.size() ||
      StringRef(Operands[Number]).getAsInteger(10, Value) ||
      !Text.consume_front("{"))
    return false;
  auto [Inner, Rest] = Text.split('}');
  SmallVector<StringRef> Choices;
  Inner.split(Choices, '|');
  Text = Rest;
  if (Value >= Choices.size())
    return false;
  Out += Choices[Value];
  return true;
}

/// What is behind a dollar.
bool Substitution::addForm(StringRef &Text) {
  if (Text.consume_front("$")) {
    Out += '$';
    return true;
  }
  if (Text.consume_front("+"))
    return add(Next);
  if (Text.consume_front("="))
    return Next != 0 && add(Next - 1);
  if (Text.consume_front("?"))
    return addChoice(Text);
  if (Text.consume_front("[*]"))
    return addList((Next < NumResults ? NumResults : Operands.size()) - Next);
  size_t Number;
  if (Text.consume_front("["))
    return !Text.consumeInteger(10, Number) && Text.consume_front("]") &&
           addList(Number);
  return !Text.consumeInteger(10, Number) && add(Number);
}

std::optional<std::string> Substitution::apply(StringRef Text) {
  while (true) {
    auto [Before, After] = Text.split('$');
    Out += Before;
    if (Before.size() == Text.size())
      return Out;
    Text = After;
    if (!addForm(Text))
      return std::nullopt;
  }
}

static std::string describe(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return "inline assembly '" + Asm->getAsmString().str() + "'";
  return "intrinsic '" + Call.getCalledFunction()->getName().str() + "'";
}

/// Notes that Call is to become a call of a function with the snippet's text.
void CallConverter::require(CallBase &Call, const Snippet &S) {
  const DataLayout &DL = I.M.getDataLayout();
  std::vector<std::string> Operands;
  std::string Results, Parameters, Moves;
  auto Declare = [&](Type *T, const char *Prefix, std::string &List) {
    StringRef Register = registerType(typeInPTX(T), DL);
    Operands.push_back(Prefix + std::to_string(Operands.size()));
    List += (List.empty() ? ".reg " : ", .reg ") + Register.str() + " " +
            Operands.back();
    return !Register.empty();
  };
  bool IsGood = true;
  for (Type *T : resultTypes(Call))
    IsGood &= Declare(T, "%result", Results);
  for (unsigned N = 0; N != Call.arg_size(); ++N) {
    Value *Argument = Call.getArgOperand(N);
    int Tie = N < S.Ties.size() ? S.Ties[N] : -1;
    if (isImmediate(Call, N) && isa<ConstantInt>(Argument)) {
      const APInt &Value = cast<ConstantInt>(Argument)->getValue();
      Operands.push_back(toString(Value, 10, Value.getBitWidth() != 1));
      continue;
    }
    IsGood &= Declare(Argument->getType(), "%argument", Parameters);
    if (Tie >= 0 && IsGood) {
      StringRef Register = registerType(typeInPTX(Argument->getType()), DL);
      Moves += "mov" + Register.str() + " " + Operands[Tie] + ", " +
               Operands.back() + ";\n";
      Operands.back() = Operands[Tie];
    }
  }
  std::optional<std::string> Body;
  if (IsGood)
    Body = Substitution(Operands, resultTypes(Call).size()).apply(S.Text);
  if (!Body) {
    I.error(*Call.getFunction(),
            describe(Call) + ": the types of its operands are not supported");
    return;
  }
  std::string Text =
      "(" + Parameters + ")\n{\n" + Moves + *Body + "\nret;\n}\n";
  Text = (Results.empty() ? "" : "(" + Results + ") ") + "NAME" + Text;
  auto [At, IsNew] = Numbers.try_emplace(Text, Functions.size());
  if (IsNew)
    Functions.push_back({Text, describe(Call), Call.getFunction()});
  Uses.push_back({&Call, At->second, S.IsMemoryBarrier});
}

/// __nvvm_reflect asks how the program is compiled. Divisions and square roots
/// are exact and subnormal numbers stay, as by default of NVIDIA's compilers.
void CallConverter::replaceReflection(CallBase &Call) {
  StringRef Asked;
  const auto *G =
      dyn_cast<GlobalVariable>(Call.getArgOperand(0)->stripPointerCasts());
  if (const auto *Text = G && G->hasInitializer()
                             ? dyn_cast<ConstantDataArray>(G->getInitializer())
                             : nullptr)
    Asked = Text->getAsString().rtrim('\0');
  StringRef CPU =
      Call.getFunction()->getFnAttribute("target-cpu").getValueAsString();
  unsigned Level = 90;
  if (CPU.consume_front("sm_"))
    CPU.consumeInteger(10, Level);
  int64_t Answer = Asked == "__CUDA_ARCH"        ? 10 * Level
                   : Asked == "__CUDA_PREC_SQRT" ? 1
                   : Asked == "__CUDA_PREC_DIV"  ? 1
                                                 : 0;
  Call.replaceAllUsesWith(ConstantInt::get(Call.getType(), Answer));
  Call.eraseFromParent();
}

/// llvm.fmuladd is fused where that is allowed.
void CallConverter::replaceFused(CallBase &Call) {
  IRBuilder<> B(&Call);
  Value *X = Call.getArgOperand(0), *Y = Call.getArgOperand(1),
        *Z = Call.getArgOperand(2);
  B.setFastMathFlags(cast<FPMathOperator>(Call).getFastMathFlags());
  Value *Result = I.S.Contract ? B.CreateIntrinsic(Intrinsic::fma,
                                                   {Call.getType()}, {X, Y, Z})
                               : B.CreateFAdd(B.CreateFMul(X, Y), Z);
  Call.replaceAllUsesWith(Result);
  Call.eraseFromParent();
}

void CallConverter::visit(CallBase &Call) {
  Expected<std::optional<Snippet>> S = std::nullopt;
  const Function *Callee = Call.getCalledFunction();
  if (isa<InlineAsm>(Call.getCalledOperand())) {
    S = describeAssembly(Call);
  } else if (!Callee) {
    return;
  } else if (Callee->getName() == "__nvvm_reflect" ||
             Callee->getName().starts_with("llvm.nvvm.reflect")) {
    replaceReflection(Call);
    return;
  } else if (Callee->getIntrinsicID() == Intrinsic::fmuladd) {
    replaceFused(Call);
    return;
  } else if (Callee->getIntrinsicID() == Intrinsic::expect) {
    Call.replaceAllUsesWith(Call.getArgOperand(0));
    Call.eraseFromParent();
    return;
  } else if (Callee->isIntrinsic()) {
    S = describeIntrinsic(Call);
  }
  if (!S)
    I.error(*Call.getFunction(), toString(S.takeError()));
  else if (*S)
    require(Call, **S);
}

/// All functions as one module. What is wrong with the text of one is said of
/// what it stands for.
Expected<std::unique_ptr<Module>> CallConverter::compile() {
  std::string CPU = "sm_90";
  for (const Function &F : I.M)
    if (F.hasFnAttribute("target-cpu"))
      CPU = F.getFnAttribute("target-cpu").getValueAsString();
  std::string Text = ".version 9.0\n.target " + CPU + "\n.address_size 64\n";
  unsigned Number = 0;
  for (PTXFunction &F : Functions) {
    F.FirstLine = 1 + count(Text, '\n');
    size_t At = F.Text.find("NAME");
    Text += ".visible .func " + F.Text.substr(0, At) + "__heddle_ptx_" +
            std::to_string(Number++) + F.Text.substr(At + 4);
  }
  Settings S = I.S;
  S.PTXTarget.clear();
  S.Entries.clear();
  S.Emit = "obj";
  S.LineInfo = S.DebugInfo = S.Remarks = S.CheckOnly = false;
  auto Say = [&](const Diagnostic &D) {
    const PTXFunction *Found = nullptr;
    for (const PTXFunction &F : Functions)
      if (F.FirstLine <= D.Where.Line)
        Found = &F;
    if (D.Level == Severity::Error)
      I.Report.error(I.File, Found ? "in '" + Found->User->getName() + "': " +
                                         Found->Origin + ": " + D.Message
                                   : Twine(D.Message));
  };
  CompileOptions Quiet;
  (void)Quiet.set(OptionId::DisableWarnings, "true");
  Reporter Report(Quiet, Say);
  CompileControl Silent; // has no stages of its own
  Expected<FrontendResult> Result =
      runFrontend({Text, "NVVM"}, S, MLIR, I.M.getContext(), Report, Silent);
  if (!Result)
    return Result.takeError();
  return std::move(Result->Module);
}

/// Values of one size, one of which may be a pointer or a vector.
static Value *convert(IRBuilder<> &B, Value *V, Type *To) {
  Type *From = V->getType();
  if (From == To)
    return V;
  if (From->isPointerTy())
    return B.CreateBitCast(B.CreatePtrToInt(V, B.getInt64Ty()), To);
  if (To->isPointerTy())
    return B.CreateIntToPtr(B.CreateBitCast(V, B.getInt64Ty()), To);
  return B.CreateBitCast(V, To);
}

void CallConverter::replace(CallBase &Call, Function &By, bool IsBarrier) {
  IRBuilder<> B(&Call);
  auto OrderMemory = [&] {
    if (IsBarrier)
      B.CreateFence(AtomicOrdering::SequentiallyConsistent,
                    SyncScope::SingleThread);
  };
  OrderMemory();
  SmallVector<Value *> Arguments;
  for (unsigned N = 0; N != Call.arg_size(); ++N) {
    Value *V = Call.getArgOperand(N);
    if (isImmediate(Call, N) && isa<ConstantInt>(V))
      continue;
    Arguments.push_back(
        convert(B, V, By.getFunctionType()->getParamType(Arguments.size())));
  }
  CallInst *New = B.CreateCall(&By, Arguments);
  OrderMemory();
  auto *Struct = dyn_cast<StructType>(Call.getType());
  if (Struct) {
    Value *All = PoisonValue::get(Struct);
    for (unsigned N = 0; N != Struct->getNumElements(); ++N) {
      Value *Part = Struct->getNumElements() == 1
                        ? static_cast<Value *>(New)
                        : B.CreateExtractValue(New, N);
      All = B.CreateInsertValue(All,
                                convert(B, Part, Struct->getElementType(N)), N);
    }
    Call.replaceAllUsesWith(All);
  } else if (!Call.getType()->isVoidTy()) {
    Call.replaceAllUsesWith(convert(B, New, Call.getType()));
  }
  Call.eraseFromParent();
  InlineFunctionInfo Info;
  (void)InlineFunction(*New, Info);
}

Error CallConverter::run() {
  SmallVector<CallBase *> Calls;
  for (Function &F : I.M)
    for (Instruction &Inst : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&Inst))
        Calls.push_back(Call);
  for (CallBase *Call : Calls)
    visit(*Call);
  if (I.Report.failed() || Functions.empty())
    return Error::success();
  Expected<std::unique_ptr<Module>> Compiled = compile();
  if (!Compiled)
    return Compiled.takeError();
  if (I.Report.failed())
    return Error::success();
  if (NamedMDNode *Flags = (*Compiled)->getModuleFlagsMetadata())
    Flags->eraseFromParent();
  std::vector<std::string> Names;
  for (size_t N = 0; N != Functions.size(); ++N)
    Names.push_back("__heddle_ptx_" + std::to_string(N));
  if (Linker::linkModules(I.M, std::move(*Compiled)))
    return createStringError("internal error: cannot link what intrinsics "
                             "stand for");
  for (const Use &U : Uses)
    replace(*U.Call, *I.M.getFunction(Names[U.Function]), U.IsBarrier);
  for (const std::string &Name : Names)
    I.M.getFunction(Name)->eraseFromParent();
  return Error::success();
}

Error convertCalls(Import &I, mlir::MLIRContext &MLIR) {
  return CallConverter(I, MLIR).run();
}

} // namespace heddle::compiler::nvvm
