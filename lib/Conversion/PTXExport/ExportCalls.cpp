//===- ExportCalls.cpp - Calls and signatures -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call passes .param variables that are declared around it: scalars are
// stored to and loaded from them; an array is the caller's own variable, or is
// copied where only its address is known.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

std::string ptxexport::scalarParam(Type Ty, StringRef Name) {
  return (".param " + memoryTypeName(Ty) + " " + Name).str();
}

/// One of \p Count results; several are registers.
static std::string scalarResult(unsigned Count, Type Ty, StringRef Name) {
  if (Count == 1)
    return scalarParam(Ty, Name);
  return (".reg " + memoryTypeName(Ty) + " " + Name).str();
}

std::string ptxexport::arrayOf(ptxir::ScalarType Ty, uint64_t Size,
                               uint64_t Alignment, StringRef Name) {
  unsigned Width = ptxir::bitWidth(Ty) / 8;
  if (Size % Width != 0) {
    Ty = ptxir::ScalarType::B8;
    Width = 1;
  }
  return (".align " + Twine(Alignment) + " ." + ptxir::stringifyEnum(Ty) + " " +
          Name + "[" + (Size ? Twine(Size / Width) : Twine()) + "]")
      .str();
}

std::string ptxexport::arrayParam(ptxir::AggregateAttr Array, StringRef Name) {
  return ".param " +
         arrayOf(Array.getType(), Array.getSize(), Array.getAlignment(), Name);
}

std::string ptxexport::nameOfVariable(StringRef Name) {
  if (Name.consume_front("%"))
    return ("_" + Name).str();
  return Name.str();
}

ParamNames ptxexport::paramNames(ptxir::FuncOp Func, StringRef FunctionName) {
  ParamNames Names;
  llvm::StringSet<> Used;
  auto Add = [&](SmallVector<std::string> &List, StringAttr Given,
                 const Twine &Fallback) {
    std::string Name = nameOfVariable(Given ? Given.str() : Fallback.str());
    while (!Used.insert(Name).second)
      Name += "_";
    List.push_back(Name);
  };
  for (unsigned I = 0; I != Func.getNumResults(); ++I)
    Add(Names.Results,
        Func.getResultAttrOfType<StringAttr>(I,
                                             ptxir::FuncOp::ParamNameAttrName),
        "func_retval" + Twine(I));
  for (unsigned I = 0; I != Func.getNumArguments(); ++I)
    Add(Names.Args,
        Func.getArgAttrOfType<StringAttr>(I, ptxir::FuncOp::ParamNameAttrName),
        FunctionName + "_param_" + Twine(I));
  return Names;
}

static std::string parenthesized(ArrayRef<std::string> Parts) {
  return "(" + llvm::join(Parts, ", ") + ")";
}

