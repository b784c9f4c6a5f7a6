//===- Protocol.cpp - Messages over the service's socket --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packet is a magic number, which changes with the protocol, the kind, the
// length of the text, two numbers and a UUID, all little-endian, and the text.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Protocol.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
namespace endian = llvm::support::endian;

namespace heddle::deviced {

static constexpr uint64_t Magic = 0x3156444c44444548; // "HEDDLDV1"

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

namespace {
constexpr uint32_t NumRequests = 0
#define HEDDLE_REQUEST(...) +1
#include "heddle/DeviceService/Messages.def"
    ;
constexpr uint32_t NumMessages = NumRequests
#define HEDDLE_ANSWER(...) +1
#include "heddle/DeviceService/Messages.def"
    ;
} // namespace

std::string encode(const Message &M) {
  StringRef Text = StringRef(M.Text).take_front(MaxTextBytes);
  std::string Bytes(HeaderBytes, 0);
  char *At = Bytes.data();
  endian::write64le(At, Magic);
  endian::write32le(At + 8, static_cast<uint32_t>(M.Kind));
  endian::write32le(At + 12, Text.size());
  endian::write64le(At + 16, M.First);
  endian::write64le(At + 24, M.Second);
  copy(M.Device, At + 32);
  Bytes += Text;
  return Bytes;
}

static std::optional<Message> decode(StringRef Bytes, uint32_t First,
                                     uint32_t End) {
  if (Bytes.size() < HeaderBytes || endian::read64le(Bytes.data()) != Magic)
    return std::nullopt;
  uint32_t Kind = endian::read32le(Bytes.data() + 8);
  uint32_t Length = endian::read32le(Bytes.data() + 12);
  if (Kind < First || Kind >= End || Length != Bytes.size() - HeaderBytes)
    return std::nullopt;
  Message M = {static_cast<MessageKind>(Kind)};
  M.First = endian::read64le(Bytes.data() + 16);
  M.Second = endian::read64le(Bytes.data() + 24);
  copy(Bytes.substr(32, M.Device.size()), M.Device.begin());
  M.Text = Bytes.drop_front(HeaderBytes).str();
  return M;
}

std::optional<Message> decodeRequest(StringRef Bytes) {
  if (Bytes.size() != HeaderBytes)
    return std::nullopt;
  return decode(Bytes, 0, NumRequests);
}

std::optional<Message> decodeAnswer(StringRef Bytes) {
  return decode(Bytes, NumRequests, NumMessages);
}

//===----------------------------------------------------------------------===//
// Sockets
//===----------------------------------------------------------------------===//

Descriptor::~Descriptor() {
  if (Number >= 0)
    ::close(Number);
}

std::string defaultSocket() {
  const char *Folder = std::getenv("XDG_RUNTIME_DIR");
  return Folder && *Folder ? std::string(Folder) + "/heddle-deviced.socket"
                           : std::string();
}

ServiceAddress serviceAddress() {
  const char *Named = std::getenv("HEDDLE_DEVICE_SERVICE");
  if (Named && *Named) {
    if (StringRef(Named) == "off")
      return {};
    return {Named, /*IsNamed=*/true};
  }
  std::string Path = defaultSocket();
  struct stat Status = {};
  if (Path.empty() || ::stat(Path.c_str(), &Status) != 0 ||
      !S_ISSOCK(Status.st_mode))
    return {};
  return {Path, /*IsNamed=*/false};
}

static Error failure(const Twine &What) {
  return createStringError(What + ": " + std::strerror(errno));
}

Expected<Descriptor> connectTo(StringRef Path, std::chrono::seconds Patience) {
  sockaddr_un Address = {};
  Address.sun_family = AF_UNIX;
  if (Path.size() >= sizeof(Address.sun_path))
    return createStringError("the path of the socket '" + Path +
                             "' is too long");
  copy(Path, Address.sun_path);
  Descriptor Socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!Socket)
    return failure("a socket");
  timeval Limit = {.tv_sec = Patience.count(), .tv_usec = 0};
  ::setsockopt(Socket.get(), SOL_SOCKET, SO_RCVTIMEO, &Limit, sizeof(Limit));
  ::setsockopt(Socket.get(), SOL_SOCKET, SO_SNDTIMEO, &Limit, sizeof(Limit));
  if (::connect(Socket.get(), reinterpret_cast<sockaddr *>(&Address),
                sizeof(Address)) != 0)
    return failure("no device service at '" + Path + "'");
  return std::move(Socket);
}

