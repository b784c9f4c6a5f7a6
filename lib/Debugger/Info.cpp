//===- Info.cpp - What there is, in tables ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands info and cuda: kernels, blocks, warps and lanes with what they
// wait for, and the choice of the focus.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "Source/Names.h"
#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <map>

using namespace llvm;

namespace heddle::debug {

using emu::LaneState;
using emu::LaneView;
using emu::WarpPlace;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

StringRef stateName(LaneState S) {
  switch (S) {
  case LaneState::Absent:
    return "absent";
  case LaneState::Exited:
    return "exited";
  case LaneState::Active:
    return "active";
  case LaneState::Ready:
    return "divergent";
  case LaneState::AtConvergence:
    return "waits to converge";
  case LaneState::AtWarpSync:
    return "waits at a warp barrier";
  case LaneState::AtExchange:
    return "waits at an exchange";
  case LaneState::AtBarrier:
    return "waits at a CTA barrier";
  case LaneState::AtClusterBarrier:
    return "waits at the cluster's barrier";
  }
  return "";
}

} // namespace

/// The first lane of a warp that has not exited; none if all have.
static std::optional<unsigned> livingLane(const emu::DebuggedGrid &G,
                                          WarpPlace W) {
  for (unsigned L = 0; G.has(W) && L < 32; ++L)
    if (G.lane(W, L).State > LaneState::Exited)
      return L;
  return std::nullopt;
}

std::vector<WarpPlace> DebugSession::warpsOf(uint64_t CTA) const {
  std::vector<WarpPlace> Result;
  for (const emu::CTAView &V : Grid->ctas())
    if (V.Number == CTA)
      for (unsigned W = 0; W < V.Warps; ++W)
        Result.push_back({CTA, W});
  return Result;
}

/// The threads of a warp that did something, for people; \p Lanes is 0 if it is
/// not known which.
std::string DebugSession::lanesText(WarpPlace W, unsigned Lane,
                                    uint32_t Lanes) const {
  if (!Grid->has(W))
    return "a warp that has exited";
  std::string Text = "block " + dimText(Grid->coordinates(W.CTA)) +
                     ", thread " + dimText(Grid->threadOf(W, Lane));
  if (Lanes == 0)
    return Text + " or another of its warp";
  int Others = std::popcount(Lanes) - 1;
  return Others ? Text + " and " + std::to_string(Others) + " of its warp"
                : Text;
}

//===----------------------------------------------------------------------===//
// The choice of a thread
//===----------------------------------------------------------------------===//

namespace {

/// What the command cuda says: words with or without coordinates.
struct Wanted {
  std::optional<rt::Dim3> Block, Thread;
  std::optional<uint32_t> Core, Warp, Lane;
  std::optional<uint64_t> Kernel, Grid;
  std::vector<StringRef> Asked; ///< Words without.

  bool choosesLane() const { return Lane || Thread; }
  bool choosesWarp() const { return Warp || choosesLane(); }
  bool choosesThread() const { return Block || Core || choosesWarp(); }
  /// Whether a block is not ruled out.
  bool isBlock(const emu::CTAView &V) const {
    return (!Block || V.Coordinates == *Block) && (!Core || V.Core == *Core);
  }
};

/// Takes `1,2,3`, `(1,2,3)` or `1`.
std::optional<rt::Dim3> takeDim(StringRef &Text) {
  StringRef Rest = Text.ltrim();
  bool InParentheses = Rest.consume_front("(");
  uint32_t Numbers[3] = {0, 0, 0};
  unsigned N = 0;
  do {
    Rest = Rest.ltrim();
    if (N == 3 || Rest.consumeInteger(10, Numbers[N]))
      return std::nullopt;
    ++N;
    Rest = Rest.ltrim();
  } while (Rest.consume_front(","));
  if (InParentheses && !Rest.consume_front(")"))
    return std::nullopt;
  Text = Rest;
  return rt::Dim3{Numbers[0], Numbers[1], Numbers[2]};
}

Expected<Wanted> readWanted(StringRef Text) {
  Wanted W;
  while (!(Text = Text.ltrim()).empty()) {
    StringRef Word = Text.take_while(isAlpha);
    Text = Text.drop_front(Word.size());
    std::optional<rt::Dim3> D = takeDim(Text);
    auto Set = [&](auto &Field) {
      if (D)
        Field = D->X;
    };
    if (Word == "block")
      W.Block = D ? D : W.Block;
    else if (Word == "thread")
      W.Thread = D ? D : W.Thread;
    else if (Word == "sm")
      Set(W.Core);
    else if (Word == "warp")
      Set(W.Warp);
    else if (Word == "lane")
      Set(W.Lane);
    else if (Word == "kernel")
      Set(W.Kernel);
    else if (Word == "grid")
      Set(W.Grid);
    else if ((Word == "device" && (!D || D->X == 0)) || Word == "all")
      continue;
    else
      return createStringError("cuda takes kernel, grid, block, sm, warp, "
                               "lane, thread and device 0, not '" +
                               (Word.empty() ? Text : Word) + "'");
    if (!D)
      W.Asked.push_back(Word);
  }
  return W;
}

} // namespace

