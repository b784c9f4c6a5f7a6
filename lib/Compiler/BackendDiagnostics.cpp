//===- BackendDiagnostics.cpp - What LLVM has to say ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors, warnings and remarks of LLVM's passes, and of ours over its IR,
// become messages about the input. (By default an error ends the process.)
//
// Remarks are for the author of the source: each has a line of it, and those
// about functions of the device library, which is not part of it, are dropped.
//
//===----------------------------------------------------------------------===//

#include "Reporter.h"

#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkFormat.h"
#include "llvm/Remarks/RemarkSerializer.h"

using namespace llvm;

namespace heddle::compiler {

//===----------------------------------------------------------------------===//
// Places of remarks
//===----------------------------------------------------------------------===//

/// The first place among instructions that is a line of the source.
template <typename Range> static DebugLoc firstLine(const Range &Instructions) {
  for (const auto &I : Instructions)
    if (I.getDebugLoc() && I.getDebugLoc().getLine() != 0)
      return I.getDebugLoc();
  return DebugLoc();
}

/// The place of a remark. What a pass made has no line; then it is that of the
/// code around it, else that where the function begins.
static DiagnosticLocation placeOf(const DiagnosticInfoOptimizationBase &R) {
  if (R.isLocationAvailable() && R.getLocation().getLine() != 0)
    return R.getLocation();
  DebugLoc Near;
  if (const auto *IR = dyn_cast<DiagnosticInfoIROptimization>(&R))
    if (const BasicBlock *B = IR->getCodeRegion())
      Near = firstLine(*B);
  if (const auto *MIR = dyn_cast<DiagnosticInfoMIROptimization>(&R))
    Near = firstLine(*MIR->getBlock());
  return Near ? DiagnosticLocation(Near)
              : DiagnosticLocation(R.getFunction().getSubprogram());
}

//===----------------------------------------------------------------------===//
// Remarks as YAML
//===----------------------------------------------------------------------===//

static remarks::Type typeOf(const DiagnosticInfoOptimizationBase &R) {
  switch (R.getKind()) {
  case DK_OptimizationRemark:
  case DK_MachineOptimizationRemark:
    return remarks::Type::Passed;
  case DK_OptimizationRemarkMissed:
  case DK_MachineOptimizationRemarkMissed:
    return remarks::Type::Missed;
  case DK_OptimizationRemarkAnalysis:
  case DK_MachineOptimizationRemarkAnalysis:
    return remarks::Type::Analysis;
  case DK_OptimizationRemarkAnalysisFPCommute:
    return remarks::Type::AnalysisFPCommute;
  case DK_OptimizationRemarkAnalysisAliasing:
    return remarks::Type::AnalysisAliasing;
  case DK_OptimizationFailure:
    return remarks::Type::Failure;
  default:
    return remarks::Type::Unknown;
  }
}

static std::optional<remarks::RemarkLocation>
toRemarkLocation(const DiagnosticLocation &L) {
  if (!L.isValid() || L.getLine() == 0)
    return std::nullopt;
  return remarks::RemarkLocation{L.getRelativePath(), L.getLine(),
                                 L.getColumn()};
}

/// The remark in the form of LLVM's tools. It refers to R.
static remarks::Remark toRemark(const DiagnosticInfoOptimizationBase &R) {
  remarks::Remark Result;
  Result.RemarkType = typeOf(R);
  Result.PassName = R.getPassName();
  Result.RemarkName = R.getRemarkName();
  Result.FunctionName =
      GlobalValue::dropLLVMManglingEscape(R.getFunction().getName());
  Result.Loc = toRemarkLocation(placeOf(R));
  Result.Hotness = R.getHotness();
  for (const DiagnosticInfoOptimizationBase::Argument &A : R.getArgs()) {
    Result.Args.emplace_back(A.Key, A.Val);
    Result.Args.back().Loc = toRemarkLocation(A.Loc);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

namespace {

class BackendDiagnostics : public llvm::DiagnosticHandler {
public:
  BackendDiagnostics(StringRef File, Reporter &Report,
                     std::unique_ptr<remarks::RemarkSerializer> Record)
      : File(File), Report(Report), Record(std::move(Record)) {}

  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (const auto *R = dyn_cast<DiagnosticInfoOptimizationBase>(&DI))
      handleRemark(*R);
    else if (DI.getSeverity() == DS_Error || DI.getSeverity() == DS_Warning)
      handleMessage(DI);
    return true; // of notes as well
  }

  bool isPassedOptRemarkEnabled(StringRef Pass) const override {
    return isEnabled(RemarkKind::Passed, Pass) ||
           llvm::DiagnosticHandler::isPassedOptRemarkEnabled(Pass);
  }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override {
    return isEnabled(RemarkKind::Missed, Pass) ||
           llvm::DiagnosticHandler::isMissedOptRemarkEnabled(Pass);
  }
  bool isAnalysisRemarkEnabled(StringRef Pass) const override {
    return isEnabled(RemarkKind::Analysis, Pass) ||
           llvm::DiagnosticHandler::isAnalysisRemarkEnabled(Pass);
  }
  bool isAnyRemarkEnabled() const override {
    return Record || Report.remarks().any() ||
           llvm::DiagnosticHandler::isAnyRemarkEnabled();
  }

private:
  bool isEnabled(RemarkKind Kind, StringRef Pass) const {
    return isRecorded(Pass) || Report.remarks().matches(Kind, Pass);
  }
  /// What each pass adds to sizes is measured only on request.
  bool isRecorded(StringRef Pass) const {
    return Record && Pass != "size-info" && Pass != "stack-frame-layout";
  }
  void handleRemark(const DiagnosticInfoOptimizationBase &R);
  void handleMessage(const DiagnosticInfo &DI);

  StringRef File;
  Reporter &Report;
  std::unique_ptr<remarks::RemarkSerializer> Record; ///< null: none
};

/// By kind.
constexpr StringLiteral RemarkOptions[] = {"-Rpass", "-Rpass-missed",
                                           "-Rpass-analysis"};

RemarkKind kindOf(const DiagnosticInfoOptimizationBase &R) {
  if (R.isPassed())
    return RemarkKind::Passed;
  return R.isMissed() ? RemarkKind::Missed : RemarkKind::Analysis;
}

/// Whether a remark is about one of the functions that we call instructions or
/// bring in the device library, or about a call of one.
bool isAboutBuiltin(const DiagnosticInfoOptimizationBase &R) {
  static constexpr StringLiteral Prefix = "__heddle_";
  return R.getFunction().getName().starts_with(Prefix) ||
         any_of(R.getArgs(), [](const auto &A) {
           return A.Key == "Callee" && StringRef(A.Val).starts_with(Prefix);
         });
}

} // namespace

void BackendDiagnostics::handleRemark(const DiagnosticInfoOptimizationBase &R) {
  if (isAboutBuiltin(R))
    return;
  if (isRecorded(R.getPassName()))
    Record->emit(toRemark(R));
  RemarkKind Kind = kindOf(R);
  // A recorder has all passes enabled.
  if (Record ? !Report.remarks().matches(Kind, R.getPassName())
             : !R.isEnabled())
    return;
  DiagnosticLocation Place = placeOf(R);
  Report.remark(Place.isValid() ? Place.getAbsolutePath() : File.str(),
                Place.isValid() ? Place.getLine() : 0,
                Place.isValid() ? std::max(Place.getColumn(), 1u) : 0,
                R.getMsg() + " [" + RemarkOptions[static_cast<size_t>(Kind)] +
                    "=" + R.getPassName() + "]");
}

void BackendDiagnostics::handleMessage(const DiagnosticInfo &DI) {
  Report.countBackendMessage();
  std::string Text;
  raw_string_ostream OS(Text);
  DiagnosticPrinterRawOStream Printer(OS);
  DI.print(Printer);
  if (DI.getSeverity() == DS_Error)
    Report.error(File, StringRef(Text).trim());
  else
    Report.warning(WarningId::Backend, File, StringRef(Text).trim());
}

std::unique_ptr<llvm::DiagnosticHandler>
createBackendDiagnostics(StringRef File, Reporter &Report) {
  return std::make_unique<BackendDiagnostics>(File, Report, nullptr);
}

Expected<std::unique_ptr<llvm::DiagnosticHandler>>
createRemarkRecorder(StringRef File, Reporter &Report, raw_ostream &OS) {
  Expected<std::unique_ptr<remarks::RemarkSerializer>> Record =
      remarks::createRemarkSerializer(remarks::Format::YAML, OS);
  if (!Record)
    return Record.takeError();
  return std::make_unique<BackendDiagnostics>(File, Report, std::move(*Record));
}

//===----------------------------------------------------------------------===//
// Lines for remarks alone
//===----------------------------------------------------------------------===//

static DICompileUnit *withoutOutput(const DICompileUnit &U) {
  return DICompileUnit::getDistinct(
      U.getContext(), U.getSourceLanguage(), U.getFile(), U.getProducer(),
      U.isOptimized(), U.getFlags(), U.getRuntimeVersion(),
      U.getSplitDebugFilename(), DICompileUnit::NoDebug, U.getEnumTypes(),
      U.getRetainedTypes(), U.getGlobalVariables(), U.getImportedEntities(),
      U.getMacros(), U.getDWOId(), U.getSplitDebugInlining(),
      U.getDebugInfoForProfiling(), U.getNameTableKind(),
      U.getRangesBaseAddress(), U.getSysRoot(), U.getSDK());
}

void keepLinesForRemarks(Module &M) {
  NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu");
  if (!Units)
    return;
  DebugInfoFinder Finder;
  Finder.processModule(M);
  DenseMap<const DICompileUnit *, DICompileUnit *> Hidden;
  for (DICompileUnit *U : Finder.compile_units())
    Hidden[U] = withoutOutput(*U);
  for (DISubprogram *SP : Finder.subprograms())
    if (DICompileUnit *U = SP->getUnit())
      SP->replaceUnit(Hidden.at(U));
  for (unsigned I = 0; I != Units->getNumOperands(); ++I)
    Units->setOperand(I, Hidden.at(cast<DICompileUnit>(Units->getOperand(I))));
}

} // namespace heddle::compiler
