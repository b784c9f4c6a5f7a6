//===- Wire.cpp - What hosts of a group tell each other ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TCP over IPv4.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Wire.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

#include <arpa/inet.h>
#include <cstdlib>
#include <fstream>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::collectives {

Socket::~Socket() {
  if (isValid())
    close(Descriptor);
}

/// Whether an interface is one that NCCL_SOCKET_IFNAME lets be used: names
/// begin with one of its words, or are one of them after `=`; after `^` they do
/// not and are not.
static bool isWanted(StringRef Name, StringRef Words) {
  bool Excludes = Words.consume_front("^"), IsExact = Words.consume_front("=");
  bool IsNamed = false;
  while (!Words.empty()) {
    auto [Word, Rest] = Words.split(',');
    IsNamed |= IsExact ? Name == Word : !Word.empty() && Name.starts_with(Word);
    Words = Rest;
  }
  return IsNamed != Excludes;
}

/// The address of the first interface that is wanted; without a wish the
/// loopback comes last. 0 if there is none.
static uint32_t ownAddress() {
  const char *Words = std::getenv("NCCL_SOCKET_IFNAME");
  ifaddrs *All = nullptr;
  if (getifaddrs(&All) != 0)
    return 0;
  uint32_t Found = 0, Loopback = 0;
  for (ifaddrs *I = All; I; I = I->ifa_next) {
    if (!I->ifa_addr || I->ifa_addr->sa_family != AF_INET ||
        !(I->ifa_flags & IFF_UP))
      continue;
    uint32_t Address =
        reinterpret_cast<const sockaddr_in *>(I->ifa_addr)->sin_addr.s_addr;
    bool IsLoopback = I->ifa_flags & IFF_LOOPBACK;
    if (Words && *Words ? !isWanted(I->ifa_name, Words) : IsLoopback)
      Loopback = IsLoopback && !(Words && *Words) ? Address : Loopback;
    else if (!Found)
      Found = Address;
  }
  freeifaddrs(All);
  return Found ? Found : Loopback;
}

static sockaddr_in socketAddress(const HostAddress &A) {
  sockaddr_in S = {};
  S.sin_family = AF_INET;
  S.sin_port = A.Port;
  S.sin_addr.s_addr = A.IPv4;
  return S;
}

Socket Socket::listen(HostAddress &Where) {
  Where = {ownAddress(), 0, 0};
  Socket S(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in Address = socketAddress(Where);
  socklen_t Size = sizeof(Address);
  auto *Any = reinterpret_cast<sockaddr *>(&Address);
  constexpr int Waiting = 128;
  if (!Where.IPv4 || !S.isValid() || bind(S.Descriptor, Any, Size) != 0 ||
      ::listen(S.Descriptor, Waiting) != 0 ||
      getsockname(S.Descriptor, Any, &Size) != 0) {
    Where = {};
    return Socket();
  }
  Where.Port = Address.sin_port;
  return S;
}

/// Messages are small and awaited.
static void sendAtOnce(int Descriptor) {
  int On = 1;
  setsockopt(Descriptor, IPPROTO_TCP, TCP_NODELAY, &On, sizeof(On));
}

Socket Socket::connect(const HostAddress &To) {
  Socket S(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in Address = socketAddress(To);
  if (!S.isValid() ||
      ::connect(S.Descriptor, reinterpret_cast<sockaddr *>(&Address),
                sizeof(Address)) != 0)
    return Socket();
  sendAtOnce(S.Descriptor);
  return S;
}

static bool isReadable(int Descriptor, int Milliseconds) {
  pollfd P = {Descriptor, POLLIN, 0};
  return poll(&P, 1, Milliseconds) > 0;
}

bool Socket::isReady() const { return isReadable(Descriptor, 0); }

Socket Socket::accept(int Milliseconds) const {
  if (!isReadable(Descriptor, Milliseconds))
    return Socket();
  Socket S(accept4(Descriptor, nullptr, nullptr, SOCK_CLOEXEC));
  if (S.isValid())
    sendAtOnce(S.Descriptor);
  return S;
}

void Socket::setPatience(unsigned Seconds) const {
  timeval Time = {static_cast<time_t>(Seconds), 0};
  setsockopt(Descriptor, SOL_SOCKET, SO_RCVTIMEO, &Time, sizeof(Time));
}

bool Socket::send(const void *From, size_t Bytes) const {
  const char *Next = static_cast<const char *>(From);
  while (Bytes != 0) {
    ssize_t Done = ::send(Descriptor, Next, Bytes, MSG_NOSIGNAL);
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    Next += Done;
    Bytes -= Done;
  }
  return true;
}

bool Socket::receive(void *To, size_t Bytes) const {
  char *Next = static_cast<char *>(To);
  while (Bytes != 0) {
    ssize_t Done = recv(Descriptor, Next, Bytes, 0);
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    Next += Done;
    Bytes -= Done;
  }
  return true;
}

uint64_t hostHash() {
  std::string Name;
  if (const char *Given = std::getenv("NCCL_HOSTID"); Given && *Given) {
    Name = Given;
  } else {
    // Processes of other containers see neither each other nor their files.
    char Text[256] = {};
    gethostname(Text, sizeof(Text) - 1);
    Name = Text;
    std::string Boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> Boot;
    Name += Boot;
    ssize_t Bytes = readlink("/proc/self/ns/pid", Text, sizeof(Text));
    Name.append(Text, std::max<ssize_t>(Bytes, 0));
  }
  return xxh3_64bits(Name);
}

} // namespace heddle::cuda::collectives
