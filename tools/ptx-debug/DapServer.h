//===- DapServer.h - The debugger behind an editor --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A console whose user is an editor that speaks the Debug Adapter Protocol over
// standard input and output. Each request becomes commands of the session, and
// what they print becomes the response. A warp is a thread of the protocol.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_DEBUG_DAPSERVER_H
#define HEDDLE_TOOLS_PTX_DEBUG_DAPSERVER_H

#include "Options.h"
#include "heddle/Debugger/Debugger.h"
#include "llvm/Support/JSON.h"

#include <deque>
#include <map>
#include <optional>
#include <set>

namespace heddle::debug {

class DapServer : public Console {
public:
  /// The request `launch` says in \p O what to run. Standard output becomes
  /// standard error for all others, such as the program.
  explicit DapServer(Options &O);

  bool read(std::string &Line, llvm::StringRef Prompt) override;
  void write(llvm::StringRef Text) override { Captured += Text.str(); }
  bool wantsInterrupt() override;
  int interruptDescriptor() const override;

private:
  /// Commands on behalf of a request, and what to do with what they print.
  struct Job {
    std::deque<std::string> Commands;
    std::vector<std::string> Outputs;
    std::function<void(DapServer &, llvm::ArrayRef<std::string> Outputs)> Done;
  };
  using Finish =
      std::function<void(DapServer &, llvm::ArrayRef<std::string> Outputs)>;

  // The protocol.
  std::optional<llvm::json::Object> readMessage();
  bool fill();
  void send(llvm::json::Object Message);
  void respond(llvm::json::Value Body = nullptr);
  void refuse(llvm::StringRef Why);
  void event(llvm::StringRef Name, llvm::json::Value Body = nullptr);
  void output(llvm::StringRef Text);

  // Requests; the one that is being answered is Request.
  void handle();
  void disconnect();
  void initialize();
  void launch();
  void setBreakpoints();
  void setFunctionBreakpoints();
  void setDataBreakpoints();
  void setInstructionBreakpoints();
  void replaceBreakpoints(std::vector<unsigned> &Old,
                          std::vector<std::string> Commands);
  void threads();
  void stackTrace();
  void scopes();
  void variables();
  void evaluate();
  void evaluateInConsole(std::vector<std::string> Select, std::string Command);
  void disassemble();
  void resume(llvm::StringRef Command);
  void step(llvm::StringRef Line, llvm::StringRef Instruction);
  void start(std::vector<std::string> Commands, Finish Done);
  void reportStop(llvm::StringRef Text, llvm::StringRef Stop);
  void reportPlaces(llvm::StringRef Known);
  /// Variables, or the members of one, as the protocol has them.
  llvm::json::Array listOf(const llvm::json::Array &Variables);
  const llvm::json::Object &arguments() const;
  /// The commands that make a thread of the protocol the focus.
  std::vector<std::string> focusOn(int64_t Thread) const;
  /// The commands that select a frame of the protocol, and say where that is;
  /// none: it is not there.
  std::optional<std::vector<std::string>> select(int64_t Frame);
  /// Whether they have: the warp may have come to its end meanwhile.
  bool hasSelected(llvm::StringRef Stop);

  Options &O;
  int Out;            ///< Where messages go.
  std::string Buffer; ///< Read, and not yet taken.
  bool AtEnd = false;
  int64_t Sequence = 0;
  llvm::json::Object Request;
  std::deque<llvm::json::Object> Waiting;
  std::optional<Job> Current;
  std::string Captured;
  struct Warp {
    std::string Block; ///< `1,0,0`
    int64_t Number = 0;
  };
  std::map<int64_t, Warp> Warps; ///< By thread of the protocol.
  int64_t Focus = 0;             ///< Likewise.
  struct Frame {
    int64_t Thread, Number;
  };
  /// Those that the editor was told of, until the program goes on: a frame of
  /// the protocol is its number here, from 1 on.
  std::vector<Frame> Frames;
  /// Structures and arrays that the editor may ask the members of, until the
  /// program goes on; references to them follow those of scopes.
  std::vector<llvm::json::Array> Members;
  std::map<std::string, std::vector<unsigned>> BySource; ///< Breakpoints.
  std::set<unsigned> Pending; ///< Those whose code is not loaded yet.
  std::vector<unsigned> OfFunctions, OfData, OfInstructions;
};

} // namespace heddle::debug

#endif // HEDDLE_TOOLS_PTX_DEBUG_DAPSERVER_H
