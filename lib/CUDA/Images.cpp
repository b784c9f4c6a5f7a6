//===- Images.cpp - Device code of a program --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a fat binary in the program's memory to a module on the device: the
// reader chooses the PTX, the compile service (with its cache) makes the code.
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "CallerCapability.h"
#include "ErrorLog.h"
#include "Process.h"
#include "ProfiledCode.h"
#include "Trace/Observations.h"
#include "heddle/Driver/CompileService.h"
#include "heddle/Driver/PTXHeader.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Object/FatBinary.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Runtime/BlockRegisters.h"
#include "heddle/Runtime/VirtualTime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace heddle::cuda {

struct ImageTable::Compiler {
  CompileService Service;

  static CompileService::Setup setup() {
    CompileService::Setup S;
    std::vector<std::string> Complaints;
    S.Settings = cache::Settings::load(cache::processEnvironment(), Complaints);
    for (const std::string &Complaint : Complaints)
      log(Complaint);
    S.OnTrace = trace::noteStage;
    return S;
  }
  Compiler() : Service(setup()) {}
};

rt::KernelObject &KernelHandle::loaded() {
  unsigned Device = currentDevice();
  if (Device == 0)
    return OnFirst;
  if (!OnOthers)
    OnOthers = std::make_unique<PerDevice>();
  return (*OnOthers)[Device];
}

std::vector<std::string> FatBinary::compilerOptions() const {
  std::vector<std::string> All;
  if (!RegisterLimit.empty())
    All.push_back("-maxrregcount=" + RegisterLimit);
  llvm::append_range(All, Options); // which are preferred
  return All;
}

void FatBinary::keep(std::string TheInput) {
  bool IsOften = Life == ImageLife::Unload ||
                 (Life == ImageLife::Device &&
                  cantFail(Process::get().countDevices()) > 1);
  if (!IsOften || !Input.empty())
    return;
  Input = std::move(TheInput);
  Start = Input.c_str();
}

void KernelHandle::forget(unsigned Device) {
  if (Device == 0)
    OnFirst = {};
  else if (OnOthers)
    (*OnOthers)[Device] = {};
}

ImageTable::ImageTable() = default;
ImageTable::~ImageTable() = default;

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

FatBinary *ImageTable::insert(std::unique_ptr<FatBinary> Image) {
  FatBinary *Inserted = Image.get();
  Places[Inserted] = Images.insert(Images.end(), std::move(Image));
  return Inserted;
}

/// Null if there is no such image, which may be gone.
std::unique_ptr<FatBinary> ImageTable::take(const FatBinary *Image) {
  auto Place = Places.find(Image);
  if (Place == Places.end())
    return nullptr;
  std::unique_ptr<FatBinary> Taken = std::move(*Place->second);
  Images.erase(Place->second);
  Places.erase(Place);
  return Taken;
}

FatBinary *ImageTable::add(const void *Start) {
  std::lock_guard Lock(Mutex);
  auto Image = std::make_unique<FatBinary>();
  Image->Start = Start;
  return insert(std::move(Image));
}

/// An address may be that of another image's kernel or variable by now.
void ImageTable::forgetRegistered(FatBinary &Image) {
  for (const void *Host : Image.HostKernels)
    if (auto It = Kernels.find(Host);
        It != Kernels.end() && It->second.Owner == &Image) {
      Known.remove(Host, It->second);
      Kernels.erase(It);
    }
  for (const void *Host : Image.HostVariables)
    if (auto It = Variables.find(Host);
        It != Variables.end() && It->second.Owner == &Image)
      Variables.erase(It);
}

void ImageTable::remove(FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  std::unique_ptr<FatBinary> Removed = take(Image);
  if (!Removed)
    return;
  forgetNamed(*Removed);
  forgetRegistered(*Removed);
  // When the program ends, the device may still be at work.
  for (auto &[Device, Was] : Removed->On) {
    std::vector<std::unique_ptr<rt::Module>> &Kept = Retired[Device];
    for (auto &[Which, Code] : Was.ForBlocks) // which has Module's variables
      Kept.push_back(std::move(Code.Module));
    for (auto &[Which, Code] : Was.Parts)
      Kept.push_back(std::move(Code.Own));
    Kept.push_back(std::move(Was.Module));
  }
}

