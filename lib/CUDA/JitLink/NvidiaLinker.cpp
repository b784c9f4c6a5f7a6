//===- NvidiaLinker.cpp - NVIDIA's nvJitLink, for its LTO-IR --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is looked for where a program that uses it has it: beside other
// libraries of NVIDIA's that the process has loaded, in Python's packages of
// libraries that it has loaded, on LD_LIBRARY_PATH, and where toolkits are
// installed. Ours has the same name, and is passed over.
//
//===----------------------------------------------------------------------===//

#include "JitLink/NvidiaLinker.h"
#include "heddle/Object/FatBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <tuple>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace heddle::cuda {
struct NvidiaFunctions {
  int (*Version)(unsigned *, unsigned *) = nullptr;
  int (*Create)(void **, uint32_t, const char **) = nullptr;
  int (*Destroy)(void **) = nullptr;
  int (*AddData)(void *, int, const void *, size_t, const char *) = nullptr;
  int (*Complete)(void *) = nullptr;
  int (*GetLinkedPtxSize)(void *, size_t *) = nullptr;
  int (*GetLinkedPtx)(void *, char *) = nullptr;
  int (*GetErrorLogSize)(void *, size_t *) = nullptr;
  int (*GetErrorLog)(void *, char *) = nullptr;
};
} // namespace heddle::cuda

/// How LTO-IR begins that nvcc -dlto -ltoir writes.
static constexpr std::string_view LTOIRMagic = "\xed\x43\x4e\x7f";

bool heddle::cuda::hasNvidiaLTOIR(std::string_view Bytes) {
  if (Bytes.starts_with(LTOIRMagic))
    return true;
  ArrayRef<uint8_t> Raw(reinterpret_cast<const uint8_t *>(Bytes.data()),
                        Bytes.size());
  if (!fatbin::isFatBinary(Raw))
    return false;
  Expected<SmallVector<fatbin::Image, 4>> Images = fatbin::readImages(Raw);
  if (!Images) {
    consumeError(Images.takeError()); // It is told when it is linked.
    return false;
  }
  auto IsKind = [](fatbin::ImageKind K) {
    return [K](const fatbin::Image &I) { return I.Kind == K; };
  };
  return any_of(*Images, IsKind(fatbin::ImageKind::LinkTimeIR)) &&
         none_of(*Images, IsKind(fatbin::ImageKind::PTX));
}

//===----------------------------------------------------------------------===//
// Where the library is
//===----------------------------------------------------------------------===//

static constexpr const char *Names[] = {"libnvJitLink.so.13",
                                        "libnvJitLink.so.12"};

/// Under a folder of Python's packages, of CUDA 13 and of CUDA 12.
static constexpr const char *InPackages[] = {"nvidia/cu13/lib",
                                             "nvidia/nvjitlink/lib"};

static void addFolder(std::vector<std::string> &Folders, StringRef Folder) {
  if (!Folder.empty() && !is_contained(Folders, Folder))
    Folders.push_back(Folder.str());
}

static void addPackages(std::vector<std::string> &Folders, StringRef Path) {
  for (StringRef Kind : {"/site-packages/", "/dist-packages/"}) {
    size_t At = Path.find(Kind);
    if (At == StringRef::npos)
      continue;
    for (const char *Each : InPackages) {
      SmallString<128> Folder(Path.take_front(At + Kind.size() - 1));
      sys::path::append(Folder, Each);
      addFolder(Folders, Folder);
    }
  }
}

static int addFoldersOf(dl_phdr_info *Object, size_t, void *Folders) {
  StringRef Path = Object->dlpi_name;
  auto &To = *static_cast<std::vector<std::string> *>(Folders);
  addPackages(To, Path);
  if (sys::path::filename(Path).starts_with("libcu") ||
      sys::path::filename(Path).starts_with("libnv"))
    addFolder(To, sys::path::parent_path(Path));
  return 0;
}

/// Whether a folder is one of ours: libnvJitLink lies beside what it calls.
static bool isOurs(StringRef Folder) {
  SmallString<128> File(Folder);
  sys::path::append(File, "libheddle-cuda.so.1");
  return sys::fs::exists(File);
}

static std::vector<std::string> candidates() {
  std::vector<std::string> Folders, Files;
  dl_iterate_phdr(addFoldersOf, &Folders);
  std::optional<std::string> Path = sys::Process::GetEnv("LD_LIBRARY_PATH");
  for (StringRef Folder : split(Path ? StringRef(*Path) : "", ':'))
    addFolder(Folders, Folder);
  for (const char *Root : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> Home = sys::Process::GetEnv(Root))
      addFolder(Folders, *Home + "/lib64");
  for (const char *Folder :
       {"/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu"})
    addFolder(Folders, Folder);
  for (const std::string &Folder : Folders)
    for (const char *Name : Names) {
      SmallString<128> File(Folder);
      sys::path::append(File, Name);
      if (sys::fs::exists(File) && !isOurs(Folder))
        Files.push_back(File.str().str());
    }
  return Files;
}

/// False where one of the names is not in the library.
template <typename T>
static bool find(void *Library, const char *Name, T &Function) {
  Function = reinterpret_cast<T>(dlsym(Library, Name));
  return Function != nullptr;
}