bool sendPacket(int Socket, StringRef Bytes, int Flags, int Passed) {
  iovec Part = {const_cast<char *>(Bytes.data()), Bytes.size()};
  msghdr Header = {};
  Header.msg_iov = &Part;
  Header.msg_iovlen = 1;
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  if (Passed >= 0) {
    Header.msg_control = Control;
    Header.msg_controllen = sizeof(Control);
    cmsghdr *C = CMSG_FIRSTHDR(&Header);
    C->cmsg_level = SOL_SOCKET;
    C->cmsg_type = SCM_RIGHTS;
    C->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(C), &Passed, sizeof(int));
  }
  ssize_t Sent;
  do
    Sent = ::sendmsg(Socket, &Header, Flags | MSG_NOSIGNAL);
  while (Sent < 0 && errno == EINTR);
  return Sent == static_cast<ssize_t>(Bytes.size());
}

/// What came along with a packet.
static Descriptor passedWith(msghdr &Header) {
  Descriptor First;
  for (cmsghdr *C = CMSG_FIRSTHDR(&Header); C; C = CMSG_NXTHDR(&Header, C)) {
    if (C->cmsg_level != SOL_SOCKET || C->cmsg_type != SCM_RIGHTS)
      continue;
    int Number = -1;
    std::memcpy(&Number, CMSG_DATA(C), sizeof(int));
    First = Descriptor(Number);
  }
  return First;
}

Expected<Message> receiveAnswer(int Socket, size_t MostText,
                                Descriptor *Passed) {
  std::string Bytes(HeaderBytes + MostText, 0);
  iovec Part = {Bytes.data(), Bytes.size()};
  msghdr Header = {};
  Header.msg_iov = &Part;
  Header.msg_iovlen = 1;
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  Header.msg_control = Control;
  Header.msg_controllen = sizeof(Control);
  // Linux tells of an end that came in front of what was sent to the other side
  // once, before the packets that are there.
  ssize_t Length;
  bool WasReset = false;
  do
    Length = ::recvmsg(Socket, &Header, MSG_CMSG_CLOEXEC);
  while (Length < 0 && (errno == EINTR || (errno == ECONNRESET &&
                                           !std::exchange(WasReset, true))));
  if (Length < 0)
    return failure("the device service");
  Descriptor Got = passedWith(Header);
  if (Length == 0)
    return createStringError("the device service is gone");
  std::optional<Message> M = decodeAnswer(StringRef(Bytes.data(), Length));
  if (!M)
    return createStringError("the device service speaks another protocol");
  if (M->Kind == MessageKind::Refused)
    return createStringError("the device service: " + M->Text);
  if (Passed)
    *Passed = std::move(Got);
  return std::move(*M);
}

Expected<std::string> ask(StringRef Path, MessageKind Question,
                          std::chrono::seconds Patience) {
  Expected<Descriptor> Socket = connectTo(Path, Patience);
  if (!Socket)
    return Socket.takeError();
  // A service that refuses everything may have closed by now, and said why.
  sendPacket(Socket->get(), encode({Question}), 0);
  Expected<Message> M = receiveAnswer(Socket->get(), MaxTextBytes);
  if (!M)
    return M.takeError();
  return std::move(M->Text);
}

} // namespace heddle::deviced
