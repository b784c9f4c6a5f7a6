//===- Standby.cpp - Debuggers that come while a program runs ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid that is about to begin asks whether somebody has connected. Until then
// only the modules that are loaded are remembered.
//
//===----------------------------------------------------------------------===//

#include "heddle/Debugger/Link.h"
#include "llvm/ADT/STLExtras.h"

#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace heddle::debug {

namespace {

class Standby final : public emu::Debugger {
public:
  Standby(int Listening, CodeTools Tools)
      : Listening(Listening), Process(::getpid()), Tools(std::move(Tools)) {}

  void load(std::shared_ptr<const emu::CodeDescription> Code) override {
    std::lock_guard Lock(Mutex);
    if (Attached)
      Attached->load(Code);
    Modules.push_back(std::move(Code));
  }
  void unload(const emu::CodeDescription &Code) override {
    std::lock_guard Lock(Mutex);
    if (Attached)
      Attached->unload(Code);
    erase_if(Modules, [&](const auto &M) { return M.get() == &Code; });
  }
  void run(emu::DebuggedGrid &Grid) override {
    if (std::shared_ptr<Session> S = session())
      S->run(Grid);
  }
  bool wantsRewind(uint64_t Bytes) override {
    std::shared_ptr<Session> S = session();
    return S && S->wantsRewind(Bytes);
  }
  bool hasLeft() const override {
    std::lock_guard Lock(Mutex);
    if (Attached && Attached->hasLeft())
      Attached = nullptr;
    // A child of fork has the socket, and is not who is meant.
    if (!Attached && ::getpid() == Process)
      if (std::optional<int> Socket = acceptDebugger(Listening))
        begin(*Socket);
    return !Attached;
  }

private:
  std::shared_ptr<Session> session() const {
    std::lock_guard Lock(Mutex);
    return Attached;
  }
  void begin(int Socket) const {
    Attached = makeSessionOver(Socket, Tools);
    for (const auto &Module : Modules)
      Attached->load(Module);
    Attached->begin();
  }

  const int Listening;
  const pid_t Process;
  const CodeTools Tools;
  mutable std::mutex Mutex; ///< Of what follows.
  std::vector<std::shared_ptr<const emu::CodeDescription>> Modules;
  mutable std::shared_ptr<Session> Attached; ///< Null: nobody.
};

} // namespace

Expected<std::shared_ptr<emu::Debugger>> createStandby(CodeTools Tools) {
  Expected<int> Listening = listenForDebuggers();
  if (!Listening)
    return Listening.takeError();
  return std::make_shared<Standby>(*Listening, std::move(Tools));
}

} // namespace heddle::debug