std::string ptxexport::funcSignature(ptxir::FuncOp Func, StringRef Name,
                                     const ParamNames &Names) {
  SmallVector<std::string> Returns, Params;
  for (auto [Ty, Name] : llvm::zip(Func.getResultTypes(), Names.Results))
    Returns.push_back(scalarResult(Func.getNumResults(), Ty, Name));
  for (auto [I, Ty] : llvm::enumerate(Func.getArgumentTypes())) {
    auto Array = Func.getArgAttrOfType<ptxir::AggregateAttr>(
        I, ptxir::FuncOp::AggregateAttrName);
    if (Array && Array.getResult())
      Returns.push_back(arrayParam(Array, Names.Args[I]));
    else
      Params.push_back(Array ? arrayParam(Array, Names.Args[I])
                             : scalarParam(Ty, Names.Args[I]));
  }
  return (Returns.empty() ? "" : parenthesized(Returns) + " ") + Name.str() +
         parenthesized(Params);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void BodyExporter::storeParam(const Twine &Name, Value V, bool InRegister) {
  Type Ty = V.getType();
  std::string Text;
  if (Ty.isInteger(1)) {
    Text = temporary(IntegerType::get(V.getContext(), 32));
    line("selp.b32 " + Text + ", 1, 0, " + inRegister(V) + ";");
  } else {
    Text = source(V, untypedOf(ptxir::bitWidth(Ty)), /*AddressOf=*/false);
  }
  if (InRegister)
    line("mov" + memoryTypeName(Ty) + " " + Name + ", " + Text + ";");
  else
    line("st.param" + memoryTypeName(Ty) + " [" + Name + "], " + Text + ";");
}

void BodyExporter::loadParam(Value V, const Twine &Name, bool InRegister) {
  Type Ty = V.getType();
  bool Predicate = Ty.isInteger(1);
  std::string Register =
      Predicate ? temporary(IntegerType::get(V.getContext(), 32)) : reg(V);
  if (InRegister)
    line("mov" + memoryTypeName(Ty) + " " + Register + ", " + Name + ";");
  else
    line("ld.param" + memoryTypeName(Ty) + " " + Register + ", [" + Name +
         "];");
  if (Predicate)
    line("setp.ne.u32 " + reg(V) + ", " + Register + ", 0;");
}

/// Copies an array of which only the address in .local is known to or, behind
/// the call, from the .param variable \p Name, in the largest pieces that the
/// alignment allows.
void BodyExporter::passArray(Value V, ptxir::AggregateAttr Array,
                             const std::string &Name,
                             std::vector<std::string> &After) {
  for (uint64_t At = 0; At < Array.getSize();) {
    uint64_t Bytes = std::min<uint64_t>(8, Array.getAlignment());
    while (Bytes > Array.getSize() - At)
      Bytes /= 2;
    Type Ty = IntegerType::get(V.getContext(), Bytes * 8);
    StringRef Suffix = registerTypeName(Ty);
    std::string Register = temporary(Ty);
    std::string Param = "[" + Name + "+" + std::to_string(At) + "]";
    std::string Local = bracketed(V, int64_t(At));
    if (Array.getResult()) {
      After.push_back(
          ("ld.param" + Suffix + " " + Register + ", " + Param + ";").str());
      After.push_back(
          ("st.local" + Suffix + " " + Local + ", " + Register + ";").str());
    } else {
      line("ld.local" + Suffix + " " + Register + ", " + Local + ";");
      line("st.param" + Suffix + " " + Param + ", " + Register + ";");
    }
    At += Bytes;
  }
}

/// The declaration that an indirect call refers to, and its name.
static std::pair<std::string, std::string>
callDeclaration(ptxir::CallIndirectOp Call, ArrayRef<std::string> Results,
                ArrayRef<std::string> Args) {
  if (ArrayAttr Targets = Call.getTargetsAttr()) {
    SmallVector<StringRef> Names;
    for (auto Target : Targets.getAsRange<FlatSymbolRefAttr>())
      Names.push_back(Target.getValue());
    return {"targets_", ".calltargets " + llvm::join(Names, ", ")};
  }
  std::string Text =
      ".callprototype " + parenthesized(Results) + " _ " + parenthesized(Args);
  if (Call.getNoreturn())
    Text += " .noreturn";
  if (auto Number = Call.getAbiPreserve())
    Text += " .abi_preserve " + std::to_string(*Number);
  if (auto Number = Call.getAbiPreserveControl())
    Text += " .abi_preserve_control " + std::to_string(*Number);
  return {"prototype_", Text};
}

void BodyExporter::passArguments(ValueRange Args, ArrayAttr Arrays,
                                 CallTexts &Call) {
  for (auto [I, V] : llvm::enumerate(Args)) {
    auto Array = Arrays ? dyn_cast<ptxir::AggregateAttr>(Arrays[I]) : nullptr;
    bool IsResult = Array && Array.getResult();
    // Of a variable number of arguments there may be none.
    if (Array && Array.getSize() == 0) {
      Call.ArgTypes.push_back(arrayParam(Array, "_"));
      continue;
    }
    bool ByName = Array && isParamArray(V);
    std::string Name =
        ByName ? symbolName(V) : freshName(IsResult ? "retval" : "param");
    (IsResult ? Call.ResultNames : Call.ArgNames).push_back(Name);
    (IsResult ? Call.ResultTypes : Call.ArgTypes)
        .push_back(Array ? arrayParam(Array, "_")
                         : scalarParam(V.getType(), "_"));
    if (ByName)
      continue;
    line((Array ? arrayParam(Array, Name) : scalarParam(V.getType(), Name)) +
         ";");
    if (Array)
      passArray(V, Array, Name, Call.After);
    else
      storeParam(Name, V, /*InRegister=*/false);
  }
}

LogicalResult BodyExporter::writeCall(Operation *Op) {
  auto Direct = dyn_cast<ptxir::CallOp>(Op);
  auto Indirect = dyn_cast<ptxir::CallIndirectOp>(Op);
  ValueRange Args =
      Direct ? ValueRange(Direct.getArgs()) : ValueRange(Indirect.getArgs());
  std::optional<ArrayAttr> Arrays =
      Direct ? Direct.getAggregates() : Indirect.getAggregates();
  std::string Text =
      (Direct ? Direct.getUni() : Indirect.getUni()) ? "call.uni " : "call ";
  std::string Callee =
      Direct ? Direct.getCallee().str() : inRegister(Indirect.getCallee());
  CallTexts Call;
  line("{");
  passArguments(Args, Arrays.value_or(nullptr), Call);
  unsigned NumResults = Op->getNumResults();
  for (Value V : Op->getResults()) {
    Call.ResultNames.push_back(freshName("retval"));
    Call.ResultTypes.push_back(scalarResult(NumResults, V.getType(), "_"));
    line(scalarResult(NumResults, V.getType(), Call.ResultNames.back()) + ";");
  }
  if (!Call.ResultNames.empty())
    Text += parenthesized(Call.ResultNames) + ", ";
  Text += Callee + ", " + parenthesized(Call.ArgNames);
  if (Indirect) {
    auto [Base, Declaration] =
        callDeclaration(Indirect, Call.ResultTypes, Call.ArgTypes);
    std::string Name = freshName(Base);
    Lines.push_back({Name + ": " + Declaration + ";", NoLabel});
    Text += ", " + Name;
  }
  line(Text + ";");
  for (auto [V, Name] : llvm::zip(
           Op->getResults(), ArrayRef(Call.ResultNames).take_back(NumResults)))
    loadParam(V, Name, /*InRegister=*/NumResults > 1);
  for (const std::string &Line : Call.After)
    line(Line);
  line("}");
  return success();
}
