//===- Settings.cpp - What the options ask of a compilation -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the option values into the settings of a compilation, and decides
// which messages pass.
//
//===----------------------------------------------------------------------===//

#include "Settings.h"
#include "Reporter.h"

#include "heddle/ISA/ISA.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace heddle::compiler {

static Error optionError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

static std::string chipNames() {
  std::string Names;
  for (const isa::ChipInfo &C : isa::chips())
    Names += (Names.empty() ? "" : ", ") + std::string(C.Name);
  return Names;
}

/// sm_NN, compute_NN and lto_NN with an optional 'a' or 'f' name a feature
/// level, hdNN names a chip.
static Error decodeArch(StringRef Arch, Settings &S) {
  if (Arch.empty())
    return Error::success();
  if (isa::findChip({Arch.data(), Arch.size()})) {
    S.Chip = Arch.str();
    return Error::success();
  }
  StringRef Number = Arch;
  if (Number.consume_front("compute_"))
    S.CheckOnly = true;
  else if (!Number.consume_front("sm_"))
    return optionError("value '" + Arch +
                       "' is not defined for option 'gpu-name'; it takes "
                       "sm_NN, compute_NN or a chip: " +
                       chipNames());
  StringRef Digits = Number;
  if (Digits.ends_with("a") || Digits.ends_with("f"))
    Digits = Digits.drop_back();
  unsigned Level;
  if (Digits.getAsInteger(10, Level) || Level < 10 || Level > 999)
    return optionError("value '" + Arch +
                       "' is not defined for option 'gpu-name'; a feature "
                       "level is sm_ and two or three digits, such as sm_90a");
  S.PTXTarget = ("sm_" + Number).str();
  return Error::success();
}

Expected<unsigned> decodeMaxRegisters(StringRef Text) {
  constexpr unsigned Min = isa::abi::LastCalleeSaved + 1, Max = 255;
  unsigned N;
  if (Text.empty() || Text == "0")
    return 0;
  if (Text == "archmax")
    return Max;
  if (Text == "archmin")
    return Min;
  if (Text.getAsInteger(10, N))
    return optionError("value '" + Text +
                       "' is not defined for option 'maxrregcount'; it takes "
                       "archmax, archmin or a number");
  return std::clamp(N, Min, Max);
}

static Error decodeRegisterLimits(const CompileOptions &Options, Settings &S) {
  if (Error E = decodeMaxRegisters(Options.text(OptionId::MaxRegCount))
                    .moveInto(S.MaxRegisters))
    return E;
  S.MaxFunctionRegisters = S.MaxRegisters;
  if (!Options.given(OptionId::FuncMaxRegCount))
    return Error::success();
  return decodeMaxRegisters(Options.text(OptionId::FuncMaxRegCount))
      .moveInto(S.MaxFunctionRegisters);
}

/// "x", "x,y" or "x,y,z" as "x,y,z".
static Expected<std::string>
decodeMaxNTid(const std::vector<std::string> &Parts) {
  if (Parts.empty())
    return std::string();
  if (Parts.size() > 3)
    return optionError("a CTA has at most three extents");
  SmallVector<std::string, 3> Dims(Parts.begin(), Parts.end());
  Dims.resize(3, "1");
  for (const std::string &D : Dims) {
    unsigned N;
    if (StringRef(D).getAsInteger(10, N) || N == 0)
      return optionError("'" + D + "' is not a number of threads");
  }
  return join(Dims, ",");
}

/// "N=VALUE" or "N%ALIGN".
static Error decodeAssumption(StringRef Text, Settings &S) {
  Settings::ParamAssumption A;
  size_t At = Text.find_first_of("=%");
  if (At == StringRef::npos || Text.take_front(At).getAsInteger(10, A.Param) ||
      Text.drop_front(At + 1).getAsInteger(0, A.Value))
    return optionError("value '" + Text +
                       "' is not defined for option 'assume-param'; it takes "
                       "N=VALUE or N%ALIGN");
  A.IsAlign = Text[At] == '%';
  if (A.IsAlign && !isPowerOf2_64(A.Value))
    return optionError("'" + Text + "': an alignment is a power of two");
  S.AssumedParams.push_back(A);
  return Error::success();
}

