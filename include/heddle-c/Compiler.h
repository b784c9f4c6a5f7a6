//===- Compiler.h - Compiling through the C API -------------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler turns PTX into code objects for one chip, through the cache that
// ptx-compile shares. A compilation is either a call that returns when it is
// done, or a job that runs on the compiler's threads.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_COMPILER_H
#define HEDDLE_C_COMPILER_H

#include "heddle-c/Base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HeddleCompilerImpl *HeddleCompiler;
typedef struct HeddleJobImpl *HeddleJob;
typedef struct HeddleCodeObjectImpl *HeddleCodeObject;
typedef struct HeddleInput HeddleInput;
typedef struct HeddleCompileOptions HeddleCompileOptions;

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

/// Runs Task(TaskContext) once, now or later, on any thread. It must not drop
/// one. The compiler's own recursion runs on a stack of its own.
typedef void (*HeddleExecutor)(void *Context, void (*Task)(void *TaskContext),
                               void *TaskContext);

/// A line for people. Called from any thread.
typedef void (*HeddleLogger)(void *Context, HeddleSeverity Severity,
                             const char *Message);

/// A stage of one compilation: "parse", "import", "lower", "translate", "link
/// device library", "optimize", "generate code", or "compile" for the whole. In
/// a helper process (Isolate) there is only the whole.
typedef struct HeddleTraceEvent {
  size_t StructSize;
  const char *Stage;
  const char *Input;         ///< its name
  uint64_t BeginNanoseconds; ///< of CLOCK_MONOTONIC
  uint64_t EndNanoseconds;
  const char *Origin; ///< of the whole, as heddleCodeObjectGetOrigin; else ""
} HeddleTraceEvent;

typedef void (*HeddleTracer)(void *Context, const HeddleTraceEvent *Event);

typedef enum HeddleCacheMode HEDDLE_ENUM_BASE {
  HEDDLE_CACHE_DEFAULT = 0, ///< as the environment and the config file say
  HEDDLE_CACHE_OFF = 1,
  HEDDLE_CACHE_READ_ONLY = 2,
  HEDDLE_CACHE_READ_WRITE = 3,
  HEDDLE_CACHE_REFRESH = 4 ///< compile anew and replace what is there
} HeddleCacheMode;

typedef struct HeddleCompilerConfig {
  size_t StructSize;
  uint32_t APIVersion; ///< HEDDLE_C_API_VERSION
  /// The chip to compile for, such as "hd100"; NULL: the default one.
  const char *Chip;
  /// Options of every compilation, in ptxas's spelling ("-O1"); those of a
  /// single one come after them.
  const char *const *Options;
  size_t NumOptions;
  /// Threads that jobs run on, and that the kernels of one input are compiled
  /// on at a time, besides the caller's; 0: one for each core of the host. The
  /// option "--split-compile=N" sets the latter for one compilation; 1: none
  /// besides the caller's. The code is the same for any number.
  uint32_t MaxThreads;
  /// If set, jobs and parts of compilations run there and the compiler has no
  /// threads of its own but some that wait for nothing but the compiler.
  HeddleExecutor Executor;
  void *ExecutorContext;
  HeddleLogger Logger; ///< may be NULL
  void *LoggerContext;
  const HeddleAllocator *Allocator; ///< of code objects' bytes; may be NULL
  HeddleCacheMode CacheMode;
  const char *CacheDirectory; ///< NULL: the default one
  /// Inputs above it are refused; 0: 256 MiB.
  uint64_t MaxInputBytes;
  /// A compilation that has more than this allocated at a time ends with
  /// HEDDLE_ERROR_LIMIT; 0: no limit. What it had allocated is then lost to the
  /// process, unless Isolate is set.
  uint64_t MaxMemoryBytes;
  /// Limit of every compilation that states none; see
  /// HeddleCompileOptions.TimeoutNanoseconds. 0: none.
  uint64_t TimeoutNanoseconds;
  /// If set, compilations run in helper processes: one that crashes or hangs
  /// there is an error here, a timeout ends it at once, and all of its memory
  /// is given back. Costs some 10 ms for the first one and little for more.
  int Isolate;
  /// Called when a stage of a compilation is done. From any thread. Besides,
  /// events go to the file that HEDDLE_TRACE in the environment names, in the
  /// format of Chrome's tracing.
  HeddleTracer Tracer;
  void *TracerContext;
  /// Where a compilation that ends with HEDDLE_ERROR_INTERNAL leaves a
  /// reproducer, which the message names; NULL: as HEDDLE_REPRODUCERS in the
  /// environment says, else nowhere.
  const char *ReproducerDirectory;
  /// What the cache's directory may hold; 0: as the environment and the config
  /// file say.
  uint64_t MaxCacheBytes;
} HeddleCompilerConfig;

