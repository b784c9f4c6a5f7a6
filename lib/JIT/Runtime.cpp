//===- Runtime.cpp - Running kernels through the C API ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-c/Runtime.h over lib/Runtime.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/Runtime.h"
#include "Modules.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Metrics/Metrics.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Runtime/LaunchShape.h"

#include <cstdio>

using namespace heddle;
using namespace heddle::jit;

struct HeddleContextImpl {
  explicit HeddleContextImpl(std::unique_ptr<rt::Device> D)
      : Context(std::move(D)) {}
  rt::Context Context;
};

struct HeddleModuleImpl {
  HeddleContext Owner;
  std::unique_ptr<LoadedModule> Module;
};

struct HeddleStreamImpl {
  HeddleContext Owner;
  rt::Stream *Stream;
};

struct HeddleEventImpl {
  std::shared_ptr<rt::Event> Event = std::make_shared<rt::Event>();
};

struct HeddleGraphImpl {
  std::unique_ptr<rt::ExecutableGraph> Graph;
};

/// What a call of the runtime returned. A fault of a kernel, now or before,
/// outranks what the call itself has to say.
static HeddleError convert(HeddleContext Context, llvm::Error E) {
  if (!E)
    return nullptr;
  std::string Message = toString(std::move(E));
  if (std::optional<rt::QueueFailure> F = Context->Context.failure())
    return makeError(F->Fault ? HEDDLE_ERROR_KERNEL_FAULT : HEDDLE_ERROR_DEVICE,
                     F->Message);
  return makeError(HEDDLE_ERROR_DEVICE, std::move(Message));
}

/// The stream that a handle, or NULL, stands for.
static rt::Stream &streamOf(HeddleContext Context, HeddleStream Stream) {
  return Stream ? *Stream->Stream : Context->Context.defaultStream();
}

static HeddleError enqueue(HeddleContext Context, HeddleStream Stream,
                           rt::Operation Op) {
  if (!Context)
    return nullArgument("Context");
  return convert(Context, streamOf(Context, Stream).enqueue(std::move(Op)));
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// What HeddleContextConfig::Profile is called with.
static std::string profileOf(const rt::ObservedLaunch &R) {
  const rt::LaunchProfile &P = *R.Result.Profile;
  llvm::json::Object Metrics;
  for (const prof::Metric &M : prof::computeMetrics(P))
    Metrics[M.Name] = llvm::json::Object{{"value", M.Value}, {"unit", M.Unit}};
  std::string Text;
  llvm::raw_string_ostream(Text)
      << llvm::json::Value(llvm::json::Object{{"kernel", R.Kernel.Name},
                                              {"cycles", P.totalCycles()},
                                              {"seconds", P.seconds()},
                                              {"metrics", std::move(Metrics)},
                                              {"profile", rt::profileJSON(P)}});
  return Text;
}

/// What a configuration says of memory.
static HeddleError readMemory(const HeddleContextConfig &C,
                              emu::EmulatorOptions &Options) {
  if (C.FreshMemory != HEDDLE_FRESH_MEMORY_ZERO &&
      C.FreshMemory != HEDDLE_FRESH_MEMORY_POISON)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "no kind of fresh memory has the number " +
                         std::to_string(C.FreshMemory));
  if (C.FreshMemory == HEDDLE_FRESH_MEMORY_POISON)
    Options.FreshMemory = rt::FreshMemory::Poison;
  if (C.Bounds != HEDDLE_MEMORY_BOUNDS_EXACT &&
      C.Bounds != HEDDLE_MEMORY_BOUNDS_PAGE)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "no bounds of memory have the number " +
                         std::to_string(C.Bounds));
  if (C.Bounds == HEDDLE_MEMORY_BOUNDS_PAGE)
    Options.Bounds = rt::MemoryBounds::Page;
  return nullptr;
}

