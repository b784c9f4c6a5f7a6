//===- Debugger.h - A debugger of kernels -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session of the debugger: it watches the grids of an emulator, and carries
// out the commands that a console gives it, which are gdb's and cuda-gdb's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEBUGGER_DEBUGGER_H
#define HEDDLE_DEBUGGER_DEBUGGER_H

#include "heddle/Emulator/Debug.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::debug {

/// Instructions by the name of their section and their offset in it, in bytes.
using Disassembly = std::map<std::pair<std::string, uint64_t>, std::string>;
/// Makes it of a code object for a chip.
using Disassembler = std::function<llvm::Expected<Disassembly>(
    llvm::ArrayRef<uint8_t> Object, llvm::StringRef Chip)>;

/// Lines of instructions, by the name of their section and their offset in it.
using PlacedLines = std::map<std::pair<std::string, uint64_t>, uint32_t>;
/// The PTX that a code object was made of.
struct PTXSource {
  /// As the compiler's messages and the lines of its code call it: a file, or
  /// `<program>` for what a program had in its memory.
  std::string Name;
  std::function<llvm::Expected<std::string>()> Read; ///< Its text.
  /// The lines of the instructions in it; none if they are the object's own,
  /// or if it is not known which they are. Takes as long as to compile it.
  std::function<llvm::Expected<PlacedLines>()> FindLines;
};
/// Finds it for a code object; none: it was made of something else, or nobody
/// knows of what.
using PTXFinder = std::function<std::optional<PTXSource>(
    llvm::ArrayRef<uint8_t> Object, llvm::StringRef Chip)>;

/// What others know of code. Each may be empty: it is not known then.
struct CodeTools {
  Disassembler Disassemble;
  PTXFinder FindPTX;
};

/// Where commands come from, and what they print goes to.
class Console {
public:
  virtual ~Console();
  /// The next command, without its end of line; false if there is none any
  /// more. \p Prompt is for people.
  virtual bool read(std::string &Line, llvm::StringRef Prompt) = 0;
  virtual void write(llvm::StringRef Text) = 0;
  /// Whether someone wants the kernel that runs to stop; reset by being asked.
  virtual bool wantsInterrupt() { return false; }
  /// A file that becomes readable where someone may want that; -1: there is
  /// none.
  virtual int interruptDescriptor() const { return -1; }
  /// The program shall end and, with \p Quits, the debugger.
  virtual void end(bool Quits) {}
  /// The program goes on without the debugger.
  virtual void leave() {}
};

struct SessionOptions {
  CodeTools Tools;
  /// What `run` does: it runs the program in this process to its end. Empty:
  /// the program runs already.
  std::function<llvm::Error()> Run;
  /// What `attach` does: `run` is then about this process. Empty: there is no
  /// such command.
  std::function<llvm::Error(int Process)> Attach;
  /// What `set args` does: `run` then hands these to the program. Empty: the
  /// program runs already.
  std::function<llvm::Error(llvm::StringRef Arguments)> SetArguments;
  /// Where source files are looked for, besides where the code says.
  std::vector<std::string> SourceFolders;
};

class Session : public emu::Debugger {
public:
  /// \p C has to outlive it.
  static std::shared_ptr<Session> create(Console &C, SessionOptions Options);

  /// Opens a core file, which is a grid at rest that does not run.
  virtual llvm::Error openCore(llvm::StringRef Path) = 0;
  /// Reads and carries out commands until they end or `quit` comes.
  virtual void loop() = 0;
  /// Carries out one command, of those that need no grid at rest. What a kernel
  /// comes to rest for reads further ones from the console.
  virtual void execute(llvm::StringRef Command) = 0;
  /// The next command, of a file that is carried out or of the console.
  virtual bool readCommand(std::string &Line, llvm::StringRef Prompt) = 0;
  /// Commands that make another session stop where this one does.
  virtual std::vector<std::string> definitions() const = 0;
  /// Forgets what definitions gives, and carries such commands out in silence.
  virtual void define(llvm::ArrayRef<std::string> Definitions) = 0;
  /// Reads definitions from the console, up to the command `run`.
  virtual void begin() = 0;
  /// Whether the program shall end, since there are no more commands.
  virtual bool isQuitting() const = 0;
};

/// Writes a core file at the first fault of a device that has it for a
/// debugger.
std::shared_ptr<emu::Debugger> recordFault(std::string Path);

} // namespace heddle::debug

#endif // HEDDLE_DEBUGGER_DEBUGGER_H