static inline void heddleCompilerConfigInit(HeddleCompilerConfig *Config) {
  memset(Config, 0, sizeof(*Config));
  Config->StructSize = sizeof(*Config);
  Config->APIVersion = HEDDLE_C_API_VERSION;
}

/// Makes a compiler; give it back with heddleCompilerDestroy. Does not load
/// LLVM: the first compilation that is not in the cache does. Config may be
/// NULL.
HEDDLE_C_API HeddleError heddleCompilerCreate(
    const HeddleCompilerConfig *Config, HeddleCompiler *OutCompiler);

/// Cancels jobs that have not begun, waits for jobs that run, and frees the
/// compiler. Code objects and jobs stay valid.
HEDDLE_C_API void heddleCompilerDestroy(HeddleCompiler Compiler);

/// Calls Report once for each counter of the compiler's cache, with its name,
/// value and meaning. Thread-safe.
HEDDLE_C_API HeddleError
heddleCompilerGetStatistics(HeddleCompiler Compiler,
                            void (*Report)(void *Context, const char *Name,
                                           uint64_t Value, const char *Help),
                            void *Context);

/// The cache's directory; "" if there is none. The string lives as long as the
/// compiler. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerGetCacheDirectory(
    HeddleCompiler Compiler, const char **OutDirectory);

/// Bytes that the cache's directory holds. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerGetCacheSize(HeddleCompiler Compiler,
                                                    uint64_t *OutBytes);

/// Removes what was not used for longest until at most MaxBytes are left; 0
/// empties the cache. What this process keeps in memory stays. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerTrimCache(HeddleCompiler Compiler,
                                                 uint64_t MaxBytes,
                                                 uint64_t *OutRemovedBytes);

/// Puts everything that a pack holds (ptx-cache export makes them) into the
/// cache's directory. OutEntries may be NULL. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerWarmCache(HeddleCompiler Compiler,
                                                 const char *PackFile,
                                                 uint64_t *OutEntries);

/// A search for code that is faster than the compiler's own decisions give.
typedef struct HeddleTuning {
  size_t StructSize;
  /// Launch manifests, "FILE" or "FILE@WEIGHT", of the inputs that matter.
  const char *const *Manifests;
  size_t NumManifests;
  const char *Chip;     ///< NULL: ptx-tune's default
  const char *Kernel;   ///< NULL: all that the manifests launch
  const char *Document; ///< a file for what was decided; NULL: none
  uint32_t Evaluations; ///< for each kernel; 0: ptx-tune's default
  uint32_t Seconds;     ///< for all; 0: no limit
} HeddleTuning;

static inline void heddleTuningInit(HeddleTuning *Tuning) {
  memset(Tuning, 0, sizeof(*Tuning));
  Tuning->StructSize = sizeof(*Tuning);
}

/// Starts ptx-tune in a process of low priority, which outlives this one, and
/// returns. Compilations after its end that take tuning records, as those for
/// tier 1 do, find in the compiler's cache what it found. An error says that it
/// could not be started; later errors are not reported. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerTune(HeddleCompiler Compiler,
                                            const HeddleTuning *Tuning);