HeddleError heddleContextCreate(const HeddleContextConfig *Config,
                                HeddleContext *OutContext) {
  if (!OutContext)
    return nullArgument("OutContext");
  *OutContext = nullptr;
  HeddleContextConfig C;
  heddleContextConfigInit(&C);
  if (Config && !readStruct(Config, C))
    return makeError(HEDDLE_ERROR_VERSION,
                     "HeddleContextConfig states no StructSize");
  if (C.APIVersion == 0 || C.APIVersion > HEDDLE_C_API_VERSION)
    return makeError(HEDDLE_ERROR_VERSION, "API version " +
                                               std::to_string(C.APIVersion) +
                                               " is not served");
  emu::EmulatorOptions Options;
  if (C.Chip)
    Options.Chip = C.Chip;
  if (C.MemoryBytes)
    Options.MemoryBytes = C.MemoryBytes;
  Options.StrictHazards = C.StrictHazards;
  Options.Timing = C.Profile;
  if (HeddleError E = readMemory(C, Options))
    return E;
  emu::Execution Mode;
  if (llvm::Error E =
          (C.Execution ? native::parseExecution(C.Execution)
                       : native::executionOfEnvironment(emu::Execution::Auto))
              .moveInto(Mode))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, toString(std::move(E)));
  if (llvm::Error E = native::chooseExecution(Options, Mode))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, toString(std::move(E)));
  llvm::Expected<std::unique_ptr<rt::Device>> Device =
      emu::createEmulatorDevice(Options);
  if (!Device)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     toString(Device.takeError()));
  (*Device)->setOutputSink(
      [Print = C.Print, PrintContext = C.PrintContext](llvm::StringRef Text) {
        if (Print)
          Print(PrintContext, Text.data(), Text.size());
        else
          std::fwrite(Text.data(), 1, Text.size(), stdout);
      });
  *OutContext = new HeddleContextImpl(std::move(*Device));
  if (C.Profile)
    (*OutContext)->Context.setLaunchObserver([C](const rt::ObservedLaunch &R) {
      if (!R.Result.Profile)
        return;
      std::string JSON = profileOf(R);
      C.Profile(C.ProfileContext, JSON.data(), JSON.size());
    });
  return nullptr;
}

void heddleContextDestroy(HeddleContext Context) { delete Context; }

HeddleError heddleContextSynchronize(HeddleContext Context) {
  if (!Context)
    return nullArgument("Context");
  return convert(Context, Context->Context.synchronize());
}

HeddleError heddleAllocate(HeddleContext Context, uint64_t Size,
                           HeddleAddress *OutAddress) {
  if (!Context || !OutAddress)
    return nullArgument(Context ? "OutAddress" : "Context");
  llvm::Expected<rt::DeviceAddress> Address =
      Context->Context.device().allocate(Size);
  *OutAddress = Address ? *Address : 0;
  return convert(Context, Address.takeError());
}

HeddleError heddleFree(HeddleContext Context, HeddleAddress Address) {
  if (!Context)
    return nullArgument("Context");
  if (Address == 0)
    return nullptr;
  return convert(Context, Context->Context.free(Address));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

HeddleError heddleModuleLoad(HeddleContext Context, const void *Data,
                             size_t Size, HeddleModule *OutModule) {
  if (!Context || !Data || !OutModule)
    return nullArgument(!Context ? "Context" : Data ? "OutModule" : "Data");
  *OutModule = nullptr;
  llvm::Expected<std::unique_ptr<rt::Module>> Module =
      Context->Context.device().loadModule(
          llvm::ArrayRef(static_cast<const uint8_t *>(Data), Size));
  if (!Module)
    return convert(Context, Module.takeError());
  llvm::Expected<pgo::CountedCode> Counted = pgo::readCountedCode(
      llvm::ArrayRef(static_cast<const uint8_t *>(Data), Size));
  if (!Counted)
    return convert(Context, Counted.takeError());
  *OutModule = new HeddleModuleImpl{
      Context,
      std::make_unique<FixedModule>(Context->Context.device(),
                                    std::move(*Module), std::move(*Counted))};
  return nullptr;
}

HeddleError heddleModuleCompile(HeddleContext Context, HeddleCompiler Compiler,
                                const HeddleInput *Input,
                                const HeddleModuleOptions *Options,
                                HeddleModule *OutModule) {
  if (!Context || !Compiler || !OutModule)
    return nullArgument(!Context   ? "Context"
                        : Compiler ? "OutModule"
                                   : "Compiler");
  *OutModule = nullptr;
  HeddleModuleOptions O;
  heddleModuleOptionsInit(&O);
  if (Options && !readStruct(Options, O))
    return makeError(HEDDLE_ERROR_VERSION,
                     "HeddleModuleOptions states no StructSize");
  if (O.Tiers > HEDDLE_TIERS_BEST)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, "unknown kind of tiers");
  HeddleCompileOptions CO;
  heddleCompileOptionsInit(&CO);
  CO.Options = O.Options;
  CO.NumOptions = O.NumOptions;
  Compilation Source;
  if (HeddleError E = readCompilation(Input, &CO, Source))
    return E;
  auto Module = std::make_unique<CompiledModule>(
      Context->Context.device(), *Compiler, std::move(Source), O);
  if (HeddleError E = Module->load())
    return E;
  *OutModule = new HeddleModuleImpl{Context, std::move(Module)};
  return nullptr;
}