/// The block that \p W means; of a multiprocessor the first, unless the present
/// one is there.
static Expected<uint64_t> blockOf(const emu::DebuggedGrid &G, const Wanted &W,
                                  uint64_t Present) {
  std::optional<uint64_t> Found;
  for (const emu::CTAView &V : G.ctas())
    if (W.isBlock(V) && (!Found || V.Number == Present))
      Found = V.Number;
  if (Found)
    return *Found;
  if (W.Core)
    return createStringError(
        (W.Block ? "block " + dimText(*W.Block) + " is not" : "no block is") +
        " on sm " + Twine(*W.Core));
  return createStringError("block " + dimText(*W.Block) +
                           " is not on the device: it has not begun, is "
                           "done, or there is no such block");
}

/// The focus that \p W and the present one make together.
static Expected<Focus> focusOf(const emu::DebuggedGrid &G, const Wanted &W,
                               Focus At) {
  if (W.Block || W.Core) {
    Expected<uint64_t> CTA = blockOf(G, W, At.Warp.CTA);
    if (!CTA)
      return CTA.takeError();
    bool Stays = *CTA == At.Warp.CTA && !W.Block;
    At.Warp.CTA = *CTA;
    if (!Stays && !W.Thread && !W.Warp) {
      // The first of its warps that has not exited.
      At.Warp.Warp = 0;
      while (G.has({*CTA, At.Warp.Warp + 1}) && !livingLane(G, At.Warp))
        ++At.Warp.Warp;
      At.Lane = livingLane(G, At.Warp).value_or(0);
    }
  }
  if (W.Warp) {
    At.Warp.Warp = *W.Warp;
    if (!W.Lane)
      At.Lane = livingLane(G, At.Warp).value_or(0);
  }
  if (W.Lane)
    At.Lane = *W.Lane;
  if (W.Thread) {
    const rt::Dim3 &B = G.config().Block, &T = *W.Thread;
    if (T.X >= B.X || T.Y >= B.Y || T.Z >= B.Z)
      return createStringError("a block has no thread " + dimText(T));
    uint64_t Linear = T.X + B.X * (T.Y + uint64_t(B.Y) * T.Z);
    At.Warp.Warp = Linear / 32;
    At.Lane = Linear % 32;
  }
  if (At.Lane > 31 || !G.has(At.Warp))
    return createStringError("there is no such warp or lane");
  if (G.lane(At.Warp, At.Lane).State <= LaneState::Exited)
    return createStringError(G.lane(At.Warp, At.Lane).State == LaneState::Exited
                                 ? "the thread has exited"
                                 : "the block has no such thread");
  return At;
}

//===----------------------------------------------------------------------===//
// info cuda
//===----------------------------------------------------------------------===//

static std::string kernelsTable(const emu::DebuggedGrid &G, uint64_t Kernel,
                                const std::string &Name) {
  Table T({" ", "Kernel", "Grid", "Status", "GridDim", "BlockDim", "Done",
           "Invocation"});
  T.add({"*", std::to_string(Kernel), std::to_string(G.id()),
         G.fault() ? "Faulted" : "Active", dimText(G.config().Grid),
         dimText(G.config().Block),
         std::to_string(G.doneCTAs()) + "/" + std::to_string(G.numCTAs()),
         Name});
  return T.text();
}