/// Writes what repeats a compilation with ptx-compile into a directory, which
/// is made if it is not there. OutFile is the name of the options file, to be
/// freed with heddleStringDestroy. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerWriteReproducer(
    HeddleCompiler Compiler, const HeddleInput *Input,
    const HeddleCompileOptions *Options, const char *Directory, char **OutFile);
HEDDLE_C_API void heddleStringDestroy(char *String);

/// Calls Report once for each chip with its name and description. Thread-safe.
HEDDLE_C_API void heddleEnumerateChips(void (*Report)(void *Context,
                                                      const char *Name,
                                                      const char *Description),
                                       void *Context);

/// The PTX versions that are understood, as "9.0\n8.8\n..."; the string lives
/// as long as the compiler. Loads the compiler's library. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerGetPTXVersions(HeddleCompiler Compiler,
                                                      const char **OutVersions);

/// Calls Report once for each GPU that .target may name, such as "sm_90a", with
/// the first PTX version that knows it, such as "8.0". Loads the compiler's
/// library. Thread-safe.
HEDDLE_C_API HeddleError heddleCompilerEnumerateTargets(
    HeddleCompiler Compiler,
    void (*Report)(void *Context, const char *Name, const char *PTXVersion),
    void *Context);

/// Calls Report once for each option, with its long name, what values it takes
/// ("" for none) and its description. Thread-safe.
HEDDLE_C_API void
heddleEnumerateOptions(void (*Report)(void *Context, const char *Name,
                                      const char *Values, const char *Help),
                       void *Context);

//===----------------------------------------------------------------------===//
// Compilations
//===----------------------------------------------------------------------===//

struct HeddleInput {
  size_t StructSize;
  /// PTX, a fat binary as nvcc embeds it, of which the best PTX is taken, or
  /// LLVM bitcode for nvptx64 (docs/nvvm.md).
  const void *Data;
  size_t Size;
  const char *Name; ///< for messages; NULL: "<input>"
};

struct HeddleCompileOptions {
  size_t StructSize;
  const char *const *Options; ///< in ptxas's spelling
  size_t NumOptions;
  /// Ends the compilation with HEDDLE_ERROR_TIMEOUT about this many nanoseconds
  /// after it began; 0: never. It is looked at between the compiler's passes
  /// and between functions, so that a long pass over one function is finished.
  uint64_t TimeoutNanoseconds;
  /// Called with the number of functions whose code is done, of how many. From
  /// a thread of the compiler, one call at a time.
  void (*Progress)(void *Context, uint32_t Done, uint32_t Total);
  void *ProgressContext;
  /// If set, nothing is compiled: what the cache does not have is
  /// HEDDLE_ERROR_NOT_FOUND.
  int OnlyCached;
};

static inline void heddleCompileOptionsInit(HeddleCompileOptions *Options) {
  memset(Options, 0, sizeof(*Options));
  Options->StructSize = sizeof(*Options);
}

/// Compiles and waits. Options may be NULL. Give the code object back with
/// heddleCodeObjectDestroy. Thread-safe.
HEDDLE_C_API HeddleError heddleCompile(HeddleCompiler Compiler,
                                       const HeddleInput *Input,
                                       const HeddleCompileOptions *Options,
                                       HeddleCodeObject *OutCode);

/// Called once when a job is done, from the thread that did it. Job stands for
/// the job during the call only; its result may be taken.
typedef void (*HeddleCompletion)(void *Context, HeddleJob Job);

/// Starts compiling and returns. The input and the options are copied. OnDone
/// may be NULL. Give the job back with heddleJobDestroy. Thread-safe.
HEDDLE_C_API HeddleError heddleCompileAsync(HeddleCompiler Compiler,
                                            const HeddleInput *Input,
                                            const HeddleCompileOptions *Options,
                                            HeddleCompletion OnDone,
                                            void *OnDoneContext,
                                            HeddleJob *OutJob);

