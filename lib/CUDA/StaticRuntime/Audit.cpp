//===- Audit.cpp - Replaces static runtimes at load time --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ld.so calls this library (rtld-audit(7)) for each object that it maps, before
// any constructor of the object runs: for a program, what it is linked with and
// what it loads later. NVIDIA's runtime, where an object has it linked in, asks
// the driver for private tables that ours does not have, so its functions are
// sent to our libcudart here (docs/decisions/0011-static-runtimes.md).
// Compilers give PTX (Compilers.h), and cuBLAS computes by PTX what it could by
// something else (HalfProducts.h). Some libraries are ours even if they are
// asked for by a path (OwnLibraries.h).
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/Compilers.h"
#include "StaticRuntime/ElfFile.h"
#include "StaticRuntime/EntryPoints.h"
#include "StaticRuntime/HalfProducts.h"
#include "StaticRuntime/LoadedObject.h"
#include "StaticRuntime/OwnLibraries.h"
#include "StaticRuntime/Redirect.h"
#include "StaticRuntime/Signatures.h"
#include "StaticRuntime/System.h"

using namespace heddle::cuda;

namespace {

/// Objects that were mapped and are not consistent yet. ld.so holds its lock
/// while it calls us, so that one thread at a time is here.
struct Pending {
  static constexpr unsigned Most = 4096;
  link_map *List[Most];
  unsigned Count = 0;
};

} // namespace

static Pending Candidates;
/// Our libcudart of versions 11 to 13, which are never unloaded.
constexpr unsigned FirstMajor = 11;
static link_map *Runtimes[3];

//===----------------------------------------------------------------------===//
// Which runtime, and where its code is
//===----------------------------------------------------------------------===//

/// Older ones have parameters and structures that none of ours knows.
static link_map *chooseRuntime(const EntryPoints &Entries) {
  unsigned Major = majorVersion(Entries), Last = FirstMajor + 2;
  return Major < FirstMajor
             ? nullptr
             : Runtimes[(Major < Last ? Major : Last) - FirstMajor];
}

/// The version of one of ours, by names that not all have.
static unsigned versionOf(const LoadedObject &Ours) {
  if (!Ours.find("cudaThreadSynchronize"))
    return 13;
  return Ours.find("cudaBindTexture") ? 11 : 12;
}

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

