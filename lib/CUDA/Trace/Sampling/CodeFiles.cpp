//===- CodeFiles.cpp - Files whose code a process runs ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loader says what is mapped where. Files are mapped once more, as they are
// on disk.
//
//===----------------------------------------------------------------------===//

#include "Trace/Sampling/CodeFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <link.h>
#include <set>
#include <sstream>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static ElfFile mapFile(const std::string &Path) {
  int Descriptor = open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  if (Descriptor < 0)
    return {nullptr, 0};
  struct stat Status;
  void *Data = MAP_FAILED;
  if (fstat(Descriptor, &Status) == 0 && Status.st_size > 0)
    Data = mmap(nullptr, size_t(Status.st_size), PROT_READ, MAP_PRIVATE,
                Descriptor, 0);
  close(Descriptor);
  if (Data == MAP_FAILED)
    return {nullptr, 0};
  return {static_cast<const unsigned char *>(Data), uint64_t(Status.st_size)};
}

CodeFile::CodeFile(std::string Path, uint64_t Bias)
    : Path(std::move(Path)), Bias(Bias), File(mapFile(this->Path)),
      IsMapped(File.Data) {
  findFunctions();
}

CodeFile::CodeFile(std::string Name, uint64_t Bias, ElfFile Image)
    : Path(std::move(Name)), Bias(Bias), File(Image) {
  findFunctions();
}

CodeFile::~CodeFile() {
  if (IsMapped)
    munmap(const_cast<unsigned char *>(File.Data), File.Size);
}

void CodeFile::findFunctions() {
  if (!File.header())
    return;
  Table = std::make_unique<UnwindTable>(File);
  const Elf64_Phdr *Header = File.findSegment(
      PT_GNU_EH_FRAME, [](const Elf64_Phdr &) { return true; });
  if (Header)
    OffsetToAddress = Header->p_vaddr - Header->p_offset;
  SymbolTable Symbols = File.symbols(SHT_SYMTAB);
  if (!Symbols.Count)
    Symbols = File.symbols(SHT_DYNSYM);
  for (uint64_t I = 0; I != Symbols.Count; ++I) {
    const Elf64_Sym &S = Symbols.First[I];
    unsigned Type = ELF64_ST_TYPE(S.st_info);
    if ((Type == STT_FUNC || Type == STT_GNU_IFUNC) && S.st_shndx != SHN_UNDEF)
      Functions.push_back(
          {S.st_value, S.st_value + S.st_size, Symbols.nameOf(S)});
  }
  llvm::sort(Functions, [](const Function &A, const Function &B) {
    return std::tie(A.Start, A.End, A.Name) < std::tie(B.Start, B.End, B.Name);
  });
}

std::optional<uint64_t> CodeFile::descriptionAt(uint64_t Address) const {
  if (!Table)
    return std::nullopt;
  unsigned Low = 0, High = Table->size();
  while (Low != High) {
    unsigned Middle = (Low + High) / 2;
    if (Table->start(Middle) <= Address)
      Low = Middle + 1;
    else
      High = Middle;
  }
  if (!Low)
    return std::nullopt;
  return Table->description(Low - 1);
}

StringRef CodeFile::functionAt(uint64_t Address) const {
  auto It =
      llvm::upper_bound(Functions, Address, [](uint64_t A, const Function &F) {
        return A < F.Start;
      });
  if (It == Functions.begin())
    return {};
  --It;
  // Some functions that are written in assembly have no size.
  return Address < It->End || It->Start == It->End ? It->Name : StringRef();
}

//===----------------------------------------------------------------------===//
// What is mapped
//===----------------------------------------------------------------------===//

namespace {
/// What ld.so tells of a file.
struct Mapping {
  std::string Path;
  uint64_t Bias = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Code;
};
struct Mappings {
  std::vector<Mapping> All;
  unsigned long long Loaded = 0, Unloaded = 0;
};
} // namespace

static int note(dl_phdr_info *Info, size_t, void *Into) {
  auto &Found = *static_cast<Mappings *>(Into);
  Found.Loaded = Info->dlpi_adds;
  Found.Unloaded = Info->dlpi_subs;
  Mapping M{Info->dlpi_name, Info->dlpi_addr, {}};
  for (unsigned I = 0; I != Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &P = Info->dlpi_phdr[I];
    if (P.p_type == PT_LOAD && P.p_flags & PF_X)
      M.Code.emplace_back(M.Bias + P.p_vaddr, M.Bias + P.p_vaddr + P.p_memsz);
  }
  Found.All.push_back(std::move(M));
  return 0;
}

