//===- DebugSession.h - A session of the debugger ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a session, shared by the files that carry out its commands: the
// grid at rest, the thread that commands are about (the focus), breakpoints,
// and what is printed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_DEBUGSESSION_H
#define HEDDLE_LIB_DEBUGGER_DEBUGSESSION_H

#include "Breakpoint.h"
#include "SourceFiles.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <map>
#include <mutex>

namespace heddle::debug {

/// A frame of a thread: a function, called or inlined.
struct Frame {
  uint32_t PC = 0;
  SourceFrame Where;
  bool IsKernel = false; ///< The outermost one.
  bool IsInlined = false;
  size_t Number = 0; ///< From the innermost one on.
};

class DebugSession final : public Session {
public:
  DebugSession(Console &C, SessionOptions Options);
  ~DebugSession() override;

  llvm::Error openCore(llvm::StringRef Path) override;
  void loop() override;
  void execute(llvm::StringRef Command) override;
  bool readCommand(std::string &Line, llvm::StringRef Prompt) override;
  bool isQuitting() const override { return Quitting; }
  std::vector<std::string> definitions() const override;
  void define(llvm::ArrayRef<std::string> Definitions) override;
  void begin() override;

  void load(std::shared_ptr<const emu::CodeDescription> Code) override;
  void unload(const emu::CodeDescription &Code) override;
  void run(emu::DebuggedGrid &Grid) override;
  bool wantsRewind(uint64_t Bytes) override;
  bool hasLeft() const override { return Left; }

  /// A command: what is behind its name.
  using Handler = llvm::Error (DebugSession::*)(llvm::StringRef Arguments);

private:
  friend class ConditionCompiler;
  friend class ThreadScope;

  // DebugSession.cpp: grids and commands.
  llvm::Error dispatch(llvm::StringRef Command);
  /// An error unless a grid is at rest.
  llvm::Error needGrid() const;
  /// The same unless it may run on.
  llvm::Error needRunning() const;
  void print(const llvm::Twine &Text) {
    if (!Silent)
      C.write(Text.str());
  }
  void loopInGrid();
  void endOfCommands();

  // Resume.cpp: running on, and what is said where it ends.
  /// Runs until something stops the grid, and says what.
  void go(std::optional<emu::WarpPlace> Only = std::nullopt);
  emu::GridEvent resumeGrid(const emu::ResumeRequest &R);
  /// Sets Watches as well.
  emu::ResumeRequest request(std::optional<emu::WarpPlace> Only);
  std::vector<emu::WatchRange> watchedRanges() const; ///< Of Watches.
  /// Whether \p E stops the grid for good; says so if it does.
  bool stopsAt(const emu::GridEvent &E);
  bool stopsAtBreakpoint(const emu::GridEvent &E);
  /// The lanes that have come to \p B, which may be none.
  uint32_t lanesAt(const Breakpoint &B, const emu::GridEvent &E) const;
  void reportFault(const emu::GridEvent &E);
  void reportOver();
  /// The first lane of \p Lanes for which the condition holds; none if there is
  /// none. A condition that cannot be evaluated holds.
  std::optional<unsigned> laneFor(const Breakpoint &B, emu::WarpPlace W,
                                  uint32_t Lanes);
  /// The same for lanes that stand at \p PC, often.
  std::optional<unsigned> laneAt(Breakpoint &B, emu::WarpPlace W, uint32_t PC,
                                 uint32_t Lanes);
  void setFocus(emu::WarpPlace W, unsigned Lane);
  /// Says which thread the focus is on, if that is another one than before.
  void sayFocus();
  void showStop(bool WithFrame);
  void showDisplays();
  const std::vector<uint8_t> &stops();
  void runBreakpointCommands(const Breakpoint &B);
  std::string launchText() const;
  std::string focusText(const Focus &F) const;

