//===- Images.h - Device code of a program ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fat binaries that a program registers, and the kernels and variables in
// them by the host's address for each. A fat binary is compiled and loaded when
// the first thing in it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_IMAGES_H
#define HEDDLE_LIB_CUDA_IMAGES_H

#include "ABI.h"
#include "Devices/CurrentDevice.h"
#include "KernelIndex.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Runtime/Queue.h"

#include <array>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle {
class CompileService;
} // namespace heddle

namespace heddle::cuda {

/// What the launches of CUDA before version 4 take from the kernel itself.
struct LegacyLaunch {
  dim3 Block = {1, 1, 1};
  unsigned SharedBytes = 0;
  std::vector<char> Params;
};

/// A kernel as the program knows it.
struct KernelHandle {
  KernelHandle() = default;
  KernelHandle(struct FatBinary *Owner, std::string Name)
      : Owner(Owner), Name(std::move(Name)) {}

  struct FatBinary *Owner = nullptr;
  std::string Name = {};
  int MaxDynamicShared = 0; ///< by cudaFuncSetAttribute
  LegacyLaunch Legacy = {}; ///< Of the driver API; of one thread at a time.

  /// What is loaded on the thread's device; Owner null: nothing yet.
  rt::KernelObject &loaded();
  const rt::KernelObject &loaded() const {
    return const_cast<KernelHandle *>(this)->loaded();
  }
  /// Forgets what is loaded on a device.
  void forget(unsigned Device);

private:
  using PerDevice = std::array<rt::KernelObject, emu::MaxDevices>;
  rt::KernelObject OnFirst = {};
  /// Of all other devices; null until one of them needs it. A thread makes it
  /// under the table's mutex before it reads what it has loaded.
  std::unique_ptr<PerDevice> OnOthers;
};

struct Variable {
  struct FatBinary *Owner;
  std::string Name;
  uint64_t Size;
  void **ManagedPointer = nullptr; ///< of the program, for managed ones
};

/// A kernel compiled once more, with fewer registers.
struct BlockCode {
  bool IsMade = false; ///< else some thread is about it
  std::unique_ptr<rt::Module> Module = nullptr; ///< null: it cannot be had
};

/// A kernel of an image whose kernels are compiled apart.
struct KernelCode {
  rt::Module *Code = nullptr; ///< Own, or the image's own module.
  std::unique_ptr<rt::Module> Own = nullptr; ///< With the image's variables.
  cudaError_t Failure = cudaSuccess;         ///< Why there is none; stays.
};

/// What an image became on a device.
struct LoadedImage {
  std::unique_ptr<rt::Module> Module = nullptr;
  /// The kernels of an image that is too large to be compiled at once. Each is
  /// compiled when it is asked for; Module, which has the variables of all, is
  /// that of the first.
  std::vector<std::string> Apart = {};
  std::map<std::string, KernelCode> Parts = {};
  /// What it was compiled from, if launches are captured, kernels are compiled
  /// apart or some kernel has too many registers for the largest block.
  std::string Source = {};
  unsigned Target = 0; ///< The GPU that its PTX is for, 90 for sm_90a; or 0.
  bool TakesFunctions = false; ///< Addresses of functions are values.
  /// By kernel and limit. The variables are Module's.
  std::map<std::pair<std::string, uint32_t>, BlockCode> ForBlocks = {};
  cudaError_t Failure = cudaSuccess; ///< why it cannot be loaded; stays
};

/// What an image lives as long as. All but the program's own may be freed by it
/// once they are loaded.
enum class ImageLife : uint8_t {
  Program, ///< It is part of a file that is loaded.
  Device,  ///< A module, which a reset of its device ends.
  Unload,  ///< A library, which belongs to no device.
};

/// What __cudaRegisterFatBinary or a function that loads modules was given,
/// with what it became.
struct FatBinary {
  const void *Start;
  std::string Name = "<program>"; ///< For messages and reports.
  /// The host's addresses of the kernels and variables that were registered.
  std::vector<const void *> HostKernels = {}, HostVariables = {};
  /// The limit of registers that a fat binary's build asked for, as
  /// -maxrregcount takes it; those of several are with their texts.
  std::string RegisterLimit = {};
  /// Of the driver API: options in ptxas's spelling, and kernels by name.
  std::vector<std::string> Options = {};
  std::map<std::string, KernelHandle> Named = {};
  /// What an image that is not the program's was made of: PTX, or the bytes of
  /// a code object. Other devices need it, and libraries after a reset.
  std::string Input = {};
  ImageLife Life = ImageLife::Program;

  /// By device; what is there stays where it is.
  std::map<unsigned, LoadedImage> On = {};

  /// All options of its compilation.
  std::vector<std::string> compilerOptions() const;
  /// Keeps Input in place of what Start points to, if it may be needed again.
  void keep(std::string TheInput);

  /// What it is on the thread's device.
  LoadedImage &here() { return On[currentDevice()]; }
};

/// Any thread may call anything at any time.
class ImageTable {
public:
  ImageTable();
  ~ImageTable();

  FatBinary *add(const void *Start);
  void remove(FatBinary *Image);
  void addKernel(FatBinary *Image, const void *Host, const char *Name);
  void addVariable(FatBinary *Image, const void *Host, const char *Name,
                   uint64_t Size);
  void addManagedVariable(FatBinary *Image, void **Pointer, const char *Name,
                          uint64_t Size);