/// -Ofast-compile gives up optimization for compile time.
static unsigned decodeOptLevel(const CompileOptions &Options) {
  if (Options.flag(OptionId::DeviceDebug))
    return 0;
  auto Level = static_cast<unsigned>(
      std::min<int64_t>(Options.number(OptionId::OptLevel), 3));
  unsigned Limit = StringSwitch<unsigned>(Options.text(OptionId::FastCompile))
                       .Case("min", 2)
                       .Case("mid", 1)
                       .Case("max", 0)
                       .Default(3);
  return std::min(Level, Limit);
}

/// What linking and preparing for it ask.
static Error decodeLinking(const CompileOptions &Options, Settings &S) {
  bool LTO = Options.flag(OptionId::LTO);
  bool IsPartial = Options.flag(OptionId::RelocatableLink);
  if (Options.flag(OptionId::ThinLTO) && !LTO)
    return optionError("--thin-lto says how to optimize with -dlto, which is "
                       "not given");
  S.LTO = S.IsLink && LTO;
  S.EmbedBitcode = LTO && (IsPartial || !S.IsLink);
  S.Relocatable =
      IsPartial || Options.flag(OptionId::CompileOnly) || S.EmbedBitcode;
  S.ByKernels = S.LTO && !IsPartial && Options.flag(OptionId::ThinLTO);
  S.LenientPrototypes = Options.flag(OptionId::LenientPrototypes);
  S.DropKernels = Options.given(OptionId::KernelsUsed);
  S.DropVariables = Options.given(OptionId::VariablesUsed);
  S.KernelsUsed = Options.list(OptionId::KernelsUsed);
  S.VariablesUsed = Options.list(OptionId::VariablesUsed);
  return Error::success();
}

/// What is known, or asked, of the runs of the code.
static Error decodeProfiling(const CompileOptions &Options, Settings &S) {
  bool Counts = Options.flag(OptionId::ProfileGenerate);
  bool Probes = Options.flag(OptionId::ProfileProbes);
  if (Counts + Probes + Options.given(OptionId::ProfileUse) > 1)
    return optionError("-fprofile-generate, -fprofile-probes and -fprofile-use "
                       "exclude each other");
  if (Counts || Probes)
    S.Counting = {Probes, static_cast<uint32_t>(
                              Options.number(OptionId::ProfileSampleCTAs))};
  if (!Options.given(OptionId::ProfileUse))
    return Error::success();
  std::optional<EmbeddedFile> File =
      decodeEmbeddedFile(Options.text(OptionId::ProfileUse));
  if (!File)
    return optionError("option 'fprofile-use' has no profile");
  Expected<pgo::ProfileData> Profile =
      pgo::ProfileData::read(File->Bytes, File->Name);
  if (!Profile)
    return Profile.takeError();
  S.Profile = std::make_shared<pgo::ProfileData>(std::move(*Profile));
  return Error::success();
}