static std::string blocksTable(const emu::DebuggedGrid &G, const Wanted &W,
                               uint64_t InFocus) {
  Table T({" ", "BlockIdx", "State", "Barriers"});
  for (const emu::CTAView &V : G.ctas()) {
    if (!W.isBlock(V))
      continue;
    T.add({V.Number == InFocus ? "*" : " ", dimText(V.Coordinates),
           V.Running ? "running" : "waiting",
           StringRef(G.barriers(V.Number)).ltrim("; ").str()});
  }
  return T.text();
}

/// The multiprocessors that blocks are on, and how many of the blocks' warps
/// have threads that have not exited.
static std::string coresTable(const emu::DebuggedGrid &G, const Wanted &W,
                              uint64_t InFocus) {
  struct Core {
    bool HasFocus = false;
    std::string Blocks;
    unsigned Warps = 0;
  };
  std::map<uint32_t, Core> Cores;
  for (const emu::CTAView &V : G.ctas()) {
    if (!W.isBlock(V))
      continue;
    Core &C = Cores[V.Core];
    C.HasFocus |= V.Number == InFocus;
    C.Blocks += (C.Blocks.empty() ? "" : " ") + dimText(V.Coordinates);
    for (unsigned W = 0; W < V.Warps; ++W)
      C.Warps += livingLane(G, {V.Number, W}).has_value();
  }
  Table T({" ", "SM", "Warps", "Blocks"});
  for (const auto &[Number, C] : Cores)
    T.add({C.HasFocus ? "*" : " ", std::to_string(Number),
           std::to_string(C.Warps), C.Blocks});
  return T.text();
}

static std::string warpsTable(const emu::DebuggedGrid &G, const Module &Code,
                              ArrayRef<WarpPlace> Warps, const Focus &At) {
  Table T({" ", "Wp", "Active Lanes", "Divergent Lanes", "Waiting Lanes",
           "Exited Lanes", "PC", "First Thread"});
  for (WarpPlace W : Warps) {
    uint32_t Masks[4] = {};
    std::optional<unsigned> First;
    uint32_t PC = 0;
    for (unsigned L = 0; L < 32; ++L) {
      LaneView V = G.lane(W, L);
      if (V.State == LaneState::Absent)
        continue;
      unsigned Column = V.State == LaneState::Active   ? 0
                        : V.State == LaneState::Ready  ? 1
                        : V.State == LaneState::Exited ? 3
                                                       : 2;
      Masks[Column] |= 1u << L;
      if (V.State != LaneState::Exited &&
          (!First || (Column == 0 && Masks[0] == 1u << L))) {
        First = L;
        PC = V.PC;
      }
    }
    T.add({W == At.Warp ? "*" : " ", std::to_string(W.Warp), maskText(Masks[0]),
           maskText(Masks[1]), maskText(Masks[2]), maskText(Masks[3]),
           First ? Code.describe(PC) : "-",
           First ? dimText(G.threadOf(W, *First)) : "-"});
  }
  return T.text();
}

static std::string lanesTable(const emu::DebuggedGrid &G, const Module &Code,
                              WarpPlace Of, const Focus &At) {
  Table T({" ", "Ln", "State", "PC", "Line", "ThreadIdx", "Waits for lanes"});
  for (unsigned L = 0; L < 32; ++L) {
    LaneView V = G.lane(Of, L);
    if (V.State == LaneState::Absent)
      continue;
    bool Lives = V.State != LaneState::Exited;
    auto Line = Lives ? Code.lineOf(V.PC) : std::nullopt;
    T.add({Of == At.Warp && L == At.Lane ? "*" : " ", std::to_string(L),
           stateName(V.State).str(), Lives ? Code.describe(V.PC) : "-",
           Line ? std::to_string(Line->Line) : "-", dimText(G.threadOf(Of, L)),
           V.WaitsFor ? maskText(V.WaitsFor) : ""});
  }
  return T.text();
}