void ImageTable::addKernel(FatBinary *Image, const void *Host,
                           const char *Name) {
  std::lock_guard Lock(Mutex);
  KernelHandle &Kernel = Kernels[Host];
  Kernel = KernelHandle(Image, Name);
  Known.add(Host, Kernel);
  Image->HostKernels.push_back(Host);
}

void ImageTable::addVariable(FatBinary *Image, const void *Host,
                             const char *Name, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Variables[Host] = Variable{Image, Name, Size};
  Image->HostVariables.push_back(Host);
}

void ImageTable::addManagedVariable(FatBinary *Image, void **Pointer,
                                    const char *Name, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Variables[Pointer] = Variable{Image, Name, Size, Pointer};
  Image->HostVariables.push_back(Pointer);
}

void ImageTable::forgetNamed(FatBinary &Image) {
  for (auto &[Name, Kernel] : Image.Named)
    Known.remove(&Kernel, Kernel);
}

KernelHandle *ImageTable::kernel(const void *Host) {
  if (Process::isForked())
    return nullptr; // The lock may be another thread's of the parent's.
  std::lock_guard Lock(Mutex);
  return Known.find(Host);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// The size of a code object by its section headers, which come last; none if
/// what is there is no ELF file.
static std::optional<size_t> sizeOfObject(const uint8_t *Start) {
  if (std::memcmp(Start, ELF::ElfMagic, 4) != 0)
    return std::nullopt;
  ELF::Elf64_Ehdr Header;
  std::memcpy(&Header, Start, sizeof(Header));
  size_t Size = sizeof(Header);
  for (unsigned I = 0; I != Header.e_shnum; ++I) {
    ELF::Elf64_Shdr Section;
    std::memcpy(&Section, Start + Header.e_shoff + I * sizeof(Section),
                sizeof(Section));
    if (Section.sh_type != ELF::SHT_NOBITS)
      Size = std::max<size_t>(Size, Section.sh_offset + Section.sh_size);
  }
  return std::max<size_t>(Size, Header.e_shoff +
                                    Header.e_shnum * sizeof(ELF::Elf64_Shdr));
}

/// Whether an ELF file is for a GPU of NVIDIA's.
static bool isForeignMachineCode(const uint8_t *Start) {
  ELF::Elf64_Ehdr Header;
  std::memcpy(&Header, Start, sizeof(Header));
  return Header.e_machine == ELF::EM_CUDA;
}

namespace {
/// PTX, with the limit of registers that its build asked for.
struct LimitedPTX {
  std::string Text, RegisterLimit = {};
};
} // namespace

/// The PTX of a fat binary.
static Expected<LimitedPTX> extractBinaryPTX(const void *Start) {
  Expected<ArrayRef<uint8_t>> Bytes = fatbin::locate(Start);
  if (!Bytes)
    return Bytes.takeError();
  // Programs and libraries choose by the compute capability that they are told.
  Process::ComputeCapability C = capabilityFor(Start);
  Expected<fatbin::BuiltPTX> PTX =
      fatbin::extractPTX(*Bytes, C.Major * 10 + C.Minor);
  if (!PTX)
    return PTX.takeError();
  return LimitedPTX{std::move(PTX->Text), recordedRegisterLimit(PTX->Options)};
}

/// What was compiled apart, as one input of the linker.
static Expected<std::string> bundlePTX(ArrayRef<const void *> Binaries) {
  std::vector<std::string> Names;
  std::vector<LimitedPTX> Texts;
  for (const void *Binary : Binaries) {
    Expected<LimitedPTX> PTX = extractBinaryPTX(Binary);
    if (!PTX)
      return PTX.takeError();
    Names.push_back("<program, part " + std::to_string(Names.size() + 1) + ">");
    Texts.push_back(std::move(*PTX));
  }
  std::vector<LinkInput> Parts;
  for (auto [Name, PTX] : zip_equal(Names, Texts))
    Parts.push_back({Name, PTX.Text, PTX.RegisterLimit});
  return makeLinkBundle(Parts);
}

/// The PTX of a text, or of a fat binary or several.
static Expected<LimitedPTX> extractPTX(const void *Start) {
  // The magic numbers of fat binaries are no text.
  const auto *Text = static_cast<const char *>(Start);
  if (std::strncmp(Text, "\x7FTileIR", 7) == 0)
    return createStringError(
        "an image is CUDA Tile IR, which is not supported");
  if (Text[0] > 0 && Text[1] >= 0)
    return LimitedPTX{Text};
  SmallVector<const void *> Linked = fatbin::linkedBinaries(Start);
  if (Linked.empty())
    return extractBinaryPTX(Start);
  Expected<std::string> Bundle = bundlePTX(Linked);
  if (!Bundle)
    return Bundle.takeError();
  return LimitedPTX{std::move(*Bundle)};
}

cudaError_t ImageTable::fail(cudaError_t Code, const std::string &Message,
                             std::string *Log) {
  ErrorLog::get().add(Message);
  if (Log)
    *Log += Message + "\n";
  else
    std::fprintf(stderr, "heddle: %s\n", Message.c_str());
  return Code;
}

CompileService &ImageTable::service() {
  if (!TheCompiler)
    TheCompiler = std::make_unique<Compiler>();
  return TheCompiler->Service;
}

cudaError_t ImageTable::compileWith(CompileService &Service,
                                    const std::string &Input,
                                    const std::string &Name,
                                    const std::vector<std::string> &Wanted,
                                    std::vector<uint8_t> &Object,
                                    std::string &Log) {
  Expected<rt::Context &> Context = Process::get().context();
  if (!Context)
    return fail(cudaErrorNoDevice, toString(Context.takeError()), &Log);
  rt::HostCall Compiling(Context->device().virtualTime(), 0);
  CompileOptions Options(isLinkBundle(Input) ? OptionTool::Link
                                             : OptionTool::Compile);
  // On all cores, unless something else is wanted; the code is the same.
  const char *Threads = std::getenv("HEDDLE_COMPILE_THREADS");
  std::vector<std::string> Arguments = {"--split-compile=" +
                                        std::string(Threads ? Threads : "0")};
  llvm::append_range(Arguments, Wanted);
  Arguments.push_back("--chip=" + Context->device().chip().str());
  llvm::append_range(Arguments, compilerArgumentsOfEnvironment());
  if (std::optional<std::string> Wrong = Options.parse(Arguments))
    return fail(cudaErrorInvalidPtx, *Wrong, &Log);
  ServedResult Served = Service.compile({Input, Name}, Options);
  Process::get().countCompilation(cache::originName(Served.From));
  log("compiled " + Twine(Input.size()) +
      " bytes of PTX: " + std::string(cache::originName(Served.From)));
  std::string Messages;
  for (const Diagnostic &D : Served.Result.Messages)
    Messages += D.Rendered;
  Log += Messages;
  if (!Served.Result.Succeeded) {
    if (!Messages.empty())
      ErrorLog::get().add(Messages);
    return fail(isNewerPTX(Input) ? cudaErrorUnsupportedPtxVersion
                                  : cudaErrorInvalidPtx,
                Served.Result.Failure, &Log);
  }
  Object.assign(Served.Result.Bytes.begin(), Served.Result.Bytes.end());
  if (ProfiledCode::isWanted())
    ProfiledCode::get().note(Input, Name, Arguments, Object);
  return cudaSuccess;
}

cudaError_t ImageTable::compile(const std::string &Input,
                                const std::string &Name,
                                const std::vector<std::string> &Options,
                                std::vector<uint8_t> &Object,
                                std::string &Log) {
  std::lock_guard Lock(Mutex);
  return compileWith(service(), Input, Name, Options, Object, Log);
}

/// The module of an image on another device, if the image has managed
/// variables; they are the same for all devices.
static const rt::Module *managedElsewhere(const FatBinary &Image) {
  for (const auto &[Device, Other] : Image.On)
    if (Other.Module && Device != currentDevice() &&
        any_of(Other.Module->symbols(),
               [](const rt::SymbolInfo &S) { return S.IsManaged; }))
      return Other.Module.get();
  return nullptr;
}

/// Gives an image the module of its code.
cudaError_t ImageTable::loadObject(rt::Device &Device, FatBinary &Image,
                                   const std::vector<uint8_t> &Bytes,
                                   std::string *Log) {
  LoadedImage &Here = Image.here();
  Expected<ObjectFile> Object = ObjectFile::create(Bytes);
  if (!Object)
    return fail(cudaErrorInvalidKernelImage, toString(Object.takeError()), Log);
  Here.TakesFunctions = !Object->addressTakenFunctions().empty();
  uint32_t Most = rt::registersForBlock(Device.properties(),
                                        Device.properties().ThreadsPerCTA);
  bool MayRecompile = !Here.Source.empty() && Object->hasMoreRegisters(Most);
  if (!MayRecompile && Here.Apart.empty() &&
      !Process::get().Captured.isWanted())
    Here.Source.clear();
  // Pointers to functions have to lead to those of the code that runs.
  bool IsReplaceable = MayRecompile && Here.TakesFunctions;
  const rt::Module *Managed = managedElsewhere(Image);
  auto Module = Managed ? Device.loadSharing(Bytes, *Managed, IsReplaceable)
                : IsReplaceable ? Device.loadReplaceable(Bytes)
                                : Device.loadModule(Bytes);
  if (!Module)
    return fail(cudaErrorInvalidKernelImage, toString(Module.takeError()), Log);
  Here.Module = std::move(*Module);
  return cudaSuccess;
}

cudaError_t ImageTable::load(FatBinary &Image, std::string *Log) {
  LoadedImage &Here = Image.here();
  if (Here.Module || !Here.Apart.empty() || Here.Failure != cudaSuccess)
    return Here.Failure;
  Expected<rt::Context &> Context = Process::get().context();
  if (!Context)
    return fail(cudaErrorNoDevice, toString(Context.takeError()), Log);
  std::vector<uint8_t> Object;
  const auto *Bytes = static_cast<const uint8_t *>(Image.Start);
  if (std::optional<size_t> Size = sizeOfObject(Bytes)) {
    if (isForeignMachineCode(Bytes))
      return Here.Failure = fail(
                 cudaErrorNoKernelImageForDevice,
                 "an image is machine code of a GPU of NVIDIA's, which does "
                 "not run here; PTX is wanted",
                 Log);
    Object.assign(Bytes, Bytes + *Size);
    Image.keep(std::string(Bytes, Bytes + *Size));
    if (ProfiledCode::isWanted())
      ProfiledCode::get().note("", Image.Name, {}, Object);
  } else {
    Expected<LimitedPTX> PTX = extractPTX(Image.Start);
    if (!PTX)
      return Here.Failure = fail(cudaErrorNoKernelImageForDevice,
                                 toString(PTX.takeError()), Log);
    Here.Target = targetOfPTX(PTX->Text);
    // The text that is kept in place of a fat binary has no limit with it.
    if (!PTX->RegisterLimit.empty())
      Image.RegisterLimit = PTX->RegisterLimit;
    Image.keep(PTX->Text);
    Here.Source = std::move(PTX->Text);
    separate(Image);
    if (!Here.Apart.empty())
      return cudaSuccess;
    std::string Messages;
    Here.Failure = compileWith(service(), Here.Source, Image.Name,
                               Image.compilerOptions(), Object, Messages);
    if (Log)
      *Log += Messages;
    else if (Here.Failure != cudaSuccess)
      std::fprintf(stderr, "heddle: %s", Messages.c_str());
    if (Here.Failure != cudaSuccess)
      return Here.Failure;
  }
  Here.Failure = loadObject(Context->device(), Image, Object, Log);
  if (Here.Failure != cudaSuccess)
    return Here.Failure;
  bindManaged(Image);
  return cudaSuccess;
}

uint64_t ImageTable::constantBytes(const KernelHandle &Kernel) {
  rt::DeviceAddress Begin = UINT64_MAX, End = 0;
  std::lock_guard Lock(Mutex);
  for (const rt::SymbolInfo &S : Kernel.Owner->here().Module->symbols())
    if (S.Space == rt::SymbolInfo::SpaceKind::Constant) {
      Begin = std::min(Begin, S.Address);
      End = std::max(End, S.Address + S.Size);
    }
  return End ? End - Begin : 0;
}

unsigned ImageTable::targetOf(const KernelHandle &Kernel) {
  std::lock_guard Lock(Mutex);
  return Kernel.Owner->here().Target;
}

Expected<std::string> ImageTable::source(const KernelHandle &Kernel) {
  std::lock_guard Lock(Mutex);
  const std::string &Source = Kernel.Owner->here().Source;
  if (Source.empty())
    return createStringError("its module is a code object");
  if (isLinkBundle(Source))
    return createStringError("its module is linked from several inputs");
  return Source;
}

//===----------------------------------------------------------------------===//
// The driver API's modules
//===----------------------------------------------------------------------===//

bool ImageTable::isOpen(const FatBinary *Image) const {
  return Places.contains(Image);
}

cudaError_t ImageTable::open(const void *Start, std::string Name,
                             std::vector<std::string> Options, ImageLife Life,
                             FatBinary *&Image, std::string &Log) {
  auto Opened = std::make_unique<FatBinary>();
  Opened->Start = Start;
  Opened->Life = Life;
  Opened->Name = std::move(Name);
  Opened->Options = std::move(Options);
  std::lock_guard Lock(Mutex);
  // With a kernel, so that what is wrong with the text is said now.
  if (cudaError_t Code = loadVariables(*Opened, &Log); Code != cudaSuccess)
    return Code;
  Image = Opened.get();
  LoadedImage &Here = Image->here();
  std::vector<std::string> Names = Here.Apart;
  if (Names.empty())
    for (const rt::KernelInfo &K : Here.Module->kernels())
      Names.push_back(K.Name);
  for (const std::string &KernelName : Names) {
    KernelHandle &Kernel = Image->Named[KernelName];
    Kernel = KernelHandle(Image, KernelName);
    if (Here.Apart.empty())
      Kernel.loaded() = {Here.Module.get(),
                         *Here.Module->findKernel(KernelName)};
    Known.add(&Kernel, Kernel);
  }
  insert(std::move(Opened));
  return cudaSuccess;
}

/// The devices on which an opened image is.
std::vector<unsigned> ImageTable::devicesOf(const FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  std::vector<unsigned> Devices;
  if (isOpen(Image))
    for (const auto &[Device, Loaded] : Image->On)
      if (Loaded.Module)
        Devices.push_back(Device);
  return Devices;
}

bool ImageTable::close(FatBinary *Image) {
  for (unsigned Device : devicesOf(Image))
    if (Expected<rt::Context &> Context = Process::get().context(Device))
      consumeError(Context->synchronize()); // told by the next call
    else
      consumeError(Context.takeError());
  std::lock_guard Lock(Mutex);
  std::unique_ptr<FatBinary> Closed = take(Image);
  if (!Closed)
    return false;
  forgetNamed(*Closed);
  return true;
}

cudaError_t ImageTable::kernel(FatBinary *Image, const char *Name,
                               KernelHandle *&Kernel) {
  std::lock_guard Lock(Mutex);
  if (!isOpen(Image))
    return cudaErrorInvalidResourceHandle;
  auto It = Image->Named.find(Name);
  if (It == Image->Named.end())
    return cudaErrorSymbolNotFound;
  Kernel = &It->second;
  return cudaSuccess;
}

cudaError_t ImageTable::variable(FatBinary *Image, const char *Name,
                                 rt::SymbolInfo &Symbol) {
  std::lock_guard Lock(Mutex);
  if (!isOpen(Image))
    return cudaErrorInvalidResourceHandle;
  if (cudaError_t Code = loadVariables(*Image); Code != cudaSuccess)
    return Code;
  const rt::SymbolInfo *Found = Image->here().Module->findSymbol(Name);
  if (!Found)
    return cudaErrorSymbolNotFound;
  Symbol = *Found;
  return cudaSuccess;
}

std::vector<std::string> ImageTable::kernelNames(FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  std::vector<std::string> Names;
  if (isOpen(Image))
    for (auto &[Name, Kernel] : Image->Named)
      Names.push_back(Name);
  return Names;
}

//===----------------------------------------------------------------------===//
// What the host code's registrations stand for
//===----------------------------------------------------------------------===//

/// Tells the program where its managed variables are.
void ImageTable::bindManaged(FatBinary &Image) {
  for (const void *Host : Image.HostVariables) {
    auto It = Variables.find(Host);
    if (It == Variables.end())
      continue;
    const Variable &V = It->second;
    if (V.Owner != &Image || !V.ManagedPointer)
      continue;
    const rt::SymbolInfo *Found = Image.here().Module->findSymbol(V.Name);
    if (!Found || !Found->IsManaged)
      continue;
    *V.ManagedPointer = reinterpret_cast<void *>(Found->Address);
    Process::get().Pointers.add(
        {Found->Address, Found->Size, cudaMemoryTypeManaged, /*IsOurs=*/false});
  }
}

cudaError_t ImageTable::initialize(FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  bool HasManaged = llvm::any_of(Variables, [&](auto &V) {
    return V.second.Owner == Image && V.second.ManagedPointer;
  });
  return HasManaged ? loadVariables(*Image) : load(*Image);
}

cudaError_t ImageTable::load(KernelHandle &Kernel) {
  std::lock_guard Lock(Mutex);
  if (Kernel.loaded().Owner)
    return cudaSuccess;
  if (cudaError_t Code = load(*Kernel.Owner); Code != cudaSuccess)
    return Code;
  return loadKernel(*Kernel.Owner, Kernel.Name, Kernel.loaded());
}

cudaError_t ImageTable::variable(const void *Host, rt::SymbolInfo &Symbol) {
  std::lock_guard Lock(Mutex);
  auto It = Variables.find(Host);
  if (It == Variables.end())
    return cudaErrorInvalidSymbol;
  FatBinary &Image = *It->second.Owner;
  if (cudaError_t Code = loadVariables(Image); Code != cudaSuccess)
    return Code;
  const rt::SymbolInfo *Found =
      Image.here().Module->findSymbol(It->second.Name);
  if (!Found)
    return cudaErrorInvalidSymbol;
  Symbol = *Found;
  return cudaSuccess;
}

bool ImageTable::canRecompile(const KernelHandle &Kernel) {
  std::lock_guard Lock(Mutex);
  return !Kernel.Owner->here().Source.empty();
}

/// Compiles and loads a kernel with fewer registers; null, with Log saying why,
/// if that fails. Other threads go on meanwhile.
std::unique_ptr<rt::Module>
ImageTable::recompile(FatBinary &Image, const std::string &Kernel,
                      uint32_t MaxRegisters, std::string &Log,
                      std::unique_lock<std::mutex> &Lock) {
  const LoadedImage &Here = Image.here();
  std::vector<std::string> Options = Image.compilerOptions();
  Options.push_back("-maxrregcount=" + std::to_string(MaxRegisters));
  // A pointer may lead to any function that some kernel's code has.
  if (!Here.TakesFunctions && !isLinkBundle(Here.Source))
    Options.push_back("--entry=" + Kernel);
  std::string Source = Here.Source, Name = Image.Name;
  CompileService &Service = service();
  std::vector<uint8_t> Object;
  Lock.unlock();
  cudaError_t Code = compileWith(Service, Source, Name, Options, Object, Log);
  Lock.lock();
  if (Code == cudaSuccess) {
    Expected<rt::Context &> Context = Process::get().context();
    auto Module = Context
                      ? Context->device().loadReplacement(Object, *Here.Module)
                      : Context.takeError();
    if (Module)
      return std::move(*Module);
    Log = toString(Module.takeError());
  }
  return nullptr;
}

rt::KernelObject ImageTable::codeFor(KernelHandle &Kernel, uint64_t Threads) {
  const rt::DeviceProperties &P = Process::get().properties();
  if (!rt::needsFewerRegisters(P, info(Kernel), Threads) ||
      !canRecompile(Kernel))
    return Kernel.loaded();
  uint32_t Most = rt::registersForBlock(P, Threads);
  std::unique_lock Lock(Mutex);
  FatBinary &Image = *Kernel.Owner;
  auto [It, IsNew] = Image.here().ForBlocks.try_emplace({Kernel.Name, Most});
  BlockCode &Made = It->second;
  if (IsNew) {
    std::string Log;
    Made.Module = recompile(Image, Kernel.Name, Most, Log, Lock);
    if (!Made.Module)
      explainFirst(rt::explainRegisters(P, info(Kernel), Threads) +
                   "; compiling it again failed: " + Log);
    Made.IsMade = true;
    BlockCodeMade.notify_all();
  }
  BlockCodeMade.wait(Lock, [&] { return Made.IsMade; });
  if (!Made.Module)
    return Kernel.loaded();
  return {Made.Module.get(), *Made.Module->findKernel(Kernel.Name)};
}

void ImageTable::unload(unsigned Device) {
  std::lock_guard Lock(Mutex);
  for (auto &[Host, Kernel] : Kernels)
    Kernel.forget(Device);
  // Modules that were on the device alone are gone for good.
  std::vector<const FatBinary *> Opened;
  for (std::unique_ptr<FatBinary> &Image : Images) {
    Image->On.erase(Device);
    for (auto &[Name, Kernel] : Image->Named)
      Kernel.forget(Device);
    if (Image->Life == ImageLife::Device && Image->On.empty())
      Opened.push_back(Image.get());
  }
  for (const FatBinary *Image : Opened)
    forgetNamed(*take(Image));
  Retired.erase(Device);
}

} // namespace heddle::cuda
