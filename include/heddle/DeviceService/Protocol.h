//===- Protocol.h - Messages over the service's socket ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packets of a Unix socket that keeps their borders. All requests have one
// size; an answer may have a text behind.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_PROTOCOL_H
#define HEDDLE_DEVICESERVICE_PROTOCOL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace heddle::deviced {

using UUID = std::array<char, 16>;

enum class MessageKind : uint32_t {
#define HEDDLE_REQUEST(Kind, ...) Kind,
#define HEDDLE_ANSWER(Kind, ...) Kind,
#include "heddle/DeviceService/Messages.def"
};

struct Message {
  MessageKind Kind;
  uint64_t First = 0, Second = 0;
  UUID Device = {};
  std::string Text = {}; ///< Of answers only.
};

constexpr size_t HeaderBytes = 8 + 4 + 4 + 8 + 8 + 16;
/// Less than what a socket has room for where nobody has changed that.
constexpr size_t MaxTextBytes = 200 << 10;
/// Of a refusal.
constexpr size_t MaxReasonBytes = 512;

std::string encode(const Message &M);
/// None if the bytes are no such message.
std::optional<Message> decodeRequest(llvm::StringRef Bytes);
std::optional<Message> decodeAnswer(llvm::StringRef Bytes);

/// Owns a descriptor.
class Descriptor {
public:
  explicit Descriptor(int Number = -1) : Number(Number) {}
  Descriptor(Descriptor &&O) : Number(O.release()) {}
  Descriptor &operator=(Descriptor &&O) {
    std::swap(Number, O.Number);
    return *this;
  }
  ~Descriptor();

  int get() const { return Number; }
  int release() {
    int Was = Number;
    Number = -1;
    return Was;
  }
  explicit operator bool() const { return Number >= 0; }

private:
  int Number;
};

/// Where the service is, as far as the environment says.
struct ServiceAddress {
  std::string Path;     ///< Empty: there is none.
  bool IsNamed = false; ///< By HEDDLE_DEVICE_SERVICE: it has to be there.
};
/// HEDDLE_DEVICE_SERVICE, where `off` means none, else heddle-deviced.socket in
/// XDG_RUNTIME_DIR if that is there.
ServiceAddress serviceAddress();
/// The default of both sides; empty without XDG_RUNTIME_DIR.
std::string defaultSocket();

/// A socket that is connected. Who does not answer at all for so long is not
/// there.
llvm::Expected<Descriptor>
connectTo(llvm::StringRef Path,
          std::chrono::seconds Patience = std::chrono::seconds(10));
/// Sends a packet, and a descriptor with it unless it is negative.
bool sendPacket(int Socket, llvm::StringRef Bytes, int Flags, int Passed = -1);
/// Waits for an answer of the service, with a text of at most \p MostText
/// bytes; what it passes along goes to \p Passed.
llvm::Expected<Message> receiveAnswer(int Socket, size_t MostText,
                                      Descriptor *Passed = nullptr);
/// Asks a service something that is answered by a text.
llvm::Expected<std::string>
ask(llvm::StringRef Path, MessageKind Question,
    std::chrono::seconds Patience = std::chrono::seconds(10));

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_PROTOCOL_H
