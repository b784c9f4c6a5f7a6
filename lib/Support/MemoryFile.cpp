//===- MemoryFile.cpp - Memory that several processes map -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// memfd_create and mmap. Another process's file is opened by way of /proc,
// which the system allows to who may read that process's memory.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/MemoryFile.h"

#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

/// What /proc calls the files; those of the host's memory have more of a name.
static constexpr const char *Name = "heddle";
static constexpr const char *HostName = "heddle-host";

std::optional<MemoryFile> MemoryFile::create(uint64_t Size, Place Of) {
  MemoryFile File(
      memfd_create(Of == Place::Host ? HostName : Name, MFD_CLOEXEC));
  if (File.Descriptor < 0 || !File.resize(Size))
    return std::nullopt;
  return File;
}

static bool isRegular(int Descriptor) {
  struct stat Status;
  return fstat(Descriptor, &Status) == 0 && S_ISREG(Status.st_mode);
}

std::optional<MemoryFile> MemoryFile::open(int Descriptor) {
  if (!isRegular(Descriptor))
    return std::nullopt;
  MemoryFile File(fcntl(Descriptor, F_DUPFD_CLOEXEC, 0));
  if (File.Descriptor < 0)
    return std::nullopt;
  return File;
}

/// Whether a link of /proc leads to a file that create made, of such a name.
static bool isMemory(const std::string &Link, const char *OfName = Name) {
  const std::string Wanted = std::string("/memfd:") + OfName;
  char Target[64];
  ssize_t Length = readlink(Link.c_str(), Target, sizeof(Target));
  return Length > 0 && std::string_view(Target, Length).starts_with(Wanted);
}

std::optional<MemoryFile> MemoryFile::openOf(int64_t Process, int Descriptor,
                                             Identity Meant) {
  std::string Path =
      "/proc/" + std::to_string(Process) + "/fd/" + std::to_string(Descriptor);
  // The number may be that of any other file by now, or the one who names it
  // may mean harm.
  if (!isMemory(Path))
    return std::nullopt;
  MemoryFile File(::open(Path.c_str(), O_RDWR | O_CLOEXEC));
  if (File.Descriptor < 0 || File.identity() != Meant)
    return std::nullopt;
  return File;
}

MemoryFile::~MemoryFile() {
  if (Descriptor >= 0)
    close(Descriptor);
}

int MemoryFile::duplicate() const {
  return fcntl(Descriptor, F_DUPFD_CLOEXEC, 0);
}

MemoryFile::Identity MemoryFile::identity() const {
  struct stat Status;
  if (fstat(Descriptor, &Status) != 0)
    return {0, 0};
  return {Status.st_dev, Status.st_ino};
}

uint64_t MemoryFile::size() const {
  struct stat Status;
  return fstat(Descriptor, &Status) == 0 ? Status.st_size : 0;
}

MemoryFile::Place MemoryFile::place() const {
  std::string Link = "/proc/self/fd/" + std::to_string(Descriptor);
  return isMemory(Link, HostName) ? Place::Host : Place::Device;
}

bool MemoryFile::resize(uint64_t Size) {
  return ftruncate(Descriptor, static_cast<off_t>(Size)) == 0;
}

void MemoryFile::clear(uint64_t Offset, uint64_t Size) {
  fallocate(Descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(Offset), static_cast<off_t>(Size));
}

uint8_t *MemoryFile::map(uint64_t Offset, uint64_t Size, void *Place) const {
  void *Mapped = mmap(Place, Size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (Place ? MAP_FIXED : 0), Descriptor,
                      static_cast<off_t>(Offset));
  return Mapped == MAP_FAILED ? nullptr : static_cast<uint8_t *>(Mapped);
}

void MemoryFile::unmap(void *Mapped, uint64_t Size) { munmap(Mapped, Size); }

} // namespace heddle