HeddleError heddleModuleSpecialize(HeddleModule Module,
                                   const HeddleSpecialization *Specialization) {
  if (!Module || !Specialization)
    return nullArgument(Module ? "Specialization" : "Module");
  HeddleSpecialization S;
  heddleSpecializationInit(&S);
  if (!readStruct(Specialization, S))
    return makeError(HEDDLE_ERROR_VERSION,
                     "HeddleSpecialization states no StructSize");
  if (S.NumArguments && !S.Arguments)
    return nullArgument("Specialization->Arguments");
  return Module->Module->specialize(S);
}

HeddleError heddleModuleWait(HeddleModule Module) {
  if (!Module)
    return nullArgument("Module");
  Module->Module->wait();
  return nullptr;
}

HeddleError heddleModuleAddProfile(HeddleModule Module, const char *Path) {
  if (!Module || !Path)
    return nullArgument(Module ? "Path" : "Module");
  llvm::Expected<pgo::ProfileData> Profile = Module->Module->collectProfile();
  if (!Profile)
    return convert(Module->Owner, Profile.takeError());
  if (Profile->Functions.empty())
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "the module's code counts nothing");
  if (llvm::Error E = Profile->addToFile(Path))
    return makeError(HEDDLE_ERROR_IO, toString(std::move(E)));
  return nullptr;
}

HeddleError heddleModuleGetTier(HeddleModule Module, uint32_t Kernel,
                                int32_t *OutTier) {
  if (!Module || !OutTier)
    return nullArgument(Module ? "OutTier" : "Module");
  return Module->Module->tier(Kernel, *OutTier);
}

void heddleModuleDestroy(HeddleModule Module) {
  if (!Module)
    return;
  // A failure was or will be told by another call.
  llvm::consumeError(Module->Owner->Context.synchronize());
  delete Module;
}

HeddleError heddleModuleGetKernel(HeddleModule Module, const char *Name,
                                  uint32_t *OutKernel) {
  if (!Module || !Name || !OutKernel)
    return nullArgument(!Module ? "Module" : Name ? "OutKernel" : "Name");
  std::optional<uint32_t> Index = Module->Module->findKernel(Name);
  if (!Index)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "the module has no kernel '" + std::string(Name) + "'");
  *OutKernel = *Index;
  return nullptr;
}

HeddleError heddleModuleGetVariable(HeddleModule Module, const char *Name,
                                    HeddleAddress *OutAddress,
                                    uint64_t *OutSize) {
  if (!Module || !Name)
    return nullArgument(Module ? "Name" : "Module");
  const rt::Module *Variables = nullptr;
  if (HeddleError E = Module->Module->variables(Variables))
    return E;
  const rt::SymbolInfo *Symbol = Variables->findSymbol(Name);
  if (!Symbol)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "the module has no variable '" + std::string(Name) + "'");
  if (OutAddress)
    *OutAddress = Symbol->Address;
  if (OutSize)
    *OutSize = Symbol->Size;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

HeddleError heddleStreamCreate(HeddleContext Context, int NonBlocking,
                               HeddleStream *OutStream) {
  if (!Context || !OutStream)
    return nullArgument(Context ? "OutStream" : "Context");
  rt::Stream &S = Context->Context.createStream(
      NonBlocking ? rt::Stream::Kind::NonBlocking : rt::Stream::Kind::Blocking);
  *OutStream = new HeddleStreamImpl{Context, &S};
  return nullptr;
}

void heddleStreamDestroy(HeddleStream Stream) {
  if (!Stream)
    return;
  Stream->Owner->Context.destroyStream(*Stream->Stream);
  delete Stream;
}

