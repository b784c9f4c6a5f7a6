//===- CompileFarm.cpp - Compiling on a farm --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends what is to be compiled, waits for its turn, and says what to make of
// each answer.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompileFarm.h"

#include "heddle-cache/RemoteLoader.h"
#include "heddle/Driver/CompileMessages.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace heddle {

/// The pause before a farm that has no room is asked again; it doubles.
static constexpr std::chrono::milliseconds FirstPause(20), LongestPause(1000);
/// What an answer has besides code.
static constexpr uint64_t Allowance = uint64_t(16) << 20;

CompileFarm::CompileFarm(const cache::Settings &S, std::string Build,
                         std::string Library, cache::Counters &Count)
    : Address{
          std::string(S.text(cache::SettingId::Farm)),
          std::string(S.text(cache::SettingId::FarmToken)),
          std::string(S.text(cache::SettingId::RemoteCAFile)),
          std::chrono::milliseconds(S.number(cache::SettingId::RemoteTimeout))},
      Build(std::move(Build)), Library(std::move(Library)),
      Timeout(S.number(cache::SettingId::FarmTimeout)),
      MaxSilence(S.number(cache::SettingId::FarmSilence)),
      CoolDown(S.number(cache::SettingId::RemoteCoolDown)),
      MaxAnswer(S.number(cache::SettingId::MaxEntrySize) + Allowance),
      Count(Count) {}

CompileFarm::~CompileFarm() = default;

cache::Service *CompileFarm::service() {
  std::call_once(Opening, [this] {
    std::string Error;
    TheService = cache::loadService(Address, Library, Error);
    if (!TheService)
      complain(Error);
  });
  return TheService.get();
}

void CompileFarm::complain(const std::string &Text) {
  std::lock_guard Lock(Guard);
  if (!HasComplained)
    Complaint = "the farm '" + Address.URL + "' is not used: " + Text;
  HasComplained = true;
}

std::string CompileFarm::takeComplaint() {
  std::lock_guard Lock(Guard);
  return std::exchange(Complaint, {});
}

void CompileFarm::leaveAlone(std::chrono::seconds Time) {
  ClosedUntil = (Clock::now() + Time).time_since_epoch().count();
}

/// Waits, but not for longer than is wanted.
static void pause(std::chrono::milliseconds Time, CompileControl *Control,
                  std::chrono::steady_clock::time_point Until) {
  auto End = std::min(std::chrono::steady_clock::now() + Time, Until);
  while (std::chrono::steady_clock::now() < End &&
         !(Control && Control->shouldStop()))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

std::optional<CompileResult> CompileFarm::compile(std::string_view Input,
                                                  const std::string &Name,
                                                  const CompileOptions &Options,
                                                  CompileControl *Control) {
  // What LLVM prints would be printed there.
  if (Options.given(OptionId::MLLVM) || !service())
    return std::nullopt;
  if (Clock::now().time_since_epoch().count() < ClosedUntil) {
    Count.add(cache::Counter::FarmSkipped);
    return std::nullopt;
  }
  using E = OptionEffect;
  std::string Body = encodeCompileMessage(
      {Options.commandLine({E::Output, E::Input, E::Report}), Name,
       Control ? Control->memoryLimit() : 0, Input});
  cache::ServiceRequest Request{
      FarmCompilePath,
      {std::string(FarmBuildField) + ": " + Build,
       std::string(FarmClientField) + ": " + std::to_string(::getpid())},
      Body,
      MaxAnswer,
      Clock::now() + Timeout,
      MaxSilence,
      [Control] { return Control && Control->shouldStop(); }};
  std::optional<CompileResult> Result;
  auto Pause = FirstPause;
  while (ask(Request, Result) == Verdict::AskAgain) {
    Count.add(cache::Counter::FarmBusy);
    pause(Pause, Control, Request.Until);
    Pause = std::min(Pause * 2, LongestPause);
  }
  return Result;
}

CompileFarm::Verdict CompileFarm::ask(const cache::ServiceRequest &Request,
                                      std::optional<CompileResult> &Result) {
  cache::Result<cache::ServiceAnswer> Answer = TheService->send(Request);
  if (Answer)
    return judge(*Answer, Result);
  if (Request.ShouldStop()) {
    Result.emplace();
    Result->Stopped = true;
    Result->Failure = "the compilation was stopped";
    return Verdict::Done;
  }
  bool IsTimeout = Answer.fault().Reason == cache::Counter::RemoteTimeout;
  Count.add(IsTimeout ? cache::Counter::FarmTimeout
                      : cache::Counter::FarmError);
  leaveAlone(CoolDown);
  return Verdict::CompileHere;
}

/// What is behind a farm's signs of life; none if there is no answer.
static std::optional<CompileResult> decodeFarmAnswer(std::string_view Body) {
  Body.remove_prefix(
      std::min(Body.find_first_not_of(FarmCompiles), Body.size()));
  if (!Body.starts_with(FarmAnswers))
    return std::nullopt;
  return decodeAnswer(Body.substr(1));
}

CompileFarm::Verdict CompileFarm::judge(const cache::ServiceAnswer &Answer,
                                        std::optional<CompileResult> &Result) {
  constexpr long TooManyOfThisClient = 429, NoRoom = 503;
  constexpr long NotAllowed = 401, OtherBuild = 409;
  if (Answer.Status == TooManyOfThisClient || Answer.Status == NoRoom)
    return Verdict::AskAgain;
  if (Answer.Status == NotAllowed || Answer.Status == OtherBuild) {
    complain(Answer.Body);
    Count.add(cache::Counter::FarmRefused);
    leaveAlone(CoolDown);
    return Verdict::CompileHere;
  }
  bool IsAnswered = Answer.Status / 100 == 2;
  if (IsAnswered)
    Result = decodeFarmAnswer(Answer.Body);
  if (!Result) {
    Count.add(IsAnswered || Answer.Status / 100 == 5
                  ? cache::Counter::FarmError
                  : cache::Counter::FarmRefused);
    return Verdict::CompileHere;
  }
  // Its limits are not those of this process.
  if (Result->Stopped || Result->MemoryExceeded) {
    Result.reset();
    Count.add(cache::Counter::FarmRefused);
    return Verdict::CompileHere;
  }
  Count.add(cache::Counter::FarmMade);
  return Verdict::Done;
}

} // namespace heddle