/// Those of the library at \p Path, which stays loaded; null if it is another
/// one.
static std::unique_ptr<NvidiaFunctions> load(const std::string &Path) {
  void *Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Library)
    return nullptr;
  auto Made = std::make_unique<NvidiaFunctions>();
  NvidiaFunctions &F = *Made;
  bool HasAll =
      find(Library, "nvJitLinkVersion", F.Version) &&
      find(Library, "nvJitLinkCreate", F.Create) &&
      find(Library, "nvJitLinkDestroy", F.Destroy) &&
      find(Library, "nvJitLinkAddData", F.AddData) &&
      find(Library, "nvJitLinkComplete", F.Complete) &&
      find(Library, "nvJitLinkGetLinkedPtxSize", F.GetLinkedPtxSize) &&
      find(Library, "nvJitLinkGetLinkedPtx", F.GetLinkedPtx) &&
      find(Library, "nvJitLinkGetErrorLogSize", F.GetErrorLogSize) &&
      find(Library, "nvJitLinkGetErrorLog", F.GetErrorLog);
  return HasAll ? std::move(Made) : nullptr;
}

/// The newest, since no library reads LTO-IR that is newer than itself; null if
/// there is none.
static std::unique_ptr<NvidiaFunctions> newestLibrary() {
  std::unique_ptr<NvidiaFunctions> Best;
  std::pair<unsigned, unsigned> BestVersion;
  for (const std::string &Path : candidates()) {
    std::unique_ptr<NvidiaFunctions> Each = load(Path);
    std::pair<unsigned, unsigned> Version;
    if (!Each || Each->Version(&Version.first, &Version.second) != 0)
      continue;
    if (!Best || Version > BestVersion)
      std::tie(Best, BestVersion) = std::pair(std::move(Each), Version);
  }
  return Best;
}

namespace {
struct FoundLibrary {
  std::mutex Lock;
  std::unique_ptr<NvidiaFunctions> Functions;
};
} // namespace

/// Until one is found, each call looks again: programs load libraries as they
/// go.
static const NvidiaFunctions *nvidiaLibrary() {
  static auto *Found = new FoundLibrary; // see Process.h
  std::lock_guard<std::mutex> Guard(Found->Lock);
  if (!Found->Functions)
    Found->Functions = newestLibrary();
  return Found->Functions.get();
}

//===----------------------------------------------------------------------===//
// A link
//===----------------------------------------------------------------------===//

/// Whether an option says how code is generated from LTO-IR. What is about PTX
/// and its machine code is ours to obey.
static bool concernsLTOIR(StringRef Option) {
  static constexpr const char *Of[] = {"-arch",
                                       "-ftz",
                                       "-prec-div",
                                       "-prec-sqrt",
                                       "-fma",
                                       "-g",
                                       "-lineinfo",
                                       "-Xnvvm",
                                       "-kernels-used",
                                       "-variables-used",
                                       "-optimize-unused-variables"};
  StringRef Name = Option.split('=').first;
  return is_contained(Of, Name) || Name.starts_with("-O");
}

Expected<std::unique_ptr<NvidiaLinker>>
NvidiaLinker::create(ArrayRef<std::string> Options) {
  const NvidiaFunctions *Library = nvidiaLibrary();
  if (!Library)
    return createStringError(
        "LTO-IR of NVIDIA's compiler is read by NVIDIA's libnvJitLink alone, "
        "which is not found: pip install nvidia-nvjitlink, or have its folder "
        "in LD_LIBRARY_PATH; or link PTX, or LLVM bitcode");
  std::vector<const char *> Words = {"-lto", "-ptx"};
  for (const std::string &Option : Options)
    if (concernsLTOIR(Option))
      Words.push_back(Option.c_str());
  std::unique_ptr<NvidiaLinker> Made(new NvidiaLinker(*Library));
  if (Library->Create(&Made->Handle, Words.size(), Words.data()) != 0)
    return Made->failed("NVIDIA's libnvJitLink does not take the options");
  return Made;
}

NvidiaLinker::~NvidiaLinker() {
  if (Handle)
    Library.Destroy(&Handle);
}

int NvidiaLinker::add(int Type, std::string_view Bytes, const char *Name) {
  return Library.AddData(Handle, Type, Bytes.data(), Bytes.size(), Name);
}

/// An error with what the library has to say.
Error NvidiaLinker::failed(StringRef What) {
  size_t Size = 0;
  std::string Log;
  if (Handle && Library.GetErrorLogSize(Handle, &Size) == 0 && Size > 1) {
    Log.resize(Size);
    if (Library.GetErrorLog(Handle, Log.data()) != 0)
      Log.clear();
  }
  StringRef Said = StringRef(Log.c_str()).trim();
  return createStringError(What + (Said.empty() ? "" : ": ") + Said);
}

Expected<std::string> NvidiaLinker::complete() {
  size_t Size = 0;
  if (Library.Complete(Handle) != 0 ||
      Library.GetLinkedPtxSize(Handle, &Size) != 0)
    return failed("NVIDIA's libnvJitLink makes no PTX of the LTO-IR");
  std::string PTX(Size, '\0');
  if (Library.GetLinkedPtx(Handle, PTX.data()) != 0)
    return failed("NVIDIA's libnvJitLink gives no PTX");
  PTX.resize(StringRef(PTX.c_str()).size()); // Without the final zero.
  return PTX;
}
