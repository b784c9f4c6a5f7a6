//===- Runtime.h - Running kernels through the C API --------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context is one device with its memory, modules, streams and events. The
// device is the emulator; a driver for a chip implements the same interface.
//
// As in CUDA, the first kernel that faults spoils its context: every later call
// returns HEDDLE_ERROR_KERNEL_FAULT with what happened. All functions are
// thread-safe but the ones that destroy an object.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_RUNTIME_H
#define HEDDLE_C_RUNTIME_H

#include "heddle-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HeddleContextImpl *HeddleContext;
typedef struct HeddleModuleImpl *HeddleModule;
typedef struct HeddleStreamImpl *HeddleStream;
typedef struct HeddleEventImpl *HeddleEvent;
typedef struct HeddleGraphImpl *HeddleGraph;

/// An address in device memory; 0 is none.
typedef uint64_t HeddleAddress;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

typedef enum HeddleFreshMemory HEDDLE_ENUM_BASE {
  HEDDLE_FRESH_MEMORY_ZERO = 0,
  /// 0x7ffb over and over: a NaN in every type of floating point.
  HEDDLE_FRESH_MEMORY_POISON = 1
} HeddleFreshMemory;

typedef enum HeddleMemoryBounds HEDDLE_ENUM_BASE {
  HEDDLE_MEMORY_BOUNDS_EXACT = 0,
  /// To the end of the pages that a driver would give the allocation.
  HEDDLE_MEMORY_BOUNDS_PAGE = 1
} HeddleMemoryBounds;

typedef struct HeddleContextConfig {
  size_t StructSize;
  uint32_t APIVersion;  ///< HEDDLE_C_API_VERSION
  const char *Chip;     ///< NULL: the default one
  uint64_t MemoryBytes; ///< of the device; 0: 4 GiB
  /// Whether the emulator checks that code waits for its results.
  int StrictHazards;
  /// What kernels print; NULL: standard output.
  void (*Print)(void *Context, const char *Text, size_t Size);
  void *PrintContext;
  /// If set, launches run in the time of the chip (docs/timing.md), and it is
  /// called after each that ended without a fault, on the stream's thread, with
  /// a JSON object: `kernel`, `cycles`, `seconds`, `metrics` (a value and a
  /// unit by Nsight Compute's names) and `profile` as in ptx-run --timing
  /// --json.
  void (*Profile)(void *Context, const char *JSON, size_t Size);
  void *ProfileContext;
  /// What memory holds that has not been written.
  HeddleFreshMemory FreshMemory;
  /// How far behind an allocation kernels may read and write.
  HeddleMemoryBounds Bounds;
  /// How launches are executed: "emulate", "translate", "auto" or "compare"
  /// (docs/native.md). NULL: as HEDDLE_EXECUTION says, else "auto".
  const char *Execution;
} HeddleContextConfig;

static inline void heddleContextConfigInit(HeddleContextConfig *Config) {
  memset(Config, 0, sizeof(*Config));
  Config->StructSize = sizeof(*Config);
  Config->APIVersion = HEDDLE_C_API_VERSION;
}

/// Config may be NULL. Give the context back with heddleContextDestroy.
HEDDLE_C_API HeddleError heddleContextCreate(const HeddleContextConfig *Config,
                                             HeddleContext *OutContext);
/// Ends work in flight. Modules, streams, events and graphs of the context have
/// to be gone before.
HEDDLE_C_API void heddleContextDestroy(HeddleContext Context);

/// Waits for all work of all streams.
HEDDLE_C_API HeddleError heddleContextSynchronize(HeddleContext Context);

HEDDLE_C_API HeddleError heddleAllocate(HeddleContext Context, uint64_t Size,
                                        HeddleAddress *OutAddress);
/// Waits for all work before.
HEDDLE_C_API HeddleError heddleFree(HeddleContext Context,
                                    HeddleAddress Address);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Loads a code object. Data need not outlive the call.
HEDDLE_C_API HeddleError heddleModuleLoad(HeddleContext Context,
                                          const void *Data, size_t Size,
                                          HeddleModule *OutModule);
/// Which code a module that is compiled from PTX runs.
typedef enum HeddleTiers HEDDLE_ENUM_BASE {
  /// Code of -O0 at once. Code of the module's own options is made on the
  /// compiler's threads and takes its place at the next launch after it is
  /// ready. Where the cache has that, it is used from the start.
  HEDDLE_TIERS_REPLACE = 0,
  HEDDLE_TIERS_FAST = 1, ///< Code of -O0 only.
  HEDDLE_TIERS_BEST = 2  ///< Only code of the module's own options.
} HeddleTiers;