  // Watchpoints.cpp.
  llvm::Error addWatch(llvm::StringRef Arguments, uint8_t On);
  llvm::Error watch(Breakpoint &B, llvm::StringRef Spec, uint8_t On);
  llvm::Expected<std::optional<FollowedValue>>
  followed(llvm::StringRef Spec, std::optional<Value> Now);
  std::optional<unsigned> hitOf(Breakpoint &B, emu::WarpPlace W,
                                uint32_t Lanes);
  std::string accessText(uint32_t PC) const;
  bool stopsAtWatch(const emu::GridEvent &E);
  std::string endOf(const FollowedValue &F) const;
  /// None where it is nowhere.
  std::optional<Value> valueOf(const FollowedValue &F);
  bool stopsAtFollowed(const emu::GridEvent &E);

  // Stepping.cpp.
  enum class StepResult { Done, Stopped, Exited };
  StepResult stepInstruction();
  StepResult stepLine(bool Over);
  StepResult stepPrologue();
  llvm::Error stepMany(llvm::StringRef Arguments, bool Over, bool Instruction);
  StepResult runToDepth(size_t Depth);
  void afterStep(StepResult R, bool WithFrame);
  size_t depthOf(const Focus &F, uint32_t PC) const;
  size_t depth() const;
  std::optional<std::pair<std::string, uint32_t>> lineHere() const;

  // Reverse.cpp.
  struct Past {
    uint64_t Step;
    uint32_t PC;
    uint32_t Depth;
  };
  struct LastStop {
    uint64_t Step = 0;
    emu::WarpPlace Warp;
    unsigned Lane = 0, Number = 0;
  };
  llvm::Expected<std::vector<Past>> pastOfFocus();
  /// The same for a step back; \p Count is how many \p Arguments ask for.
  llvm::Expected<std::vector<Past>> pastForStep(llvm::StringRef Arguments,
                                                uint64_t &Count);
  struct PastValue {
    unsigned Lane = 0;
    Value Now;
  };
  using PastValues = std::map<unsigned, PastValue>; ///< By breakpoint.
  std::optional<unsigned> followedSince(const emu::GridEvent &E,
                                        PastValues &Values);
  llvm::Expected<std::optional<LastStop>> lastStop();
  llvm::Error goBackTo(uint64_t Step);
  llvm::Error backOverLines(llvm::StringRef Arguments, bool Over);

  // Locations.cpp.
  llvm::Expected<std::vector<CodePlace>>
  findPlaces(llvm::StringRef Spec, bool &MayCome, bool OfStop = true);
  std::string absolute(llvm::StringRef Spec) const;
  void resolve(Breakpoint &B);
  Breakpoint *findBreakpoint(llvm::StringRef Number, std::string &Why);
  /// Calls \p Do for each breakpoint whose number is named; an unknown one ends
  /// that with an error.
  llvm::Error forBreakpoints(llvm::StringRef Numbers,
                             llvm::function_ref<void(Breakpoint &)> Do);
  llvm::Error addBreakpoint(llvm::StringRef Arguments, bool Temporary);
  llvm::Error addCatchpoint(llvm::StringRef Arguments, bool Temporary);
  llvm::Error changeBreakpoints(llvm::StringRef Arguments, bool Enable);
  void erase(unsigned Number);
  std::string placeText(CodePlace P, llvm::StringRef Spec) const;
  /// The line of a place in the file that \p Spec names.
  std::optional<SourceLine> lineOf(CodePlace P, llvm::StringRef Spec) const;
  std::string defaultFile() const;
  /// Why modules whose PTX \p File is have no lines in it, a line for each.
  std::string whyNoPTXLines(llvm::StringRef File) const;

  // Frames.cpp.
  std::vector<Frame> frames() const { return framesOf(*At); }
  std::vector<Frame> framesOf(const Focus &F) const;
  std::string frameText(const Frame &F) const;
  void showFrame(bool WithLine);
  void showLine(const Frame &F, bool IsMiddle);
  /// A line of a source file, or of the PTX that a module was made of.
  std::optional<llvm::StringRef> sourceLine(const std::string &File,
                                            unsigned Number);
  unsigned countSourceLines(const std::string &File);
  llvm::ArrayRef<std::string> ptxText(llvm::StringRef File);
  uint32_t pcOfFocus() const;
  llvm::StringRef nameOf(const rt::ParamInfo &P) const;
  std::string parametersText() const;
  /// A parameter's value; nothing if it cannot be read.
  std::optional<Value> parameterOf(const rt::ParamInfo &P) const;
  llvm::Error selectFrame(size_t Number);