  /// The kernel that the host's address stands for, or that is at this address
  /// itself; null if it is none.
  KernelHandle *kernel(const void *Host);

  /// Loads an image now: PTX as text, a fat binary, or a code object. Messages
  /// of the compiler are added to Log.
  cudaError_t open(const void *Start, std::string Name,
                   std::vector<std::string> Options, ImageLife Life,
                   FatBinary *&Image, std::string &Log);
  /// Waits for the devices that have the image and takes it from them. The
  /// thread needs no context. False if there is no such image.
  bool close(FatBinary *Image);
  /// A kernel or a variable of an opened image.
  cudaError_t kernel(FatBinary *Image, const char *Name, KernelHandle *&Kernel);
  cudaError_t variable(FatBinary *Image, const char *Name,
                       rt::SymbolInfo &Symbol);
  /// The names of an opened image's kernels.
  std::vector<std::string> kernelNames(FatBinary *Image);
  /// PTX, or a bundle of inputs to link, as a code object.
  cudaError_t compile(const std::string &Input, const std::string &Name,
                      const std::vector<std::string> &Options,
                      std::vector<uint8_t> &Object, std::string &Log);
  /// Loads an image, which gives its managed variables their addresses.
  cudaError_t initialize(FatBinary *Image);
  /// Makes a kernel ready to be launched.
  cudaError_t load(KernelHandle &Kernel);
  /// The code of a loaded kernel for blocks of \p Threads threads, which is
  /// compiled if what there is has too many registers. Where there is no such
  /// code, what it gives has too many.
  rt::KernelObject codeFor(KernelHandle &Kernel, uint64_t Threads);
  /// Whether there can be code of a loaded kernel with other registers.
  bool canRecompile(const KernelHandle &Kernel);
  /// What is known of a loaded kernel.
  static const rt::KernelInfo &info(const KernelHandle &Kernel) {
    return Kernel.loaded().info();
  }
  /// Bytes of the constant variables of a loaded kernel's module.
  uint64_t constantBytes(const KernelHandle &Kernel);
  /// The GPU that the PTX of a loaded kernel's image is for, 90 for sm_90a; 0
  /// if there is none.
  unsigned targetOf(const KernelHandle &Kernel);
  /// The PTX of a loaded kernel's module, where launches are captured; an error
  /// if it is not one text of PTX.
  llvm::Expected<std::string> source(const KernelHandle &Kernel);
  /// The place of a variable on the device, loading its image if need be.
  cudaError_t variable(const void *Host, rt::SymbolInfo &Symbol);

  /// Takes all images from a device; they load again when asked for.
  void unload(unsigned Device);

private:
  /// Adds a message to the log of errors and to Log, or says it on stderr.
  static cudaError_t fail(cudaError_t Code, const std::string &Message,
                          std::string *Log = nullptr);
  cudaError_t load(FatBinary &Image, std::string *Log = nullptr);
  cudaError_t loadKernel(FatBinary &Image, const std::string &Name,
                         rt::KernelObject &Loaded, std::string *Log = nullptr);
  cudaError_t compileApart(FatBinary &Image, const std::string &Name,
                           KernelCode &Made, std::string *Log);
  cudaError_t loadVariables(FatBinary &Image, std::string *Log = nullptr);
  static void separate(FatBinary &Image);
  cudaError_t compileWith(CompileService &Service, const std::string &Input,
                          const std::string &Name,
                          const std::vector<std::string> &Options,
                          std::vector<uint8_t> &Object, std::string &Log);
  CompileService &service();
  cudaError_t loadObject(rt::Device &Device, FatBinary &Image,
                         const std::vector<uint8_t> &Object, std::string *Log);
  std::unique_ptr<rt::Module> recompile(FatBinary &Image,
                                        const std::string &Kernel,
                                        uint32_t MaxRegisters, std::string &Log,
                                        std::unique_lock<std::mutex> &Lock);
  bool isOpen(const FatBinary *Image) const;
  std::vector<unsigned> devicesOf(const FatBinary *Image);
  FatBinary *insert(std::unique_ptr<FatBinary> Image);
  std::unique_ptr<FatBinary> take(const FatBinary *Image);
  void forgetNamed(FatBinary &Image);
  void forgetRegistered(FatBinary &Image);
  void bindManaged(FatBinary &Image);

  struct Compiler;
  std::unique_ptr<Compiler> TheCompiler;
  std::condition_variable BlockCodeMade; ///< Some BlockCode.
  std::mutex Mutex; ///< Of everything below, and of what it points to.
  using ImageList = std::list<std::unique_ptr<FatBinary>>;
  ImageList Images;
  /// Where each is in Images: a program may have thousands.
  std::unordered_map<const FatBinary *, ImageList::iterator> Places;
  std::map<const void *, KernelHandle> Kernels; ///< By the host's address.
  KernelIndex Known; ///< Those of Kernels, and what images are Named.
  std::map<const void *, Variable> Variables;
  /// Code of libraries that are gone, by device, kept as long as the device.
  std::map<unsigned, std::vector<std::unique_ptr<rt::Module>>> Retired;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_IMAGES_H