/// Asked before code of tier 1 is made, for what is known of the kernels: calls
/// Add(Sink, Option) for each option, in ptxas's spelling, that their code
/// shall be made with besides the module's, such as "--tuning=FILE". The
/// options are part of the cache's key, so that code made with other advice is
/// other code. Kernel is NULL where the whole module is compiled. From any
/// thread.
typedef void (*HeddleAdvisor)(void *Context, const HeddleInput *Input,
                              const char *Kernel,
                              void (*Add)(void *Sink, const char *Option),
                              void *Sink);

typedef struct HeddleModuleOptions {
  size_t StructSize;
  const char *const *Options; ///< in ptxas's spelling
  size_t NumOptions;
  HeddleTiers Tiers;
  /// If set, loading only reads the input: a kernel is compiled when it is
  /// launched first, which then takes longer.
  int Lazy;
  HeddleAdvisor Advisor; ///< may be NULL
  void *AdvisorContext;
  /// With HEDDLE_TIERS_REPLACE: unless 0, code of tier 0 counts where its
  /// threads go, and after so many launches code of tier 1 is made for what was
  /// counted. Lazy has no effect then.
  uint32_t ProfileLaunches;
} HeddleModuleOptions;

static inline void heddleModuleOptionsInit(HeddleModuleOptions *Options) {
  memset(Options, 0, sizeof(*Options));
  Options->StructSize = sizeof(*Options);
}

/// Compiles PTX and loads it. Input is copied, Options may be NULL. Compiler
/// has to outlive the module and to be for the context's chip. The variables of
/// the module stay where they are when code is replaced, and pointers to its
/// functions stay what they are. A module that calls functions through pointers
/// is compiled as a whole.
HEDDLE_C_API HeddleError heddleModuleCompile(HeddleContext Context,
                                             HeddleCompiler Compiler,
                                             const HeddleInput *Input,
                                             const HeddleModuleOptions *Options,
                                             HeddleModule *OutModule);

/// What is known of an argument of a launch.
typedef struct HeddleArgument {
  uint32_t Index; ///< from 0; a scalar of at most 64 bits
  /// 0: the argument is Value, its bytes as an unsigned number. Else Value is a
  /// power of two that it is a multiple of.
  int IsAlignment;
  uint64_t Value;
} HeddleArgument;

typedef struct HeddleSpecialization {
  size_t StructSize;
  uint32_t Kernel;
  uint32_t Block[3]; ///< the shape of CTAs in threads; all zero: any
  const HeddleArgument *Arguments;
  size_t NumArguments;
  /// What becomes of a launch of the kernel that no specialisation is for: 0,
  /// it runs the general code; else it is HEDDLE_ERROR_INVALID_ARGUMENT.
  int RefuseOthers;
} HeddleSpecialization;

static inline void
heddleSpecializationInit(HeddleSpecialization *Specialization) {
  memset(Specialization, 0, sizeof(*Specialization));
  Specialization->StructSize = sizeof(*Specialization);
}

/// Compiles a kernel of a module from heddleModuleCompile for launches of which
/// more is known, with the module's options. A launch runs that code if it is
/// as assumed, which is checked each time; of several that fit, the one that
/// was added last. Graphs keep the code with which they were captured.
HEDDLE_C_API HeddleError heddleModuleSpecialize(
    HeddleModule Module, const HeddleSpecialization *Specialization);

/// Adds what the module's code has counted so far, if it was made with
/// -fprofile-generate or by ProfileLaunches, to a profile for -fprofile-use,
/// which is made if it does not exist. Launches that still run are counted in
/// part.
HEDDLE_C_API HeddleError heddleModuleAddProfile(HeddleModule Module,
                                                const char *Path);

/// Waits until everything that was begun for the module on the compiler's
/// threads is done.
HEDDLE_C_API HeddleError heddleModuleWait(HeddleModule Module);

/// The tier of the code that the next launch of a kernel runs: 0 or 1, or -1 if
/// it has to be compiled. It is 1 for a module from heddleModuleLoad.
HEDDLE_C_API HeddleError heddleModuleGetTier(HeddleModule Module,
                                             uint32_t Kernel, int32_t *OutTier);

/// Waits for all work before.
HEDDLE_C_API void heddleModuleDestroy(HeddleModule Module);

/// The index by which heddleLaunch knows a kernel.
HEDDLE_C_API HeddleError heddleModuleGetKernel(HeddleModule Module,
                                               const char *Name,
                                               uint32_t *OutKernel);
/// The address and size of a variable.
HEDDLE_C_API HeddleError heddleModuleGetVariable(HeddleModule Module,
                                                 const char *Name,
                                                 HeddleAddress *OutAddress,
                                                 uint64_t *OutSize);

//===----------------------------------------------------------------------===//
// Streams. NULL stands for the context's default stream.
//===----------------------------------------------------------------------===//