HeddleError heddleStreamSynchronize(HeddleContext Context,
                                    HeddleStream Stream) {
  if (!Context)
    return nullArgument("Context");
  return convert(Context, streamOf(Context, Stream).synchronize());
}

HeddleError heddleStreamIsIdle(HeddleContext Context, HeddleStream Stream,
                               int *OutIdle) {
  if (!Context || !OutIdle)
    return nullArgument(Context ? "OutIdle" : "Context");
  *OutIdle = streamOf(Context, Stream).isIdle();
  return convert(Context, Context->Context.status());
}

/// Puts the arguments into a parameter block.
static HeddleError packArguments(const HeddleLaunch &L,
                                 const rt::KernelInfo &Kernel,
                                 std::vector<uint8_t> &Block) {
  if (L.NumArguments != Kernel.Params.size())
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "kernel '" + Kernel.Name + "' takes " +
                         std::to_string(Kernel.Params.size()) +
                         " arguments, not " + std::to_string(L.NumArguments));
  Block.resize(Kernel.ParamBytes);
  for (uint32_t I = 0; I != L.NumArguments; ++I) {
    if (!L.Arguments || !L.Arguments[I])
      return nullArgument("an argument");
    std::memcpy(&Block[Kernel.Params[I].Offset], L.Arguments[I],
                Kernel.Params[I].Size);
  }
  return nullptr;
}

/// Refuses a launch that the kernel or the device does not take.
static HeddleError checkShape(HeddleContext Context,
                              const rt::KernelInfo &Kernel,
                              const rt::KernelOp &Op) {
  rt::LaunchConfig Config = Op.Config;
  Config.Params = Op.Params;
  uint32_t MaxThreads = Context->Context.device().properties().ThreadsPerCTA;
  if (llvm::Error E = rt::checkLaunchShape(Kernel, Config, MaxThreads))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, toString(std::move(E)));
  return nullptr;
}

HeddleError heddleLaunch(HeddleContext Context, HeddleStream Stream,
                         const HeddleLaunch *Launch) {
  if (!Context || !Launch)
    return nullArgument(Context ? "Launch" : "Context");
  HeddleLaunch L;
  heddleLaunchInit(&L);
  if (!readStruct(Launch, L))
    return makeError(HEDDLE_ERROR_VERSION, "HeddleLaunch states no StructSize");
  if (!L.Module)
    return nullArgument("Launch->Module");
  rt::KernelOp Op;
  Op.Config.Grid = {L.Grid[0], L.Grid[1], L.Grid[2]};
  Op.Config.Block = {L.Block[0], L.Block[1], L.Block[2]};
  if (L.Cluster[0] || L.Cluster[1] || L.Cluster[2])
    Op.Config.Cluster = {L.Cluster[0], L.Cluster[1], L.Cluster[2]};
  Op.Config.DynamicSharedBytes = L.DynamicSharedBytes;
  if (HeddleError E = L.Module->Module->pick(L.Kernel, &Op.Config, Op.Kernel))
    return E;
  const rt::KernelInfo &Kernel = Op.Kernel.Owner->kernels()[Op.Kernel.Index];
  if (HeddleError E = packArguments(L, Kernel, Op.Params))
    return E;
  if (HeddleError E = checkShape(Context, Kernel, Op))
    return E;
  if (HeddleError E =
          L.Module->Module->pickFor(L.Kernel, Op.Config, Op.Params, Op.Kernel))
    return E;
  return enqueue(Context, Stream, std::move(Op));
}

static rt::CopyPlace onHost(const void *Address) {
  return {reinterpret_cast<uintptr_t>(Address), /*IsHost=*/true};
}

static rt::CopyPlace onDevice(HeddleAddress Address) {
  return {Address, /*IsHost=*/false};
}

HeddleError heddleCopyToDevice(HeddleContext Context, HeddleStream Stream,
                               HeddleAddress Destination, const void *Source,
                               uint64_t Size) {
  return enqueue(Context, Stream,
                 rt::CopyOp{onDevice(Destination), onHost(Source), Size});
}

HeddleError heddleCopyFromDevice(HeddleContext Context, HeddleStream Stream,
                                 void *Destination, HeddleAddress Source,
                                 uint64_t Size) {
  return enqueue(Context, Stream,
                 rt::CopyOp{onHost(Destination), onDevice(Source), Size});
}

