//===- Candidates.cpp - The code of configurations --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a compilation takes is the processor time of its thread, which does
// all of it. Other work on the machine makes that longer and never shorter, so
// that of some attempts the shortest counts.
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"
#include "heddle/Link/Bundle.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FormatVariadic.h"

#include <ctime>
#include <limits>

using namespace llvm;

namespace heddle::tune {

/// How often a compilation may try to keep its time.
static constexpr unsigned Attempts = 3;

/// All other kinds of modules have bytes of zero.
static bool isPTX(StringRef Bytes) {
  return !Bytes.contains('\0') && identify_magic(Bytes) != file_magic::archive;
}

Expected<std::unique_ptr<Program>> Program::read(ArrayRef<std::string> Paths) {
  auto P = std::make_unique<Program>();
  std::vector<LinkInput> Inputs;
  for (const std::string &Path : Paths) {
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer)
      return createStringError(Path + ": " + Buffer.getError().message());
    MemoryBufferRef Module = (*Buffer)->getMemBufferRef();
    Inputs.push_back({Path, Module.getBuffer()});
    if (isPTX(Module.getBuffer()))
      P->Texts.push_back(Module);
    P->Files.push_back(std::move(*Buffer));
  }
  if (P->Texts.empty())
    return createStringError(Paths.front() + ": is not PTX, from which the "
                                             "code of configurations is made");
  if (Paths.size() > 1)
    P->Bundle = makeLinkBundle(Inputs);
  return P;
}

MemoryBufferRef Program::input() const {
  MemoryBufferRef First = Files.front()->getMemBufferRef();
  return Bundle.empty() ? First
                        : MemoryBufferRef(Bundle, First.getBufferIdentifier());
}

Expected<CompileOptions>
CandidateMaker::optionsFor(StringRef Chip, const tuning::Document *D) const {
  CompileOptions Options;
  if (auto Fault = Options.set(OptionId::Arch, Chip))
    return createStringError(*Fault);
  if (auto Fault = Options.parse(O.CompilerArgs))
    return createStringError(*Fault);
  if (D)
    if (auto Fault = Options.set(OptionId::Tuning, D->str()))
      return createStringError(*Fault);
  return Options;
}

namespace {

/// Ends a compilation that has taken too long, and keeps it on one thread.
class ProcessorTime final : public CompileControl {
public:
  explicit ProcessorTime(double Most) : Most(Most) {}

  /// Of the compilation so far.
  double seconds() const { return Last - First.value_or(Last); }

  bool shouldStop() override {
    look();
    return seconds() > Most;
  }
  void stageDone(const char *Name, Time Begin, Time End) override { look(); }
  bool requestHelp(unsigned Threads,
                   const std::function<void()> &Help) override {
    return true; // and no helper comes
  }

private:
  void look() {
    timespec T{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
    constexpr double SecondsPerNanosecond = 1e-9;
    Last = static_cast<double>(T.tv_sec) +
           static_cast<double>(T.tv_nsec) * SecondsPerNanosecond;
    if (!First)
      First = Last;
  }

  const double Most;
  std::optional<double> First;
  double Last = 0;
};

} // namespace

Expected<CompileResult> CandidateMaker::compile(const Program &P,
                                                StringRef Chip,
                                                const tuning::Document *D,
                                                CompileControl *Control) const {
  Expected<CompileOptions> Options = optionsFor(Chip, D);
  if (!Options)
    return Options.takeError();
  CompileResult Code = Compiler.compile(P.input(), *Options, Control);
  if (Code.Succeeded || Code.Stopped)
    return Code;
  std::string Messages;
  for (const Diagnostic &Message : Code.Messages)
    if (Message.Level == Severity::Error)
      Messages += Message.Rendered;
  return createStringError(Messages + Code.Failure);
}

Error CandidateMaker::prepare(const Program &P, StringRef Chip) {
  if (!O.Bounds.time() || !O.Bounds.time()->IsRelative)
    return Error::success();
  auto [At, IsNew] = Untuned.try_emplace(
      {&P, Chip.str()}, std::numeric_limits<double>::infinity());
  for (unsigned I = 0; IsNew && I != Attempts; ++I) {
    ProcessorTime Control(std::numeric_limits<double>::infinity());
    Expected<CompileResult> Code = compile(P, Chip, nullptr, &Control);
    if (!Code)
      return Code.takeError();
    At->second = std::min(At->second, Control.seconds());
  }
  return Error::success();
}

Expected<CompileResult>
CandidateMaker::makeAnyway(const Program &P, StringRef Chip,
                           const tuning::Document *D) const {
  return compile(P, Chip, D, nullptr);
}

/// The code; none if no attempt keeps the limit on time.
Expected<std::optional<CompileResult>>
CandidateMaker::compileInTime(const Program &P, StringRef Chip,
                              const tuning::Document &D) const {
  constexpr double SecondsPerMs = 1e-3;
  const std::optional<TimeLimit> &Limit = O.Bounds.time();
  double Most = std::numeric_limits<double>::infinity();
  if (Limit)
    Most = Limit->Value *
           (Limit->IsRelative ? Untuned.at({&P, Chip.str()}) : SecondsPerMs);
  for (unsigned I = 0; I != Attempts; ++I) {
    ProcessorTime Control(Most);
    Expected<CompileResult> Code =
        compile(P, Chip, &D, Limit ? &Control : nullptr);
    if (!Code)
      return Code.takeError();
    if (Code->Succeeded && Control.seconds() <= Most)
      return std::move(*Code);
  }
  return std::nullopt;
}

Expected<Candidate> CandidateMaker::make(const Program &P, StringRef Chip,
                                         StringRef Kernel,
                                         const tuning::Document &D) const {
  Expected<std::optional<CompileResult>> Code = compileInTime(P, Chip, D);
  if (!Code)
    return Code.takeError();
  Candidate C;
  if (!*Code) {
    const TimeLimit &Limit = *O.Bounds.time();
    C.Over.push_back(
        {LimitKind::CompileTime,
         formatv("over the limit on {0}: more than {1}{2} in each of {3} "
                 "attempts",
                 limitInfo(LimitKind::CompileTime).What, Limit.str(),
                 Limit.IsRelative ? " the untuned one" : " ms", Attempts)});
    return C;
  }
  C.Code = std::move(**Code);
  Expected<CodeFigures> Takes =
      figuresOf({reinterpret_cast<const uint8_t *>(C.Code.Bytes.data()),
                 C.Code.Bytes.size()},
                Kernel);
  if (!Takes)
    return Takes.takeError();
  C.Takes = *Takes;
  C.Over = O.Bounds.excessOf(*Takes);
  return C;
}

} // namespace heddle::tune
