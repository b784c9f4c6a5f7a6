//===- Frames.cpp - Functions and lines of the focus ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backtraces through calls and inlined functions, source lines, and listings of
// code.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "Source/Names.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;

namespace heddle::debug {

uint32_t DebugSession::pcOfFocus() const {
  return Grid->lane(At->Warp, At->Lane).PC;
}

std::vector<Frame> DebugSession::framesOf(const Focus &Of) const {
  std::vector<Frame> Result;
  auto Add = [&](uint32_t PC) {
    std::vector<SourceFrame> Inlined = Code->framesOf(PC);
    for (size_t N = 0; N < Inlined.size(); ++N)
      Result.push_back(
          {PC, Inlined[N], false, N + 1 < Inlined.size(), Result.size()});
  };
  Add(Grid->lane(Of.Warp, Of.Lane).PC);
  for (uint32_t Call : reverse(Grid->calls(Of.Warp, Of.Lane)))
    Add(Call);
  Result.back().IsKernel = true;
  return Result;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

std::string DebugSession::launchText() const {
  const rt::LaunchConfig &L = Grid->config();
  return "<<<" + dimText(L.Grid) + "," + dimText(L.Block) + ">>>";
}

/// A parameter's name, of nvcc's `kernel_param_0` what is behind the kernel's.
StringRef DebugSession::nameOf(const rt::ParamInfo &P) const {
  StringRef Name = P.Name;
  return Name.consume_front(Grid->kernel().Name) && Name.consume_front("_")
             ? Name
             : StringRef(P.Name);
}

std::optional<Value> DebugSession::parameterOf(const rt::ParamInfo &P) const {
  ThreadScope S(const_cast<DebugSession &>(*this), At, /*Frame=*/0);
  return S.parameter(P.Name);
}

std::string parameterText(const Value &V) {
  // Most numbers of 64 bits are addresses.
  Format F;
  if (V.Of->Kind == Type::Integer && V.Of->Size == 8)
    F.Letter = 'x';
  return formatValue(V, F);
}

/// What the launch passed: `n=1000, a=2`.
std::string DebugSession::parametersText() const {
  std::string Text;
  for (const rt::ParamInfo &P : Grid->kernel().Params) {
    std::optional<Value> V = parameterOf(P);
    Text += (Text.empty() ? "" : ", ") + nameOf(P).str() + "=";
    Text += !V || V->Of->Kind == Type::Array ? "..." : parameterText(*V);
  }
  return Text;
}

std::string DebugSession::frameText(const Frame &F) const {
  std::string Name = F.Where.Function;
  std::string Text;
  std::string Known = argumentsText(F.Number);
  if (!Known.empty()) {
    Text = plainName(Name).str() + (F.IsKernel ? launchText() : "") + " (" +
           Known + ")";
  } else if (F.IsKernel) {
    Text = plainName(Name).str() + launchText() + " (" + parametersText() + ")";
  } else {
    Text = withoutResult(Name).str() +
           (StringRef(Name).contains('(') ? "" : " ()");
  }
  if (F.Where.Line)
    Text += " at " + F.Where.File + ":" + std::to_string(F.Where.Line);
  else
    Text += " at " + Code->describe(F.PC);
  return Text;
}

/// Shows a source line as a stop does.
void DebugSession::showLine(const Frame &F, bool IsMiddle) {
  std::string Prefix = IsMiddle ? Code->describe(F.PC) + "\t" : "";
  if (!F.Where.Line) {
    print("=> " + Code->describe(F.PC) + ":\t" + Code->instruction(F.PC) +
          "\n");
    return;
  }
  ListFile = F.Where.File;
  unsigned Half = ListSize / 2;
  ListTo = F.Where.Line > Half ? F.Where.Line - Half - 1 : 0;
  ListFrom = 0;
  std::optional<StringRef> Text = sourceLine(F.Where.File, F.Where.Line);
  print(Prefix + Twine(F.Where.Line) + "\t" +
        (Text ? *Text : StringRef("in " + F.Where.File)) + "\n");
}

void DebugSession::showFrame(bool WithFrame) {
  std::vector<Frame> All = frames();
  const Frame &F = All[std::min(SelectedFrame, All.size() - 1)];
  if (WithFrame)
    print(frameText(F) + "\n");
  // A line goes on from an instruction in front that is of the same one.
  bool IsMiddle = false;
  if (F.Where.Line && SelectedFrame == 0 && F.PC > 0) {
    const emu::CodeBlock *B = Code->code().blockOf(F.PC);
    auto Before = Code->lineOf(F.PC - 1);
    IsMiddle = B && F.PC > B->First && Before && Before->Line == F.Where.Line &&
               Before->File == F.Where.File;
  }
  showLine(F, IsMiddle);
}

/// `backtrace full 3`: with locals, of the innermost 3; -3 are the outermost.
Error DebugSession::commandBacktrace(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  bool IsFull =
      Arguments.consume_front("full") || Arguments.consume_front("-full");
  int64_t Count = 0;
  StringRef Number = Arguments.trim();
  if (!Number.empty() && Number.getAsInteger(10, Count))
    return createStringError("backtrace takes full and a number of frames");
  std::vector<Frame> All = frames();
  size_t From = 0, To = All.size();
  if (Count > 0)
    To = std::min<size_t>(To, Count);
  else if (Count < 0)
    From = To - std::min<size_t>(To, -Count);
  for (size_t N = From; N < To; ++N) {
    print("#" + Twine(N) + "  " + frameText(All[N]) + "\n");
    if (IsFull)
      showVariables(/*Arguments=*/false, N, "        ");
  }
  if (Count > 0 && To < All.size())
    print("(More stack frames follow...)\n");
  return Error::success();
}

Error DebugSession::selectFrame(size_t Number) {
  std::vector<Frame> All = frames();
  if (Number >= All.size())
    return createStringError("No frame at level " + Twine(Number) + ".");
  SelectedFrame = Number;
  print("#" + Twine(Number) + "  " + frameText(All[Number]) + "\n");
  showLine(All[Number], /*IsMiddle=*/false);
  return Error::success();
}

Error DebugSession::commandFrame(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  size_t Number = SelectedFrame;
  if (!Arguments.empty() && Arguments.getAsInteger(10, Number))
    return createStringError("frame takes a number");
  return selectFrame(Number);
}

Error DebugSession::commandUp(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  size_t By = 1;
  if (!Arguments.empty() && Arguments.getAsInteger(10, By))
    return createStringError("up takes a number");
  if (SelectedFrame + 1 >= frames().size())
    return createStringError("Initial frame selected; you can't go up.");
  return selectFrame(std::min(SelectedFrame + By, frames().size() - 1));
}

Error DebugSession::commandDown(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  size_t By = 1;
  if (!Arguments.empty() && Arguments.getAsInteger(10, By))
    return createStringError("down takes a number");
  if (SelectedFrame == 0)
    return createStringError("Bottom (innermost) frame selected; you can't go "
                             "down.");
  return selectFrame(SelectedFrame - std::min(By, SelectedFrame));
}

//===----------------------------------------------------------------------===//
// Source
//===----------------------------------------------------------------------===//

Error DebugSession::commandDirectory(StringRef Arguments) {
  if (Arguments.empty())
    return createStringError("directory takes a folder");
  Sources.addFolder(Arguments.str());
  return Error::success();
}

/// Of several modules whose PTX has one name, what runs is meant.
ArrayRef<std::string> DebugSession::ptxText(StringRef File) {
  std::lock_guard Lock(StateMutex);
  if (Code && Code->isPTX(File))
    return Code->ptxText();
  const Module *Only = nullptr;
  for (const auto &M : Modules) {
    if (!M->isPTX(File))
      continue;
    if (Only)
      return {};
    Only = M.get();
  }
  return Only ? Only->ptxText() : ArrayRef<std::string>();
}

unsigned DebugSession::countSourceLines(const std::string &File) {
  ArrayRef<std::string> PTX = ptxText(File);
  return PTX.empty() ? Sources.count(File) : PTX.size();
}

std::optional<StringRef> DebugSession::sourceLine(const std::string &File,
                                                  unsigned Number) {
  ArrayRef<std::string> PTX = ptxText(File);
  if (PTX.empty())
    return Sources.line(File, Number);
  if (Number == 0 || Number > PTX.size())
    return std::nullopt;
  return StringRef(PTX[Number - 1]);
}

Error DebugSession::commandList(StringRef Arguments) {
  unsigned From = ListTo + 1, To = ListTo + ListSize;
  auto Around = [&](uint32_t Line) {
    From = Line > ListSize / 2 ? Line - ListSize / 2 : 1;
    To = From + ListSize - 1;
  };
  auto [First, Last] = Arguments.split(',');
  uint32_t A, B;
  if (Arguments == "-") {
    if (ListFrom <= 1)
      return createStringError("Already at the start of " + ListFile + ".");
    To = ListFrom - 1;
    From = To > ListSize ? To - ListSize + 1 : 1;
  } else if (!First.trim().getAsInteger(10, A) &&
             !Last.trim().getAsInteger(10, B)) {
    From = A;
    To = B;
  } else if (!Arguments.empty()) {
    auto [File, Number] = Arguments.rsplit(':');
    if (!Arguments.getAsInteger(10, A)) {
      Around(A);
    } else if (!Number.empty() && !Number.getAsInteger(10, A)) {
      ListFile = File.str();
      std::lock_guard Lock(StateMutex);
      for (const auto &M : Modules)
        for (uint32_t Line = A; uint32_t PC : M->findLine(File, Line))
          if (auto Found = M->lineIn(File, PC))
            ListFile = Found->File.str();
      Around(A);
    } else {
      bool MayCome;
      Expected<std::vector<CodePlace>> Places =
          findPlaces(Arguments, MayCome, /*OfStop=*/false);
      if (!Places)
        return Places.takeError();
      auto Line = Places->front().In->lineOf(Places->front().PC);
      if (!Line)
        return createStringError("there is no line information for '" +
                                 Arguments + "'");
      ListFile = Line->File.str();
      Around(Line->Line);
    }
  }
  if (ListFile.empty())
    return createStringError("no source file; name one, as in list FILE:LINE");
  unsigned Count = countSourceLines(ListFile);
  if (!Count)
    return createStringError(Twine(ListFile) +
                             ": there is no such file; see directory");
  if (From > Count)
    return createStringError("Line number " + Twine(From) +
                             " out of range; \"" + ListFile + "\" has " +
                             Twine(Count) + " lines.");
  To = std::min(To, Count);
  for (unsigned N = From; N <= To; ++N)
    print(Twine(N) + "\t" + *sourceLine(ListFile, N) + "\n");
  ListFrom = From;
  ListTo = To;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

std::string DebugSession::instructionLine(uint32_t PC, bool Marked) const {
  return (Marked ? "=> " : "   ") + Code->describe(PC) + ":\t" +
         Code->instruction(PC) + "\n";
}

/// Lanes as ranges: `0-3,7`.
static std::string rangesText(uint32_t Lanes) {
  std::string Text;
  for (unsigned L = 0; L < 32; ++L) {
    if (!(Lanes >> L & 1))
      continue;
    unsigned Last = L;
    while (Last < 31 && Lanes >> (Last + 1) & 1)
      ++Last;
    Text += (Text.empty() ? "" : ",") + std::to_string(L) +
            (Last > L ? "-" + std::to_string(Last) : "");
    L = Last;
  }
  return Text;
}

Error DebugSession::commandDisassemble(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  bool WithSource =
      Arguments.consume_front("/s") || Arguments.consume_front("/m");
  Arguments = Arguments.trim();
  uint32_t PC = frames()[SelectedFrame].PC;
  if (!Arguments.empty()) {
    bool MayCome;
    Expected<std::vector<CodePlace>> Places = findPlaces(Arguments, MayCome);
    if (!Places)
      return Places.takeError();
    for (CodePlace P : *Places)
      if (P.In == Code)
        PC = P.PC;
  }
  const emu::CodeBlock *B = Code->code().blockOf(PC);
  if (!B)
    return createStringError("the program counter is outside the code");
  std::map<uint32_t, uint32_t> Lanes; // By PC.
  for (unsigned L = 0; L < 32; ++L)
    if (emu::LaneView V = Grid->lane(At->Warp, L);
        V.State > emu::LaneState::Exited)
      Lanes[V.PC] |= 1u << L;
  print("Dump of code for " + Code->functionOf(PC) + ":\n");
  std::optional<SourceLine> Last;
  for (uint32_t N = B->First; N < B->First + B->Count; ++N) {
    auto Line = Code->lineOf(N);
    if (WithSource && Line &&
        (!Last || Last->Line != Line->Line || Last->File != Line->File)) {
      auto Text = sourceLine(Line->File.str(), Line->Line);
      print(Line->File + ":" + Twine(Line->Line) + "\t" +
            (Text ? Text->ltrim() : StringRef()) + "\n");
      Last = Line;
    }
    std::string Text = instructionLine(N, N == pcOfFocus());
    if (auto It = Lanes.find(N); It != Lanes.end())
      Text.insert(Text.size() - 1, "\t; lanes " + rangesText(It->second));
    print(Text);
  }
  print("End of dump.\n");
  return Error::success();
}

} // namespace heddle::debug