/// Waits until the job is done, at most Nanoseconds (UINT64_MAX: for ever).
/// Returns whether it is. Thread-safe.
HEDDLE_C_API int heddleJobWait(HeddleJob Job, uint64_t Nanoseconds);

/// Asks the job to end soon; a job that is done stays as it is. Thread-safe.
HEDDLE_C_API void heddleJobCancel(HeddleJob Job);

/// Waits, and hands the result over: a code object to be destroyed by the
/// caller, or an error. The second call is an error. Thread-safe.
HEDDLE_C_API HeddleError heddleJobTakeResult(HeddleJob Job,
                                             HeddleCodeObject *OutCode);

/// Gives the job back. One that is not done goes on without it.
HEDDLE_C_API void heddleJobDestroy(HeddleJob Job);

//===----------------------------------------------------------------------===//
// Code objects. All of these are thread-safe but heddleCodeObjectDestroy.
//===----------------------------------------------------------------------===//

HEDDLE_C_API void heddleCodeObjectDestroy(HeddleCodeObject Code);

/// The bytes of the ELF file (docs/object-format.md).
HEDDLE_C_API const void *heddleCodeObjectGetData(HeddleCodeObject Code);
HEDDLE_C_API size_t heddleCodeObjectGetSize(HeddleCodeObject Code);
HEDDLE_C_API const char *heddleCodeObjectGetChip(HeddleCodeObject Code);

/// Where it came from: "made", "memory", "local", "pack", "remote" ...
HEDDLE_C_API const char *heddleCodeObjectGetOrigin(HeddleCodeObject Code);

/// Warnings and notes about the input.
HEDDLE_C_API size_t heddleCodeObjectGetNumDiagnostics(HeddleCodeObject Code);
HEDDLE_C_API int heddleCodeObjectGetDiagnostic(HeddleCodeObject Code,
                                               size_t Index,
                                               HeddleDiagnostic *OutDiagnostic);

/// One kernel. Sizes in bytes.
typedef struct HeddleKernelInfo {
  size_t StructSize;
  const char *Name;
  uint32_t Registers; ///< 32-bit registers of a thread
  uint32_t UniformRegisters;
  uint32_t SharedBytes; ///< static, of a CTA
  uint32_t LocalBytes;  ///< stack and spills of a thread
  uint32_t SpillStoreBytes, SpillLoadBytes;
  uint32_t Barriers;
  uint32_t ParamBytes;
  uint32_t NumParams;
  uint32_t MaxThreads; ///< of a CTA, by .maxntid or .reqntid; 0: no limit
} HeddleKernelInfo;

typedef struct HeddleParamInfo {
  size_t StructSize;
  const char *Name;
  const char *Type; ///< PTX's word: "u64", "f32", "b8[24]"
  uint32_t Offset, Size, Align;
} HeddleParamInfo;

HEDDLE_C_API size_t heddleCodeObjectGetNumKernels(HeddleCodeObject Code);
/// Fills in OutInfo, whose StructSize has to be set. Returns 0 if there is no
/// kernel Index.
HEDDLE_C_API int heddleCodeObjectGetKernel(HeddleCodeObject Code, size_t Index,
                                           HeddleKernelInfo *OutInfo);
HEDDLE_C_API int heddleCodeObjectGetParam(HeddleCodeObject Code, size_t Kernel,
                                          size_t Index,
                                          HeddleParamInfo *OutInfo);

/// CTAs of a kernel that one core of the chip holds at a time, and what limits
/// their number ("warps", "registers", "shared memory", "CTAs").
HEDDLE_C_API HeddleError heddleCodeObjectGetOccupancy(
    HeddleCodeObject Code, size_t Kernel, uint32_t ThreadsPerCTA,
    uint32_t DynamicSharedBytes, uint32_t *OutCTAsPerCore,
    const char **OutLimiter);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_COMPILER_H