/// Threads that stand at one place, and are in a row, share a row.
static std::string threadsTable(const emu::DebuggedGrid &G, const Module &Code,
                                const Wanted &Which, const Focus &Chosen,
                                const Focus &At) {
  Table T({" ", "BlockIdx", "ThreadIdx", "To BlockIdx", "To ThreadIdx", "Count",
           "PC", "Filename", "Line"});
  struct Group {
    WarpPlace From, To;
    unsigned FirstLane = 0, LastLane = 0, Count = 0;
    uint32_t PC = 0;
    bool HasFocus = false;
  };
  std::optional<Group> Open;
  auto Close = [&] {
    if (!Open)
      return;
    auto Line = Code.lineOf(Open->PC);
    T.add({Open->HasFocus ? "*" : " ", dimText(G.coordinates(Open->From.CTA)),
           dimText(G.threadOf(Open->From, Open->FirstLane)),
           dimText(G.coordinates(Open->To.CTA)),
           dimText(G.threadOf(Open->To, Open->LastLane)),
           std::to_string(Open->Count), Code.describe(Open->PC),
           Line ? Line->File.str() : "-",
           Line ? std::to_string(Line->Line) : "-"});
    Open.reset();
  };
  for (const emu::CTAView &C : G.ctas())
    for (unsigned W = 0; W < C.Warps; ++W)
      for (unsigned L = 0; L < 32; ++L) {
        WarpPlace P{C.Number, W};
        LaneView V = G.lane(P, L);
        bool IsMeant = Which.isBlock(C) &&
                       (!Which.choosesWarp() || P == Chosen.Warp) &&
                       (!Which.choosesLane() || L == Chosen.Lane);
        bool Lives = IsMeant && V.State > LaneState::Exited;
        if (!Lives || !Open || Open->PC != V.PC)
          Close();
        if (!Lives)
          continue;
        if (!Open)
          Open = Group{P, P, L, L, 0, V.PC, false};
        Open->To = P;
        Open->LastLane = L;
        ++Open->Count;
        Open->HasFocus |= P == At.Warp && L == At.Lane;
      }
  Close();
  return T.text();
}

static Error infoCudaUsage() {
  return createStringError("info cuda takes: kernels, blocks, warps, lanes, "
                           "threads, barriers, mbarriers, mbarrier "
                           "EXPRESSION, tensor, sms, devices");
}

/// `scale(x=0x100200200, n=100)`, by the names of the source where they are
/// known.
std::string DebugSession::invocationText() const {
  std::string Known = argumentsText(frames().size() - 1);
  return plainName(Code->functionOf(Grid->entry())).str() + "(" +
         (Known.empty() ? parametersText() : Known) + ")";
}

