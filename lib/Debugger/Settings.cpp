//===- Settings.cpp - set and show ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands set and show: values of the program and settings of the session.
// What gdb and cuda-gdb have besides, and has no meaning here, is taken without
// a word, so that their scripts run.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::debug {

/// Nothing is asked, nothing is broken into pages or coloured, and each fault
/// stops.
static constexpr StringLiteral Meaningless[] = {
    "breakpoint", "confirm",        "debuginfod", "disassembly-flavor",
    "height",     "history",        "logging",    "non-stop",
    "pagination", "python",         "prompt",     "startup-with-shell",
    "style",      "trace-commands", "verbose",    "width"};
static constexpr StringLiteral MeaninglessCuda[] = {
    "api_failures",
    "coalescing",
    "collect_stats",
    "context_events",
    "gpu_busy_check",
    "hide_internal_frames",
    "kernel_events",
    "kernel_events_depth",
    "launch_blocking",
    "memcheck",
    "notify",
    "ptx_cache",
    "show_kernel_events",
    "single_stepping_optimizations",
    "software_preemption",
    "stop_signal",
    "thread_selection",
    "value_extrapolation"};
static constexpr StringLiteral MeaninglessPrint[] = {"address",
                                                     "array",
                                                     "array-indexes",
                                                     "asm-demangle",
                                                     "demangle",
                                                     "frame-arguments",
                                                     "inferior-events",
                                                     "null-stop",
                                                     "object",
                                                     "repeats",
                                                     "sevenbit-strings",
                                                     "static-members",
                                                     "symbol",
                                                     "thread-events",
                                                     "union",
                                                     "vtbl"};

/// Whether \p Word is `on`, as it is without one; none: it is neither that nor
/// `off`.
static std::optional<bool> isOn(StringRef Word) {
  if (Word.empty() || Word == "on" || Word == "1" || Word == "yes")
    return true;
  if (Word == "off" || Word == "0" || Word == "no")
    return false;
  return std::nullopt;
}

Error DebugSession::setCuda(StringRef Name, StringRef Value) {
  if (is_contained(MeaninglessCuda, Name))
    return Error::success();
  if (Name != "break_on_launch")
    return createStringError("set cuda takes break_on_launch, not '" + Name +
                             "'");
  if (Value != "none" && Value != "application" && Value != "all")
    return createStringError("break_on_launch is one of none, application and "
                             "all");
  BreakOnLaunch = Value != "none";
  return Error::success();
}

Error DebugSession::setPrint(StringRef Name, StringRef Value) {
  if (is_contained(MeaninglessPrint, Name))
    return Error::success();
  if (Name == "pretty") {
    std::optional<bool> On = isOn(Value);
    if (!On)
      return createStringError("\"on\" or \"off\" expected.");
    PrintsPretty = *On;
    return Error::success();
  }
  if (Name != "elements")
    return createStringError("set print takes pretty and elements, not '" +
                             Name + "'");
  uint64_t Count;
  if (Value == "unlimited")
    Count = 0;
  else if (Value.getAsInteger(10, Count))
    return createStringError("elements is a number, or unlimited");
  MostElements = Count ? Count : UINT64_MAX; // As gdb has it.
  return Error::success();
}

Error DebugSession::setLines(StringRef Which) {
  if (Which != "ptx" && Which != "source")
    return createStringError("lines are those of: ptx, source");
  std::lock_guard Lock(StateMutex);
  ShowsPTX = Which == "ptx";
  for (const auto &M : Modules)
    M->showPTX(ShowsPTX);
  return Error::success();
}

/// A number from 1 on.
static Error setNumber(StringRef Name, StringRef Text, unsigned &To) {
  unsigned Number;
  if (Text.getAsInteger(10, Number) || !Number)
    return createStringError(Name + " is a number from 1 on");
  To = Number;
  return Error::success();
}

/// A setting of that name; none if there is no such setting.
std::optional<Error> DebugSession::setSetting(StringRef Name, StringRef Rest) {
  auto [Second, Value] = splitWord(Rest);
  if (Name == "cuda")
    return setCuda(Second, Value);
  if (Name == "print" || Name == "p")
    return setPrint(Second, Value);
  if (Name == "lines")
    return setLines(Rest);
  if (Name == "listsize")
    return setNumber(Name, Rest, ListSize);
  if (Name == "args")
    return setProgramArguments(Rest);
  if (Name == "scheduler-locking") {
    if (Rest != "on" && Rest != "off" && Rest != "step")
      return createStringError("scheduler-locking is on or off");
    FreezesOthers = Rest != "off";
    return Error::success();
  }
  if (Name == "breakpoint-number") { // Of the next; for definitions.
    unsigned Next = 0;
    Error E = setNumber(Name, Rest, Next);
    if (!E)
      LastBreakpoint = Next - 1;
    return E;
  }
  if (is_contained(Meaningless, Name))
    return Error::success();
  return std::nullopt;
}

Error DebugSession::setProgramArguments(StringRef Text) {
  if (!Options.SetArguments)
    return createStringError("the program is being run; its arguments are "
                             "what they are");
  return Options.SetArguments(Text);
}

Error DebugSession::commandSet(StringRef Arguments) {
  auto [Word, Rest] = splitWord(Arguments);
  if (Word == "var" || Word == "variable") {
    Arguments = Rest;
  } else if (!Rest.starts_with("=") || Rest.starts_with("==")) {
    // `set width = 3` is about a variable.
    if (std::optional<Error> Result = setSetting(Word, Rest))
      return std::move(*Result);
  }
  Expected<Expression> E = Expression::parse(Arguments, Types);
  if (!E)
    return E.takeError();
  if (!E->assigns())
    return createStringError("set takes an assignment, or the name of a "
                             "setting; see help set");
  ThreadScope S(*this, At);
  return E->evaluate(S).takeError();
}

Error DebugSession::commandShow(StringRef Arguments) {
  auto OnOff = [&](bool On) { print(On ? "on\n" : "off\n"); };
  if (Arguments == "cuda break_on_launch")
    print(BreakOnLaunch ? "all\n" : "none\n");
  else if (Arguments == "scheduler-locking")
    OnOff(FreezesOthers);
  else if (Arguments == "lines")
    print(ShowsPTX ? "ptx\n" : "source\n");
  else if (Arguments == "listsize")
    print(Twine(ListSize) + "\n");
  else if (Arguments == "print pretty")
    OnOff(PrintsPretty);
  else if (Arguments == "print elements")
    print(MostElements == UINT64_MAX ? "unlimited\n"
                                     : Twine(MostElements).str() + "\n");
  else if (Arguments == "convenience" || Arguments == "conv")
    for (const auto &[Name, V] : Convenience)
      print("$" + Name + " = " + formatValue(V) + "\n");
  else if (Arguments == "user")
    for (const auto &[Name, Lines] : UserCommands)
      print(Name + "\n");
  else
    return createStringError("show takes: cuda break_on_launch, "
                             "scheduler-locking, lines, listsize, print "
                             "pretty, print elements, convenience, user");
  return Error::success();
}

} // namespace heddle::debug