Expected<Settings> decodeSettings(const CompileOptions &Options, bool IsLink) {
  Settings S;
  S.IsLink = IsLink;
  S.Chip = Options.text(OptionId::Chip);
  if (Error E = decodeArch(Options.text(OptionId::Arch), S))
    return std::move(E);
  S.AcceptNewerVersion = Options.flag(OptionId::AcceptNewerVersion);
  S.OptLevel = decodeOptLevel(Options);
  S.SinglePass = Options.flag(OptionId::SinglePass);
  S.Contract = Options.flag(OptionId::FMad);
  S.DropDebugInfo = Options.flag(OptionId::SuppressDebugInfo);
  S.DebugInfo = Options.flag(OptionId::DeviceDebug) && !S.DropDebugInfo;
  S.LineInfo = Options.flag(OptionId::LineInfo) && !S.DropDebugInfo;
  S.Emit = Options.text(OptionId::Emit);
  Expected<RemarkFilter> Remarks = RemarkFilter::create(Options);
  if (!Remarks)
    return Remarks.takeError();
  S.Remarks = S.Emit == "remarks" || Remarks->any();
  S.Entries = Options.list(OptionId::Entry);
  if (Error E = decodeRegisterLimits(Options, S))
    return std::move(E);
  Expected<std::string> MaxNTid =
      decodeMaxNTid(Options.list(OptionId::MaxNTid));
  if (!MaxNTid)
    return MaxNTid.takeError();
  // As in ptxas, a register limit wins over limits by occupancy.
  if (!S.MaxRegisters) {
    S.MaxNTid = *MaxNTid;
    S.MinCTAs = Options.number(OptionId::MinNCtaPerSM);
  }
  Expected<std::string> Block =
      decodeMaxNTid(Options.list(OptionId::AssumeBlock));
  if (!Block)
    return Block.takeError();
  S.AssumedBlock = *Block;
  for (const std::string &Text : Options.list(OptionId::AssumeParam))
    if (Error E = decodeAssumption(Text, S))
      return std::move(E);
  S.OverrideDirectives = Options.flag(OptionId::OverrideDirectives);
  if (Error E = decodeLinking(Options, S))
    return std::move(E);
  S.Partitions = Options.flag(OptionId::Partitions);
  S.Threads = Options.number(OptionId::SplitCompile);
  if (Error E = decodeProfiling(Options, S))
    return std::move(E);
  S.KeepMemberMasks = Options.flag(OptionId::KeepMemberMasks);
  S.SeparateCTAs = Options.flag(OptionId::SeparateCTAs);
  if (Options.given(OptionId::Tuning))
    if (Error E = tuning::Document::parse(Options.text(OptionId::Tuning))
                      .moveInto(S.Tuning))
      return std::move(E);
  return S;
}

Expected<RemarkFilter> RemarkFilter::create(const CompileOptions &Options) {
  constexpr std::pair<OptionId, StringLiteral> Rows[] = {
      {OptionId::RemarksPassed, "Rpass"},
      {OptionId::RemarksMissed, "Rpass-missed"},
      {OptionId::RemarksAnalysis, "Rpass-analysis"}};
  RemarkFilter Filter;
  for (auto [Pattern, Row] : zip_equal(Filter.Patterns, Rows)) {
    if (!Options.given(Row.first))
      continue;
    StringRef Text = Options.text(Row.first);
    std::string Fault;
    if (!Pattern.emplace(Text).isValid(Fault))
      return optionError("value '" + Text + "' is not defined for option '" +
                         Row.second + "': " + Fault);
  }
  return Filter;
}

Reporter::Reporter(const CompileOptions &Options, DiagnosticHandler Handler)
    : Handler(Handler), Warnings(Options.warnings()),
      MaxErrors(Options.number(OptionId::MaxErrors)) {
  // The settings, which are made first, report a wrong expression.
  if (Expected<RemarkFilter> Wanted = RemarkFilter::create(Options))
    Remarks = std::move(*Wanted);
  else
    consumeError(Wanted.takeError());
  StringRef Mode = Options.text(OptionId::Color);
  Color = Mode == "always" ||
          (Mode == "auto" && sys::Process::StandardErrHasColors());
}

void Reporter::report(const Diagnostic &D) {
  Errors += D.Level == Severity::Error;
  Handler(D);
}

void Reporter::warning(WarningId Id, StringRef File, const Twine &Message,
                       unsigned Line) {
  if (Warnings.isEnabled(Id))
    report(makeDiagnostic(Warnings.isError(Id) ? Severity::Error
                                               : Severity::Warning,
                          File, {Line, 0, 0}, Message, Id));
}

void Reporter::info(StringRef File, const Twine &Message) {
  report(makeDiagnostic(Severity::Info, File, {}, Message));
}

void Reporter::remark(StringRef File, unsigned Line, unsigned Column,
                      const Twine &Message) {
  report(
      makeDiagnostic(Severity::Remark, File, {Line, Column, Column}, Message));
}

void Reporter::error(StringRef File, const Twine &Message) {
  report(makeDiagnostic(Severity::Error, File, {}, Message));
}

} // namespace heddle::compiler
