//===- CompilerLoader.cpp - Finds and loads the compiler --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the ELF notes of the compiler's library, and opens it.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Driver/BackgroundTuning.h"

#include "heddle/Driver/CompilerProcess.h"

#include "heddle-cache/Bytes.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

/// The notes stand near the front of the library, before its code.
static constexpr size_t FrontSize = 8192;
/// Owner and type of the note with the digest of the ISA (isa-note.py).
static constexpr std::string_view ISAOwner("Heddle\0", 7);
static constexpr uint32_t ISAType = 2;

/// The file that holds this code.
static std::string ownPath() {
  Dl_info Info;
  char Path[PATH_MAX];
  if (dladdr(reinterpret_cast<const void *>(&ownPath), &Info) &&
      Info.dli_fname && std::strstr(Info.dli_fname, ".so") &&
      ::realpath(Info.dli_fname, Path))
    return Path;
  // Of the program itself, dladdr knows only what it was called by.
  ssize_t Size = ::readlink("/proc/self/exe", Path, sizeof(Path));
  return Size > 0 ? std::string(Path, static_cast<size_t>(Size)) : "";
}

static std::string libraryPath(const char *Name) {
  std::string Folder = ownPath();
  Folder.resize(std::min(Folder.rfind('/'), Folder.size()));
  for (const char *Place :
       {"/", "/../", "/../" HEDDLE_LIBRARY_FOLDER "/", "/../bin/"}) {
    std::string Path = Folder + Place + Name;
    if (::access(Path.c_str(), F_OK) == 0)
      return Path;
  }
  return Folder + "/../lib/" + Name;
}

std::string compilerLibraryPath() {
  return libraryPath("libheddle-compiler.so");
}

std::string compilerProcessPath() {
  return libraryPath("heddle-compiler-process");
}

std::string tunerPath() { return libraryPath("ptx-tune"); }

std::string remoteLibraryPath() {
  return libraryPath("libheddle-cache-remote.so");
}

std::string nativeLibraryPath() { return libraryPath("libheddle-native.so"); }

static std::string toHex(std::string_view Bytes) {
  static constexpr char Digits[] = "0123456789abcdef";
  std::string Text;
  for (unsigned char C : Bytes) {
    Text += Digits[C >> 4];
    Text += Digits[C & 15];
  }
  return Text;
}

/// Reads the notes of one segment.
static void readNotes(std::string_view Notes, CompilerIdentity &Identity) {
  cache::ByteReader Reader(Notes);
  auto Padding = [](uint32_t Size) { return -Size % 4; };
  while (Reader.ok() && !Reader.atEnd()) {
    uint32_t OwnerSize = Reader.number<uint32_t>();
    uint32_t Size = Reader.number<uint32_t>();
    uint32_t Type = Reader.number<uint32_t>();
    std::string_view Owner = Reader.take(OwnerSize);
    Reader.take(Padding(OwnerSize));
    std::string_view Contents = Reader.take(Size);
    if (Reader.remaining())
      Reader.take(Padding(Size));
    if (Owner == std::string_view("GNU\0", 4) && Type == NT_GNU_BUILD_ID)
      Identity.Build = toHex(Contents);
    if (Owner == ISAOwner && Type == ISAType)
      Identity.ISA = Contents;
  }
}

CompilerIdentity readCompilerIdentity(const std::string &Path) {
  CompilerIdentity Identity;
  int FD = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (FD < 0)
    return Identity;
  std::string Front(FrontSize, '\0');
  ssize_t Read = ::pread(FD, Front.data(), Front.size(), 0);
  ::close(FD);
  Front.resize(Read > 0 ? static_cast<size_t>(Read) : 0);
  if (Front.size() < sizeof(Elf64_Ehdr) || !Front.starts_with(ELFMAG))
    return Identity;
  uint64_t Table =
      cache::numberAt<uint64_t>(Front, offsetof(Elf64_Ehdr, e_phoff));
  unsigned Count =
      cache::numberAt<uint16_t>(Front, offsetof(Elf64_Ehdr, e_phnum));
  for (unsigned I = 0; I != Count; ++I) {
    uint64_t At = Table + I * sizeof(Elf64_Phdr);
    if (At > Front.size() || Front.size() - At < sizeof(Elf64_Phdr))
      break;
    uint32_t Type =
        cache::numberAt<uint32_t>(Front, At + offsetof(Elf64_Phdr, p_type));
    uint64_t Offset =
        cache::numberAt<uint64_t>(Front, At + offsetof(Elf64_Phdr, p_offset));
    uint64_t Size =
        cache::numberAt<uint64_t>(Front, At + offsetof(Elf64_Phdr, p_filesz));
    if (Type == PT_NOTE && Offset <= Front.size() &&
        Size <= Front.size() - Offset)
      readNotes(std::string_view(Front).substr(Offset, Size), Identity);
  }
  return Identity;
}

const CompilerInterface *loadCompiler(const std::string &Path,
                                      std::string &Error) {
  void *Library = ::dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    Error = std::string("cannot load the compiler: ") + ::dlerror();
    return nullptr;
  }
  auto *Get = reinterpret_cast<decltype(&heddleCompilerInterface)>(
      ::dlsym(Library, "heddleCompilerInterface"));
  const CompilerInterface *Interface = Get ? Get() : nullptr;
  if (!Interface || Interface->Layout != compilerInterfaceLayout()) {
    Error = "cannot use the compiler: " + Path + " is of another build";
    return nullptr;
  }
  return Interface;
}

} // namespace heddle