/// NonBlocking: not ordered with the default stream.
HEDDLE_C_API HeddleError heddleStreamCreate(HeddleContext Context,
                                            int NonBlocking,
                                            HeddleStream *OutStream);
/// What is enqueued is still carried out.
HEDDLE_C_API void heddleStreamDestroy(HeddleStream Stream);
HEDDLE_C_API HeddleError heddleStreamSynchronize(HeddleContext Context,
                                                 HeddleStream Stream);
/// Whether all work of the stream is done.
HEDDLE_C_API HeddleError heddleStreamIsIdle(HeddleContext Context,
                                            HeddleStream Stream, int *OutIdle);

typedef struct HeddleLaunch {
  size_t StructSize;
  HeddleModule Module;
  uint32_t Kernel;
  uint32_t Grid[3];    ///< in CTAs
  uint32_t Block[3];   ///< in threads
  uint32_t Cluster[3]; ///< in CTAs; zeros: as the kernel requires
  uint32_t DynamicSharedBytes;
  /// Addresses of the arguments, one for each parameter of the kernel, each of
  /// the parameter's size; copied before the call returns.
  const void *const *Arguments;
  uint32_t NumArguments;
} HeddleLaunch;

/// Sets all extents to one.
static inline void heddleLaunchInit(HeddleLaunch *Launch) {
  memset(Launch, 0, sizeof(*Launch));
  Launch->StructSize = sizeof(*Launch);
  for (int I = 0; I < 3; ++I)
    Launch->Grid[I] = Launch->Block[I] = Launch->Cluster[I] = 1;
}

/// Enqueues a kernel.
HEDDLE_C_API HeddleError heddleLaunch(HeddleContext Context,
                                      HeddleStream Stream,
                                      const HeddleLaunch *Launch);

/// Enqueue copies and fills. The host's memory has to stay until they are done.
HEDDLE_C_API HeddleError heddleCopyToDevice(HeddleContext Context,
                                            HeddleStream Stream,
                                            HeddleAddress Destination,
                                            const void *Source, uint64_t Size);
HEDDLE_C_API HeddleError heddleCopyFromDevice(HeddleContext Context,
                                              HeddleStream Stream,
                                              void *Destination,
                                              HeddleAddress Source,
                                              uint64_t Size);
HEDDLE_C_API HeddleError heddleCopyOnDevice(HeddleContext Context,
                                            HeddleStream Stream,
                                            HeddleAddress Destination,
                                            HeddleAddress Source,
                                            uint64_t Size);
/// Writes the low PatternBytes (1, 2, 4 or 8) of Pattern Count times.
HEDDLE_C_API HeddleError heddleFill(HeddleContext Context, HeddleStream Stream,
                                    HeddleAddress Destination, uint64_t Pattern,
                                    uint32_t PatternBytes, uint64_t Count);
/// Enqueues a call of the host, which must not call back into the context.
HEDDLE_C_API HeddleError heddleHostCall(HeddleContext Context,
                                        HeddleStream Stream,
                                        void (*Function)(void *Argument),
                                        void *Argument);

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

HEDDLE_C_API HeddleError heddleEventCreate(HeddleContext Context,
                                           HeddleEvent *OutEvent);
HEDDLE_C_API void heddleEventDestroy(HeddleEvent Event);
/// The event stands for all work enqueued in the stream so far.
HEDDLE_C_API HeddleError heddleEventRecord(HeddleContext Context,
                                           HeddleStream Stream,
                                           HeddleEvent Event);
/// Makes the stream wait for the event's last record.
HEDDLE_C_API HeddleError heddleStreamWaitEvent(HeddleContext Context,
                                               HeddleStream Stream,
                                               HeddleEvent Event);
HEDDLE_C_API HeddleError heddleEventSynchronize(HeddleContext Context,
                                                HeddleEvent Event);
/// Nanoseconds from one event to the other; an error if one is not complete.
HEDDLE_C_API HeddleError heddleEventElapsed(HeddleEvent Begin, HeddleEvent End,
                                            int64_t *OutNanoseconds);

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// What follows in the stream (not the default one), and in streams that wait
/// for its events, becomes a graph and is not carried out. Ending the capture
/// instantiates the graph, which may then be launched any number of times.
HEDDLE_C_API HeddleError heddleStreamBeginCapture(HeddleContext Context,
                                                  HeddleStream Stream);
HEDDLE_C_API HeddleError heddleStreamEndCapture(HeddleContext Context,
                                                HeddleStream Stream,
                                                HeddleGraph *OutGraph);
/// Enqueues all operations of the graph.
HEDDLE_C_API HeddleError heddleGraphLaunch(HeddleContext Context,
                                           HeddleStream Stream,
                                           HeddleGraph Graph);
HEDDLE_C_API void heddleGraphDestroy(HeddleGraph Graph);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_RUNTIME_H
