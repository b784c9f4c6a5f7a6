//===- DeviceFiles.cpp - The files of NVIDIA's driver -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frameworks look whether a GPU is there by the files that NVIDIA's driver
// makes in /dev. A preloaded library answers these questions: where there is no
// such file, it is as /dev/null is. Nothing is asked twice but for what is
// missing.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <initializer_list>
#include <sys/stat.h>
#include <unistd.h>

/// Whether one of the driver's files is looked for in vain.
static bool isMissingDevice(int Result, const char *Path) {
  if (Result == 0 || errno != ENOENT || !Path)
    return false;
  for (const char *Name : {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"})
    if (std::strcmp(Path, Name) == 0)
      return true;
  return false;
}

/// Asks the next library, and once more if the file is a device's. Ask takes
/// the function and the path.
template <typename Function, typename Fn>
static int answer(const char *Name, const char *Path, Fn Ask) {
  auto *Next = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
  if (!Next) {
    errno = ENOSYS;
    return -1;
  }
  int Result = Ask(Next, Path);
  return isMissingDevice(Result, Path) ? Ask(Next, "/dev/null") : Result;
}

extern "C" {

int access(const char *Path, int Mode) noexcept {
  return answer<decltype(access)>(
      "access", Path, [=](auto *Next, auto *P) { return Next(P, Mode); });
}

int faccessat(int Folder, const char *Path, int Mode, int Flags) noexcept {
  return answer<decltype(faccessat)>(
      "faccessat", Path,
      [=](auto *Next, auto *P) { return Next(Folder, P, Mode, Flags); });
}

#define HEDDLE_STAT(Name, Buffer)                                              \
  int Name(const char *Path, struct Buffer *To) noexcept {                     \
    return answer<decltype(Name)>(                                             \
        #Name, Path, [=](auto *Next, auto *P) { return Next(P, To); });        \
  }
HEDDLE_STAT(stat, stat)
HEDDLE_STAT(stat64, stat64)
HEDDLE_STAT(lstat, stat)
HEDDLE_STAT(lstat64, stat64)

#define HEDDLE_STAT_AT(Name, Buffer)                                           \
  int Name(int Folder, const char *Path, struct Buffer *To,                    \
           int Flags) noexcept {                                               \
    return answer<decltype(Name)>(#Name, Path, [=](auto *Next, auto *P) {      \
      return Next(Folder, P, To, Flags);                                       \
    });                                                                        \
  }
HEDDLE_STAT_AT(fstatat, stat)
HEDDLE_STAT_AT(fstatat64, stat64)

int statx(int Folder, const char *__restrict Path, int Flags, unsigned Mask,
          struct statx *__restrict To) noexcept {
  return answer<decltype(statx)>("statx", Path, [=](auto *Next, auto *P) {
    return Next(Folder, P, Flags, Mask, To);
  });
}

} // extern "C"