  // Variables.cpp.
  /// The arguments or the local variables of a frame, a line each.
  void showVariables(bool Arguments, size_t Frame, llvm::StringRef Indent = "");
  /// `value=2, limit=...` of a function; nothing if its arguments are unknown.
  std::string argumentsText(size_t Frame) const;
  /// The type of what an expression names; null if that takes a value.
  const Type *declaredType(llvm::StringRef Name) const;
  /// A type of the source, unless a variable hides it; null if there is none.
  const Type *sourceType(llvm::StringRef Name);

  /// The value, or that there is none.
  std::string textOf(llvm::Expected<Value> V);

  // Data.cpp.
  /// As print shows it, with the text that a pointer to characters points to.
  std::string valueText(const Value &V, Format F = {});
  llvm::Expected<std::string> stringAt(MemorySpace Space, uint64_t &Address);
  llvm::Expected<const Type *> typeOf(llvm::StringRef Text);
  llvm::Expected<Value> evaluate(llvm::StringRef Text);
  llvm::Error examine(const Format &F, llvm::StringRef Text);
  // Each sets NextExamined.
  llvm::Error examineCode(uint64_t Count, const Value &At);
  llvm::Error examineStrings(uint64_t Count, const Value &At);
  llvm::Error examineUnits(const Format &F, const Value &At);
  void remember(Value V);

  // Settings.cpp.
  llvm::Error setCuda(llvm::StringRef Name, llvm::StringRef Value);
  llvm::Error setPrint(llvm::StringRef Name, llvm::StringRef Value);
  llvm::Error setLines(llvm::StringRef Which);
  std::optional<llvm::Error> setSetting(llvm::StringRef Name,
                                        llvm::StringRef Rest);
  llvm::Error setProgramArguments(llvm::StringRef Text);

  // Scripts.cpp.
  llvm::Expected<std::string> converted(llvm::StringRef Flags, char Letter,
                                        llvm::StringRef Text);
  llvm::Expected<std::string> formatted(llvm::StringRef Text,
                                        llvm::ArrayRef<llvm::StringRef> Values);
  /// Has commands carried out in front of all others.
  void carryOut(llvm::ArrayRef<std::string> Commands);
  bool takePending(std::string &Line);
  llvm::Error callUser(llvm::ArrayRef<std::string> Commands,
                       llvm::StringRef Arguments);
  std::vector<std::string> readBlock();
  llvm::Expected<bool> isTrue(llvm::StringRef Condition);
  static std::vector<std::string> expanded(llvm::ArrayRef<std::string> Commands,
                                           llvm::StringRef Arguments);

  // Symbols.cpp.
  llvm::Error infoSymbol(llvm::StringRef Text);
  llvm::Error infoAddress(llvm::StringRef Name);
  llvm::Error infoScope(llvm::StringRef Spec);
  llvm::Error printMatching(std::vector<std::string> Names,
                            llvm::StringRef Pattern);
  llvm::Error infoFunctions(llvm::StringRef Pattern);
  llvm::Error infoTypes(llvm::StringRef Pattern);
  llvm::Error infoVariables(llvm::StringRef Pattern);
  llvm::Error showRegister(llvm::StringRef Name);
  std::string instructionLine(uint32_t PC, bool Marked) const;

  // Json.cpp.
  llvm::Expected<llvm::json::Object>
  valuesJson(llvm::StringRef Text, llvm::ArrayRef<emu::WarpPlace> Warps);
  llvm::json::Object stopJson();
  llvm::json::Object warpsJson();
  llvm::json::Object describedValue(llvm::Expected<Value> Found);
  llvm::json::Object variablesJson(llvm::StringRef Kind);
  llvm::json::Object breakpointsJson() const;
  llvm::json::Object codeJson();