/// The kernel's own library has no file.
static std::shared_ptr<CodeFile> makeFile(const Mapping &M) {
  uint64_t Kernels = getauxval(AT_SYSINFO_EHDR);
  if (M.Path.empty())
    return std::make_shared<CodeFile>("/proc/self/exe", M.Bias);
  if (Kernels && M.Bias <= Kernels && !M.Code.empty() &&
      Kernels < M.Code.back().second && M.Code.front().first <= Kernels) {
    ElfFile Image{reinterpret_cast<const unsigned char *>(Kernels),
                  M.Code.back().second - Kernels};
    return std::make_shared<CodeFile>("[vdso]", M.Bias, Image);
  }
  return std::make_shared<CodeFile>(M.Path, M.Bias);
}

void CodeMap::refresh() {
  Mappings Found;
  dl_iterate_phdr(note, &Found);
  if (Found.Loaded == Loaded && Found.Unloaded == Unloaded)
    return;
  Loaded = Found.Loaded;
  Unloaded = Found.Unloaded;
  std::map<uint64_t, Range> Old = std::move(Ranges);
  Ranges.clear();
  for (const Mapping &M : Found.All) {
    std::shared_ptr<CodeFile> File;
    for (const auto &[Begin, End] : M.Code) {
      auto It = Old.find(Begin);
      if (!File && It != Old.end() && It->second.End == End &&
          It->second.Of->bias() == M.Bias &&
          (M.Path.empty() || It->second.Of->path() == M.Path))
        File = It->second.Of;
      if (!File)
        File = makeFile(M);
      Ranges[Begin] = {End, File};
    }
  }
  // Places are known by their files.
  for (auto &[Begin, R] : Old)
    Gone.push_back(std::move(R.Of));
}

const CodeFile *CodeMap::fileAt(uint64_t PC) {
  for (bool IsFresh : {false, true}) {
    auto It = Ranges.upper_bound(PC);
    if (It != Ranges.begin() && PC < std::prev(It)->second.End)
      return std::prev(It)->second.Of.get();
    if (!IsFresh)
      refresh();
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The file of Linux' perf: a line has the address and size of a function in
/// hexadecimal, and its name.
void CodeMap::readJITMap() {
  std::string Path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  struct stat Status;
  if (stat(Path.c_str(), &Status) || uint64_t(Status.st_size) == JITMapBytes)
    return;
  std::ifstream File(Path);
  File.seekg(std::streamoff(JITMapBytes));
  for (std::string Line; std::getline(File, Line) && !File.eof();) {
    JITMapBytes += Line.size() + 1;
    std::istringstream Words(Line);
    uint64_t Start = 0, Size = 0;
    std::string Name;
    if (Words >> std::hex >> Start >> Size &&
        std::getline(Words >> std::ws, Name))
      JITFunctions[Start] = {Start + Size, Name};
  }
}

std::string CodeMap::jitFunctionAt(uint64_t PC) {
  for (bool IsFresh : {false, true}) {
    auto It = JITFunctions.upper_bound(PC);
    if (It != JITFunctions.begin() && PC < std::prev(It)->second.first)
      return std::prev(It)->second.second;
    if (!IsFresh)
      readJITMap();
  }
  return {};
}

const CodePlace *CodeMap::placeOf(uint64_t PC) {
  const CodeFile *File = fileAt(PC);
  uint64_t Address = File ? PC - File->bias() : PC;
  std::unique_ptr<CodePlace> &Place = Places[{File, Address}];
  if (Place)
    return Place.get();
  Place = std::make_unique<CodePlace>();
  Place->Number = static_cast<unsigned>(Places.size() - 1);
  Place->Address = Address;
  if (!File) {
    std::string Name = jitFunctionAt(PC);
    // Python's are `py::FUNCTION:FILE`.
    StringRef Function = Name, Module;
    if (Function.consume_front("py::"))
      std::tie(Function, Module) = Function.split(':');
    Place->Function = Function;
    Place->Module = Module;
    return Place.get();
  }
  Place->Function = demangle(File->functionAt(Address));
  Place->Module = File->path().str();
  if (Place->Module == "/proc/self/exe") {
    char Path[4096];
    ssize_t Size = readlink("/proc/self/exe", Path, sizeof(Path));
    if (Size > 0)
      Place->Module.assign(Path, size_t(Size));
  }
  return Place.get();
}

} // namespace heddle::cuda::trace