/// Whether the process was started with HEDDLE_LOG=1. There is no C library
/// that would know, and this is asked for static runtimes only.
static bool isLogging() {
  static char Variables[1 << 17];
  long File = systemCall(SYS_openat, AT_FDCWD,
                         reinterpret_cast<long>("/proc/self/environ"),
                         O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return false;
  long Size = 0, Read;
  while ((Read = systemCall(
              SYS_read, File, reinterpret_cast<long>(Variables + Size),
              static_cast<long>(sizeof(Variables)) - 1 - Size)) > 0)
    Size += Read;
  systemCall(SYS_close, File);
  Variables[Size] = 0;
  for (const char *V = Variables; V < Variables + Size; V += lengthOf(V) + 1)
    if (areEqual(V, "HEDDLE_LOG=1"))
      return true;
  return false;
}

static const char *pathOf(const link_map &Map) {
  return *Map.l_name ? Map.l_name : "/proc/self/exe";
}

static void tell(const link_map &Map, unsigned Redirected,
                 const EntryPoints &Entries, const char *Runtime) {
  if (!isLogging())
    return;
  print("heddle: ");
  print(Redirected);
  print(" of ");
  print(Entries.Count);
  print(" functions of the CUDA runtime ");
  const char *Version = Entries.Version;
  if (!Version)
    Version = findVersion(Entries);
  if (Version) {
    print(Version);
    print(" ");
  }
  print("in ");
  print(*Map.l_name ? Map.l_name : "the program");
  print(" go to ");
  print(Runtime);
  print("\n");
}

//===----------------------------------------------------------------------===//
// Redirection
//===----------------------------------------------------------------------===//

static unsigned redirect(const EntryPoints &Entries, const link_map &Map,
                         const Elf64_Phdr &Code, const LoadedObject &Runtime) {
  unsigned Redirected = 0;
  for (unsigned I = 0; I < Entries.Count; ++I) {
    const EntryPoint &E = Entries.List[I];
    uint64_t Offset = E.Address - Code.p_vaddr;
    if (E.Address < Code.p_vaddr || Offset > Code.p_filesz ||
        E.Room > Code.p_filesz - Offset)
      continue;
    if (const void *Target = Runtime.find(E.Name))
      Redirected += writeJump(Map.l_addr + E.Address, E.Room, Target);
  }
  return Redirected;
}

static void replaceRuntime(const link_map &Map) {
  MappedFile File(pathOf(Map));
  if (!File.Data)
    return;
  static EntryPoints Entries;
  Entries = findEntryPoints(File.Data, File.Size);
  if (!Entries.Count)
    return;
  link_map *Chosen = chooseRuntime(Entries);
  const Elf64_Phdr *Code =
      ElfFile{File.Data, File.Size}.segmentAt(Entries.List[0].Address);
  if (!Chosen || !Code)
    return;
  uint64_t Start = Map.l_addr + Code->p_vaddr, End = Start + Code->p_filesz;
  if (!protect(Start, End, PROT_READ | PROT_WRITE)) {
    print("heddle: the CUDA runtime cannot be replaced in ");
    print(pathOf(Map));
    print(": the system does not let its code be written\n");
    return;
  }
  unsigned Redirected = redirect(Entries, Map, *Code, LoadedObject(*Chosen));
  protect(Start, End, protectionOf(*Code));
  tell(Map, Redirected, Entries, Chosen->l_name);
}

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

static void redirectCompiler(const link_map &Map, CompilerKind Kind) {
  if (!givePTX(Map, Kind) || !isLogging())
    return;
  print(Kind == CompilerKind::NVRTC ? "heddle: NVRTC in " : "heddle: NVVM in ");
  print(pathOf(Map));
  print(Kind == CompilerKind::NVRTC
            ? " gives PTX in place of machine code and LTO-IR\n"
            : " gives PTX in place of LTO-IR\n");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void redirectProducts(const link_map &Map) {
  if (!computeHalvesByPTX(Map) || !isLogging())
    return;
  print("heddle: products of half precision in ");
  print(pathOf(Map));
  print(" are pedantic ones, which are PTX\n");
}

//===----------------------------------------------------------------------===//
// What ld.so calls
//===----------------------------------------------------------------------===//

extern "C" {

unsigned la_version(unsigned Version) {
  return Version < LAV_CURRENT ? Version : LAV_CURRENT;
}

/// Name is what was asked for, and later each path that it could mean.
char *la_objsearch(const char *Name, uintptr_t *, unsigned) {
  const char *Own = findOwn(Name);
  return const_cast<char *>(Own ? Own : Name);
}

unsigned la_objopen(link_map *Map, Lmid_t Namespace, uintptr_t *Cookie) {
  *Cookie = reinterpret_cast<uintptr_t>(Map);
  LoadedObject Object(*Map);
  redirectProducts(*Map);
  if (Namespace == LM_ID_BASE && Object.find("__cudaHeddleRuntime")) {
    Runtimes[versionOf(Object) - FirstMajor] = Map;
    noteFolder(Map->l_name);
  } else if (CompilerKind Kind = compilerIn(*Map); Kind != CompilerKind::None)
    redirectCompiler(*Map, Kind);
  else if (Object.importsLoader() && Candidates.Count < Pending::Most)
    Candidates.List[Candidates.Count++] = Map;
  return 0;
}

void la_activity(uintptr_t *, unsigned Activity) {
  if (Activity != LA_ACT_CONSISTENT)
    return;
  for (unsigned I = 0; I < Candidates.Count; ++I)
    if (const link_map *Map = Candidates.List[I])
      replaceRuntime(*Map);
  Candidates.Count = 0;
}

/// An object that could not be loaded goes before it was consistent.
unsigned la_objclose(uintptr_t *Cookie) {
  auto *Map = reinterpret_cast<link_map *>(*Cookie);
  for (unsigned I = 0; I < Candidates.Count; ++I)
    if (Candidates.List[I] == Map)
      Candidates.List[I] = nullptr;
  return 0;
}

// What a compiler makes of copies.

__attribute__((visibility("hidden"))) void *memcpy(void *To, const void *From,
                                                   unsigned long Size) {
  for (unsigned long I = 0; I < Size; ++I)
    static_cast<char *>(To)[I] = static_cast<const char *>(From)[I];
  return To;
}

__attribute__((visibility("hidden"))) void *memset(void *To, int Value,
                                                   unsigned long Size) {
  for (unsigned long I = 0; I < Size; ++I)
    static_cast<char *>(To)[I] = static_cast<char>(Value);
  return To;
}

} // extern "C"