  // Info.cpp.
  std::vector<emu::WarpPlace> warpsOf(uint64_t CTA) const;
  std::string breakpointsTable(bool OnlyWatches) const;
  llvm::Error infoArguments(llvm::StringRef);
  llvm::Error infoBreakpoints(llvm::StringRef);
  llvm::Error infoCuda(llvm::StringRef Arguments);
  llvm::Error infoDisplay(llvm::StringRef);
  llvm::Error infoFrame(llvm::StringRef);
  llvm::Error infoLocals(llvm::StringRef);
  llvm::Error infoSource(llvm::StringRef);
  llvm::Error infoThreads(llvm::StringRef);
  llvm::Error infoWatchpoints(llvm::StringRef);
  std::string invocationText() const;
  llvm::Error infoRegisters(llvm::StringRef Names);
  llvm::Error infoLine(llvm::StringRef Spec);
  std::string lanesText(emu::WarpPlace W, unsigned Lane, uint32_t Lanes) const;

  // InfoMemory.cpp.
  /// The mbarrier in whose memory an expression is.
  llvm::Error infoMBarrier(llvm::StringRef Text);
  std::string waitingText(const emu::MBarrierUse &U) const;
  void infoMBarriers();
  void infoTensorMemory();

public:
  // Commands.def.
#define HEDDLE_COMMAND(Name, Least, Function, Help)                            \
  llvm::Error Function(llvm::StringRef Arguments);
#define HEDDLE_ALIAS(Name, Of)
#include "Commands.def"

private:
  Console &C;
  SessionOptions Options;
  TypePool Types;
  SourceFiles Sources;
  std::mutex GridMutex; ///< Of grids that want to run.
  /// Of all that follows. Whoever carries out commands has it, but while the
  /// grid runs.
  std::recursive_mutex StateMutex;
  std::vector<std::unique_ptr<Module>> Modules;

  std::unique_ptr<class CoreGrid> Core; ///< The core file that is open.
  emu::DebuggedGrid *Grid = nullptr;    ///< At rest; null: none is.
  const Module *Code = nullptr;         ///< Of the grid.
  uint64_t Kernels = 0;                 ///< That have begun.
  bool IsOver = false;                  ///< The grid is done.
  bool IsRunning = false;               ///< `run` has not come back.
  bool Quitting = false, Killing = false;
  bool Silent = false;           ///< Nothing is printed.
  std::atomic<bool> Left{false}; ///< The program goes on without it.
  std::optional<Focus> At;
  std::string SaidFocus; ///< What sayFocus said last.
  size_t SelectedFrame = 0;

  std::vector<Breakpoint> Breakpoints;
  unsigned LastBreakpoint = 0;
  bool StopsChanged = true;
  std::vector<uint8_t> Stops;      ///< For the grid's code.
  std::vector<uint32_t> Temporary; ///< PCs of the focus warp at which a command
                                   ///< ends.
  bool HitTemporary = false;
  std::vector<std::pair<unsigned, emu::WatchRange>> Watches;
  std::vector<emu::WarpPlace> FollowedWarps; ///< Of FollowedValue.
  std::atomic<bool> Interrupt{false};

  std::map<std::string, std::vector<std::string>> UserCommands;
  std::vector<std::string> Pending; ///< Commands of breakpoints, last first.
  /// How many commands of the user's are within each other.
  unsigned CallDepth = 0;
  std::string LastCommand;
  std::map<std::string, Value> Convenience;
  std::vector<Value> History;
  struct Display {
    unsigned Number;
    Format F;
    bool IsMemory;
    std::string Text;
    std::string Command; ///< That made it.
  };
  std::vector<Display> Displays;
  unsigned LastDisplay = 0;
  Format LastExamine;
  std::optional<Value> NextExamined; ///< The address behind what x has shown.
  // Settings.
  bool BreakOnLaunch = false, FreezesOthers = true;
  bool ShowsPTX = false; ///< Lines are those of PTX, where they are known.
  std::optional<bool> Records; ///< None: if memory is small.
  unsigned ListSize = 10;
  uint64_t MostElements = 200; ///< That print shows of an array or a string.
  bool PrintsPretty = false;   ///< A line for each member.
  // What list showed last.
  std::string ListFile;
  unsigned ListFrom = 0, ListTo = 0;
};

/// A thread as the place where expressions are evaluated.
class ThreadScope : public Scope {
public:
  ThreadScope(DebugSession &S, std::optional<Focus> At,
              std::optional<size_t> Frame = std::nullopt)
      : S(S), At(At), Frame(Frame) {}