Error DebugSession::infoCuda(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  StringRef What = splitWord(Arguments).first;
  if (What == "mbarrier")
    return infoMBarrier(splitWord(Arguments).second);
  // What is behind the name chooses, as the command cuda does.
  Expected<Wanted> W = readWanted(splitWord(Arguments).second);
  if (!W)
    return W.takeError();
  Focus At = *this->At;
  if (W->choosesThread())
    if (Error E = focusOf(*Grid, *W, At).moveInto(At))
      return E;
  if (What == "kernels")
    print(kernelsTable(*Grid, Kernels, invocationText()));
  else if (What == "blocks")
    print("Kernel " + Twine(Kernels) + "\n" +
          blocksTable(*Grid, *W, At.Warp.CTA));
  else if (What == "warps")
    print("Block " + dimText(Grid->coordinates(At.Warp.CTA)) + "\n" +
          warpsTable(*Grid, *Code, warpsOf(At.Warp.CTA), *this->At));
  else if (What == "sms")
    print(coresTable(*Grid, *W, this->At->Warp.CTA));
  else if (What == "lanes")
    print(lanesTable(*Grid, *Code, At.Warp, *this->At));
  else if (What == "threads")
    print("Kernel " + Twine(Kernels) + "\n" +
          threadsTable(*Grid, *Code, *W, At, *this->At));
  else if (What == "barriers") {
    std::string Text = Grid->barriers(At.Warp.CTA);
    print(Text.empty() ? "No barrier is in use.\n"
                       : StringRef(Text).ltrim("; ") + "\n");
  } else if (What == "devices")
    print("  Dev Name            Chip\n*   0 Heddle emulator " +
          Grid->code().Chip + "\n");
  else if (What == "mbarriers")
    infoMBarriers();
  else if (What == "tensor")
    infoTensorMemory();
  else
    return infoCudaUsage();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// info
//===----------------------------------------------------------------------===//

std::string DebugSession::breakpointsTable(bool OnlyWatches) const {
  Table T({"Num", "Type", "Disp", "Enb", "Where"});
  for (const Breakpoint &B : Breakpoints) {
    if (OnlyWatches && B.Kind != Breakpoint::Watch)
      continue;
    std::string Where = B.Spec;
    if (B.Kind == Breakpoint::Location)
      Where = B.Places.empty()       ? "<PENDING> " + B.Spec
              : B.Places.size() == 1 ? placeText(B.Places.front(), B.Spec)
                                     : "<MULTIPLE> " + B.Spec;
    bool IsWatch = B.Kind == Breakpoint::Watch;
    std::string Kind = B.Kind == Breakpoint::Location         ? "breakpoint"
                       : !IsWatch                             ? "catchpoint"
                       : B.Range.On == emu::WatchRange::Write ? "watchpoint"
                       : B.Range.On == emu::WatchRange::Read ? "read watchpoint"
                                                             : "acc watchpoint";
    if (B.Kind == Breakpoint::Launch)
      Where = "launch" + (B.Spec.empty() ? "" : " of " + B.Spec);
    T.add({std::to_string(B.Number), Kind, B.Temporary ? "del" : "keep",
           B.Enabled ? "y" : "n", Where});
    if (B.Places.size() > 1)
      for (auto [N, P] : enumerate(B.Places))
        T.add({std::to_string(B.Number) + "." + std::to_string(N + 1), "", "",
               "", placeText(P, B.Spec)});
    if (B.Condition)
      T.addNote("stop only if " + B.Condition->text().str());
    if (B.Hits)
      T.addNote("breakpoint already hit " + std::to_string(B.Hits) + " time" +
                (B.Hits > 1 ? "s" : ""));
    if (B.Ignore)
      T.addNote("ignore next " + std::to_string(B.Ignore) + " hits");
  }
  return T.text();
}

Error DebugSession::infoRegisters(StringRef Names) {
  if (Error E = needGrid())
    return E;
  while (!Names.empty()) {
    auto [Name, Rest] = splitWord(Names);
    if (Error E = showRegister(Name))
      return E;
    if (Rest.empty())
      return Error::success();
    Names = Rest;
  }
  emu::RegisterView V = Grid->registers(At->Warp);
  auto Show = [&](StringRef Prefix, unsigned Count) -> Error {
    for (unsigned N = 0; N < Count; ++N)
      if (Error E = showRegister((Prefix + Twine(N)).str()))
        return E;
    return Error::success();
  };
  constexpr unsigned Predicates = 7;
  for (auto [Prefix, Count] : {std::pair<StringRef, unsigned>("R", V.Vectors),
                               {"P", Predicates},
                               {"UR", V.Uniforms},
                               {"UP", Predicates},
                               {"B", V.Convergences}})
    if (Error E = Show(Prefix, Count))
      return E;
  return showRegister("pc");
}

Error DebugSession::infoLine(StringRef Spec) {
  bool MayCome;
  Expected<std::vector<CodePlace>> Places =
      findPlaces(Spec, MayCome, /*OfStop=*/false);
  if (!Places)
    return Places.takeError();
  for (CodePlace P : *Places) {
    auto Line = lineOf(P, Spec);
    if (!Line) {
      print("No line number information available for address " +
            P.In->describe(P.PC) + "\n");
      continue;
    }
    uint32_t End = P.PC + 1;
    const emu::CodeBlock *B = P.In->code().blockOf(P.PC);
    while (End < B->First + B->Count) {
      auto Next = lineOf({P.In, End}, Spec);
      if (!Next || Next->Line != Line->Line || Next->File != Line->File)
        break;
      ++End;
    }
    print("Line " + Twine(Line->Line) + " of \"" + Line->File +
          "\" starts at " + P.In->describe(P.PC) + " and ends in front of " +
          (End < B->First + B->Count ? P.In->describe(End) : "the end") +
          ".\n");
  }
  return Error::success();
}

Error DebugSession::infoBreakpoints(StringRef) {
  print(Breakpoints.empty() ? "No breakpoints or watchpoints.\n"
                            : breakpointsTable(/*OnlyWatches=*/false));
  return Error::success();
}

Error DebugSession::infoWatchpoints(StringRef) {
  bool IsAny = any_of(Breakpoints, [](const Breakpoint &B) {
    return B.Kind == Breakpoint::Watch;
  });
  print(IsAny ? breakpointsTable(/*OnlyWatches=*/true) : "No watchpoints.\n");
  return Error::success();
}

Error DebugSession::infoFrame(StringRef) {
  if (Error E = needGrid())
    return E;
  print("#" + Twine(SelectedFrame) + "  " + frameText(frames()[SelectedFrame]) +
        "\n");
  return Error::success();
}

Error DebugSession::infoArguments(StringRef) {
  if (Error E = needGrid())
    return E;
  bool IsDescribed =
      any_of(ThreadScope(*this, At).variables(),
             [](const SourceVariable &V) { return V.IsParameter; });
  if (IsDescribed || !frames()[SelectedFrame].IsKernel) {
    showVariables(/*Arguments=*/true, SelectedFrame);
    return Error::success();
  }
  for (const rt::ParamInfo &P : Grid->kernel().Params) {
    std::optional<Value> V = parameterOf(P);
    print(nameOf(P) + " = " + (V ? parameterText(*V) : "<cannot be read>") +
          "\n");
  }
  return Error::success();
}

Error DebugSession::infoLocals(StringRef) {
  if (Error E = needGrid())
    return E;
  showVariables(/*Arguments=*/false, SelectedFrame);
  return Error::success();
}

Error DebugSession::infoSource(StringRef) {
  print(ListFile.empty() ? "No current source file.\n"
                         : "Current source file is " + ListFile + "\n");
  return Error::success();
}

Error DebugSession::infoDisplay(StringRef) {
  for (const Display &D : Displays)
    print(Twine(D.Number) + ":  " + D.Text + "\n");
  return Error::success();
}

Error DebugSession::infoThreads(StringRef) {
  return createStringError("threads of the host are not debugged; see info "
                           "cuda threads");
}

Error DebugSession::commandInfo(StringRef Arguments) {
  struct Row {
    StringLiteral Name;
    size_t Least; ///< Letters that stand for it.
    Handler Do;
  };
  using S = DebugSession;
  static constexpr Row Rows[] = {{"address", 2, &S::infoAddress},
                                 {"all-registers", 3, &S::infoRegisters},
                                 {"args", 2, &S::infoArguments},
                                 {"breakpoints", 1, &S::infoBreakpoints},
                                 {"cuda", 2, &S::infoCuda},
                                 {"display", 1, &S::infoDisplay},
                                 {"frame", 1, &S::infoFrame},
                                 {"functions", 2, &S::infoFunctions},
                                 {"line", 2, &S::infoLine},
                                 {"locals", 2, &S::infoLocals},
                                 {"registers", 1, &S::infoRegisters},
                                 {"scope", 2, &S::infoScope},
                                 {"source", 2, &S::infoSource},
                                 {"stack", 1, &S::commandBacktrace},
                                 {"symbol", 2, &S::infoSymbol},
                                 {"threads", 2, &S::infoThreads},
                                 {"types", 2, &S::infoTypes},
                                 {"variables", 1, &S::infoVariables},
                                 {"watchpoints", 3, &S::infoWatchpoints}};
  auto [Word, Rest] = splitWord(Arguments);
  std::string Names;
  for (const Row &R : Rows) {
    if (Word.size() >= R.Least && R.Name.starts_with(Word))
      return (this->*R.Do)(Rest);
    Names += (Names.empty() ? "" : ", ") + R.Name.str();
  }
  return createStringError("info takes: " + Names);
}

//===----------------------------------------------------------------------===//
// cuda
//===----------------------------------------------------------------------===//

Error DebugSession::commandCuda(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  Expected<Wanted> W = readWanted(Arguments);
  if (!W)
    return W.takeError();
  if ((W->Kernel && *W->Kernel != Kernels) ||
      (W->Grid && *W->Grid != Grid->id()))
    return createStringError("only kernel " + Twine(Kernels) + ", grid " +
                             Twine(Grid->id()) + " is on the device");
  if (!W->choosesThread()) {
    print(focusText(*At) + "\n");
    return Error::success();
  }
  Expected<Focus> New = focusOf(*Grid, *W, *At);
  if (!New)
    return New.takeError();
  setFocus(New->Warp, New->Lane);
  SaidFocus.clear();
  sayFocus();
  showFrame(/*WithLine=*/false);
  return Error::success();
}

} // namespace heddle::debug