HeddleError heddleCopyOnDevice(HeddleContext Context, HeddleStream Stream,
                               HeddleAddress Destination, HeddleAddress Source,
                               uint64_t Size) {
  return enqueue(Context, Stream,
                 rt::CopyOp{onDevice(Destination), onDevice(Source), Size});
}

HeddleError heddleFill(HeddleContext Context, HeddleStream Stream,
                       HeddleAddress Destination, uint64_t Pattern,
                       uint32_t PatternBytes, uint64_t Count) {
  if (PatternBytes != 1 && PatternBytes != 2 && PatternBytes != 4 &&
      PatternBytes != 8)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "a pattern has 1, 2, 4 or 8 bytes");
  return enqueue(Context, Stream,
                 rt::FillOp{Destination, Pattern, PatternBytes, Count});
}

HeddleError heddleHostCall(HeddleContext Context, HeddleStream Stream,
                           void (*Function)(void *), void *Argument) {
  if (!Function)
    return nullArgument("Function");
  return enqueue(Context, Stream, rt::HostOp{[=] { Function(Argument); }});
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

HeddleError heddleEventCreate(HeddleContext Context, HeddleEvent *OutEvent) {
  if (!Context || !OutEvent)
    return nullArgument(Context ? "OutEvent" : "Context");
  *OutEvent = new HeddleEventImpl;
  return nullptr;
}

void heddleEventDestroy(HeddleEvent Event) { delete Event; }

HeddleError heddleEventRecord(HeddleContext Context, HeddleStream Stream,
                              HeddleEvent Event) {
  if (!Event)
    return nullArgument("Event");
  return enqueue(Context, Stream, rt::RecordOp{Event->Event});
}

HeddleError heddleStreamWaitEvent(HeddleContext Context, HeddleStream Stream,
                                  HeddleEvent Event) {
  if (!Event)
    return nullArgument("Event");
  return enqueue(Context, Stream, rt::WaitOp{Event->Event});
}

HeddleError heddleEventSynchronize(HeddleContext Context, HeddleEvent Event) {
  if (!Context || !Event)
    return nullArgument(Context ? "Event" : "Context");
  Event->Event->synchronize();
  return convert(Context, Context->Context.status());
}

HeddleError heddleEventElapsed(HeddleEvent Begin, HeddleEvent End,
                               int64_t *OutNanoseconds) {
  if (!Begin || !End || !OutNanoseconds)
    return nullArgument("an argument of heddleEventElapsed");
  std::optional<uint64_t> From = Begin->Event->timestamp();
  std::optional<uint64_t> To = End->Event->timestamp();
  if (!From || !To)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "an event was not recorded or is not complete");
  *OutNanoseconds = static_cast<int64_t>(*To - *From);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

HeddleError heddleStreamBeginCapture(HeddleContext Context,
                                     HeddleStream Stream) {
  if (!Context)
    return nullArgument("Context");
  return convert(Context, streamOf(Context, Stream).beginCapture());
}

HeddleError heddleStreamEndCapture(HeddleContext Context, HeddleStream Stream,
                                   HeddleGraph *OutGraph) {
  if (!Context || !OutGraph)
    return nullArgument(Context ? "OutGraph" : "Context");
  *OutGraph = nullptr;
  llvm::Expected<std::shared_ptr<rt::Graph>> Captured =
      streamOf(Context, Stream).endCapture();
  if (!Captured)
    return convert(Context, Captured.takeError());
  llvm::Expected<std::unique_ptr<rt::ExecutableGraph>> Ready =
      rt::ExecutableGraph::instantiate(**Captured);
  if (!Ready)
    return convert(Context, Ready.takeError());
  *OutGraph = new HeddleGraphImpl{std::move(*Ready)};
  return nullptr;
}

HeddleError heddleGraphLaunch(HeddleContext Context, HeddleStream Stream,
                              HeddleGraph Graph) {
  if (!Context || !Graph)
    return nullArgument(Context ? "Graph" : "Context");
  return convert(Context, Graph->Graph->launch(streamOf(Context, Stream)));
}

void heddleGraphDestroy(HeddleGraph Graph) { delete Graph; }
