//===- T4.cpp - Kernel Tuner's T4 format ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each configuration that was tried is a result. Its objective is the cycles
// over all workloads; run times are those cycles at the chip's clock.
//
//===----------------------------------------------------------------------===//

#include "T4.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Runtime/Occupancy.h"
#include "heddle/Support/JSON.h"
#include "heddle/Tooling/LoadedCompiler.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;

namespace heddle::tune {

static constexpr StringLiteral SchemaVersion = "1.0.0";
static constexpr StringLiteral Objective = "cycles";

static json::Object measurement(StringRef Name, json::Value V, StringRef Unit) {
  return json::Object{{"name", Name}, {"value", std::move(V)}, {"unit", Unit}};
}

/// One trial of a history; none if it is not of the form that it should have.
static std::optional<json::Object> resultOf(const json::Value &Trial,
                                            const json::Array &Dimensions,
                                            const isa::ChipInfo *Chip) {
  const json::Array *Parts = Trial.getAsArray();
  const json::Array *Values =
      Parts && Parts->size() >= 2 ? (*Parts)[0].getAsArray() : nullptr;
  if (!Values || Values->size() != Dimensions.size())
    return std::nullopt;
  json::Object Configuration;
  for (auto [Name, Value] : zip(Dimensions, *Values))
    Configuration[Name.getAsString().value_or("").str()] = Value;
  constexpr double CyclesPerMsOfMHz = 1e3;
  json::Array RunTimes, Measurements;
  auto Add = [&](size_t Part, StringRef Name, StringRef Unit) {
    if (Part < Parts->size() && (*Parts)[Part].getAsNumber())
      Measurements.push_back(measurement(Name, (*Parts)[Part], Unit));
  };
  Add(2, Objective, "cycles");
  Add(3, "relative_cycles", "");
  Add(4, "registers", "");
  Add(5, "code_bytes", "bytes");
  std::optional<double> Cycles =
      Parts->size() > 2 ? (*Parts)[2].getAsNumber() : std::nullopt;
  if (Chip && Cycles)
    RunTimes.push_back(*Cycles /
                       (rt::chipProperties(*Chip).ClockMHz * CyclesPerMsOfMHz));
  std::optional<Verdict> Became =
      findVerdict((*Parts)[1].getAsString().value_or(""));
  if (!Became)
    return std::nullopt;
  return json::Object{
      {"configuration", std::move(Configuration)},
      {"times", json::Object{{"runtimes", std::move(RunTimes)}}},
      {"invalidity", t4Name(*Became)},
      {"correctness", *Became == Verdict::Correct ? 1 : 0},
      {"measurements", std::move(Measurements)},
      {"objectives", json::Array{Objective}}};
}

Expected<json::Value> toT4(const tuning::Record &R) {
  Expected<json::Value> History = parseJSON(R.History);
  if (!History)
    return History.takeError();
  const json::Object *H = History->getAsObject();
  const json::Array *Dimensions = H ? H->getArray("dimensions") : nullptr;
  const json::Array *Trials = H ? H->getArray("trials") : nullptr;
  if (!Dimensions || !Trials)
    return createStringError("the record has no trials: it was imported");
  std::string ChipName = H->getString("chip").value_or("").str();
  const isa::ChipInfo *Chip = isa::findChip(ChipName);
  json::Array Results;
  for (const json::Value &Trial : *Trials) {
    std::optional<json::Object> Result = resultOf(Trial, *Dimensions, Chip);
    if (!Result)
      return createStringError("the record's trials are malformed");
    Results.push_back(std::move(*Result));
  }
  return json::Object{{"schema_version", SchemaVersion},
                      {"results", std::move(Results)}};
}

/// What a result is judged by: the measurement that its first objective names,
/// else the mean run time; none if it has neither.
static std::optional<double> objectiveOf(const json::Object &Result) {
  const json::Array *Names = Result.getArray("objectives");
  const json::Array *Measured = Result.getArray("measurements");
  if (Names && !Names->empty() && Measured)
    for (const json::Value &V : *Measured)
      if (const json::Object *M = V.getAsObject();
          M && M->getString("name") == Names->front().getAsString())
        if (std::optional<double> Value = M->getNumber("value"))
          return Value;
  const json::Object *Times = Result.getObject("times");
  const json::Array *Runs = Times ? Times->getArray("runtimes") : nullptr;
  if (!Runs || Runs->empty())
    return std::nullopt;
  double Sum = 0;
  for (const json::Value &V : *Runs)
    Sum += V.getAsNumber().value_or(NAN);
  return std::isnan(Sum) ? std::nullopt
                         : std::optional(Sum / double(Runs->size()));
}

/// The decisions of a result that differ from the compiler's own.
static Expected<tuning::Configuration>
readConfiguration(const json::Object &Values, size_t NumLoops) {
  tuning::Configuration C;
  for (const auto &[Key, Value] : Values) {
    Expected<tuning::Decision> D = tuning::Decision::parse(Key);
    if (!D)
      return D.takeError();
    std::optional<int64_t> Number = Value.getAsInteger();
    if (!Number || !D->Row->accepts(*Number))
      return createStringError("'" + StringRef(Key) +
                               "' has a value that it does not take");
    if (D->Row->Scope == tuning::KnobScope::Loop &&
        D->Place.value_or(0) >= std::max<size_t>(NumLoops, 1))
      return createStringError("the kernel has no loop for '" + StringRef(Key) +
                               "'");
    if (*Number != D->Row->Default)
      C[StringRef(Key).str()] = *Number;
  }
  return C;
}

Expected<tuning::Configuration> bestOfT4(StringRef JSON, size_t NumLoops) {
  Expected<json::Value> Root = parseJSON(JSON);
  if (!Root)
    return Root.takeError();
  const json::Object *Top = Root->getAsObject();
  const json::Array *Results = Top ? Top->getArray("results") : nullptr;
  if (!Results)
    return createStringError("it has no 'results'");
  const json::Object *Best = nullptr;
  double Least = INFINITY;
  for (const json::Value &V : *Results) {
    const json::Object *Result = V.getAsObject();
    if (!Result || Result->getString("invalidity") != "correct" ||
        !Result->getObject("configuration"))
      continue;
    std::optional<double> Cost = objectiveOf(*Result);
    if (Cost && *Cost < Least) {
      Least = *Cost;
      Best = Result->getObject("configuration");
    }
  }
  if (!Best)
    return createStringError("it has no correct result with an objective");
  return readConfiguration(*Best, NumLoops);
}

namespace {

/// The kernel that export and import are about.
struct NamedKernel {
  std::unique_ptr<MemoryBuffer> Module;
  tuning::KernelText Text;
};

} // namespace

static Expected<NamedKernel> findKernel(const Options &O) {
  if (O.Module.empty() || O.Chips.size() != 1 || O.Kernels.size() > 1)
    return createStringError("it takes --module FILE, one --chip, and --kernel "
                             "NAME if the module has several kernels");
  auto Buffer = MemoryBuffer::getFile(O.Module);
  if (!Buffer)
    return createStringError(O.Module + ": " + Buffer.getError().message());
  std::vector<tuning::KernelText> Texts = tuning::kernelTexts(
      {(*Buffer)->getBufferStart(), (*Buffer)->getBufferSize()});
  if (!O.Kernels.empty())
    erase_if(Texts, [&](const tuning::KernelText &Text) {
      return Text.Name != O.Kernels.front();
    });
  if (Texts.size() != 1)
    return createStringError(
        O.Module + ": " +
        (Texts.empty() ? "no such kernel" : "several kernels; see --kernel"));
  return NamedKernel{std::move(*Buffer), std::move(Texts.front())};
}

/// Records, which must be there for what is asked.
static Expected<std::unique_ptr<Records>> openRecords(const Options &O) {
  auto R = Records::open(O);
  if (R && !(*R)->isOn())
    return createStringError("the cache is off");
  return R;
}

Error exportRecord(const Options &O) {
  Expected<NamedKernel> Kernel = findKernel(O);
  if (!Kernel)
    return Kernel.takeError();
  auto Store = openRecords(O);
  if (!Store)
    return Store.takeError();
  std::optional<tuning::Record> R =
      (*Store)->find(Kernel->Text, O.Chips.front(), tuning::LaunchClass());
  if (!R)
    return createStringError("there is no record of kernel '" +
                             Kernel->Text.Name + "' on " + O.Chips.front());
  Expected<json::Value> Document = toT4(*R);
  if (!Document)
    return Document.takeError();
  return writeToOutput(O.Output, [&](raw_ostream &OS) {
    OS << formatv("{0:2}\n", *Document);
    return Error::success();
  });
}

Error importRecord(const Options &O) {
  Expected<NamedKernel> Kernel = findKernel(O);
  if (!Kernel)
    return Kernel.takeError();
  auto Text = MemoryBuffer::getFile(O.Workloads.front().Path);
  if (!Text)
    return createStringError(O.Workloads.front().Path + ": " +
                             Text.getError().message());
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load(O.CompilerLibrary);
  if (!Compiler)
    return Compiler.takeError();
  auto Loops =
      Compiler->kernelLoops(Kernel->Module->getMemBufferRef(), CompileOptions(),
                            [](const Diagnostic &D) { errs() << D.Rendered; });
  if (!Loops)
    return Loops.takeError();
  Expected<tuning::Configuration> C =
      bestOfT4((*Text)->getBuffer(), (*Loops)[Kernel->Text.Name].size());
  if (!C)
    return createStringError(O.Workloads.front().Path + ": " +
                             toString(C.takeError()));
  auto Store = openRecords(O);
  if (!Store)
    return Store.takeError();
  (*Store)->insert(
      Kernel->Text, O.Chips.front(), tuning::LaunchClass(), *C,
      json::Object{{"kernel", Kernel->Text.Name}, {"imported", true}});
  return Error::success();
}

} // namespace heddle::tune