  llvm::Expected<Value> lookup(llvm::StringRef Name) override;
  llvm::Expected<Value> lookupConvenience(llvm::StringRef Name) override;
  llvm::Error setConvenience(llvm::StringRef Name, const Value &V) override;
  llvm::Expected<Value> load(const Type *T, MemorySpace Space,
                             uint64_t Address) override;
  llvm::Error store(const Value &To, llvm::ArrayRef<uint8_t> Bytes) override;

  /// Variables of the source that the thread sees in its frame.
  const std::vector<SourceVariable> &variables() const;
  /// Those of the module.
  const std::vector<SourceVariable> &globals() const;
  /// What a variable is; an error if it is nowhere.
  llvm::Expected<Value> valueOf(const SourceVariable &V);
  /// Whether `$Name` is a register.
  bool isRegister(llvm::StringRef Name) {
    return At && S.Grid && registerNamed(Name).has_value();
  }

  /// The frame that names are seen from.
  struct FramePlace {
    uint32_t PC = 0;
    size_t Inlined = 0; ///< Its number among those of the instruction.
    /// The number of the call, if it has called another function.
    std::optional<size_t> Call;
  };
  FramePlace frame() const;

private:
  friend class ConditionCompiler;
  friend class DebugSession;

  /// Whether the thread does the work of several blocks, by turns or at once.
  bool isMerged() const;
  llvm::Error mergedBlock() const;
  /// The variable of the source that a name is; null if it is none.
  const SourceVariable *findVariable(llvm::StringRef Name) const;
  /// `this`, if a name means a member of what it points to; else null.
  const SourceVariable *objectWith(llvm::StringRef Member) const;
  llvm::Expected<Value> memberOf(const SourceVariable &This,
                                 llvm::StringRef Name);
  std::optional<Value> launchedWith(const SourceVariable &V, const Type *T,
                                    uint32_t PC);
  llvm::Expected<Value> assemble(llvm::ArrayRef<VariablePart> Parts,
                                 const Type *T);
  llvm::Expected<Value> globalValue(const SourceVariable &V, const Type *T,
                                    llvm::ArrayRef<VariablePart> Parts);
  std::optional<Value> builtin(llvm::StringRef Name);
  std::optional<Value> parameter(llvm::StringRef Name);
  std::optional<Value> symbol(llvm::StringRef Name);
  std::optional<Value> registerNamed(llvm::StringRef Name);

  DebugSession &S;
  std::optional<Focus> At;
  std::optional<size_t> Frame; ///< Of the focus; none: the selected one.
};

/// Splits a condition off: what is behind the word `if`.
std::pair<llvm::StringRef, llvm::StringRef>
splitCondition(llvm::StringRef Text);
/// Numbers with blanks between them, and ranges: `1 3-5`. \p Of: of what, for
/// messages.
llvm::Expected<std::vector<unsigned>> readNumbers(llvm::StringRef Text,
                                                  llvm::StringRef Of);
/// Splits what is in front of the first blank off.
std::pair<llvm::StringRef, llvm::StringRef> splitWord(llvm::StringRef Text);
/// A parameter whose type in the source is not known.
std::string parameterText(const Value &V);
/// A thread's or a CTA's coordinates: `(1,0,0)`.
std::string dimText(const rt::Dim3 &D);

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_DEBUGSESSION_H
