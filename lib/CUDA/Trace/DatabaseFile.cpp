//===- DatabaseFile.cpp - Events in the tables of nsys ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of tables and columns, and numbers of enumerations, are those that
// Nsight Systems documents for its export to SQLite, so that queries for such
// files work. What nsys has no table for is in tables of our own.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Runtime/Runtime.h"
#include "Trace/Database.h"
#include "Trace/Timeline.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static constexpr TableFormat Strings = {
    "StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL"};

static constexpr TableFormat Calls = {
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "
    "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, "
    "callchainId INTEGER"};

static constexpr TableFormat SystemCalls = {
    "OSRT_API",
    "start INTEGER NOT NULL, end INTEGER, eventClass INTEGER NOT NULL, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, "
    "returnValue INTEGER, nestingLevel INTEGER, callchainId INTEGER NOT NULL"};

static constexpr TableFormat Kernels = {
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, greenContextId INTEGER, "
    "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, "
    "mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
    "registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL, "
    "gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, "
    "blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
    "staticSharedMemory INTEGER NOT NULL, "
    "dynamicSharedMemory INTEGER NOT NULL, "
    "localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, "
    "gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, "
    "graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER"};

static constexpr TableFormat Copies = {
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, greenContextId INTEGER, "
    "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, "
    "deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, "
    "srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, "
    "dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, "
    "virtualAddress INTEGER"};

static constexpr TableFormat Fills = {
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, greenContextId INTEGER, "
    "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, "
    "memKind INTEGER"};

static constexpr TableFormat Waits = {
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, greenContextId INTEGER, "
    "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "syncType INTEGER NOT NULL, eventId INTEGER NOT NULL"};

static constexpr TableFormat GraphNodes = {
    "CUDA_GRAPH_NODE_EVENTS",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, "
    "graphNodeId INTEGER NOT NULL, originalGraphNodeId INTEGER"};

static constexpr TableFormat Graphs = {
    "CUDA_GRAPH_EVENTS",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "eventClass INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER NOT NULL, "
    "graphId INTEGER, originalGraphId INTEGER, graphExecId INTEGER"};

static constexpr TableFormat Annotations = {
    "NVTX_EVENTS",
    "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
    "rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, "
    "globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
    "domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, "
    "doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, "
    "floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT"};

static constexpr TableFormat ThreadNames = {
    "ThreadNames", "nameId INTEGER NOT NULL, priority INTEGER, "
                   "globalTid INTEGER"};

static constexpr TableFormat Processes = {
    "PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT"};

static constexpr TableFormat GPUs = {
    "TARGET_INFO_GPU",
    "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, "
    "isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
    "memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, "
    "pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT, "
    "cuDevice INTEGER, ctxswDevPath TEXT, ctrlDevPath TEXT, "
    "revision INTEGER, nodeMask INTEGER, constantMemory INTEGER, "
    "maxIPC INTEGER, maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, "
    "maxShmemPerBlockOptin INTEGER, maxShmemPerSm INTEGER, "
    "maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, asyncEngines INTEGER, "
    "maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, "
    "maxThreadsPerBlock INTEGER, maxBlockDimX INTEGER, maxBlockDimY INTEGER, "
    "maxBlockDimZ INTEGER, maxGridDimX INTEGER, maxGridDimY INTEGER, "
    "maxGridDimZ INTEGER, computeMajor INTEGER, computeMinor INTEGER, "
    "smMajor INTEGER, smMinor INTEGER"};

static constexpr TableFormat DevicesOfProcess = {
    "TARGET_INFO_CUDA_DEVICE",
    "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT, "
    "numMultiprocessors INTEGER NOT NULL"};

static constexpr TableFormat StartTime = {
    "TARGET_INFO_SESSION_START_TIME",
    "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT"};

static constexpr TableFormat Session = {
    "ANALYSIS_DETAILS",
    "globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, "
    "startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL"};

static constexpr TableFormat Export = {"META_DATA_EXPORT",
                                       "name TEXT NOT NULL, value TEXT"};

static constexpr TableFormat Stages = {
    "HEDDLE_COMPILE_STAGES",
    "start INTEGER NOT NULL, end INTEGER NOT NULL, stage TEXT NOT NULL, "
    "input TEXT NOT NULL, origin TEXT"};

static constexpr TableFormat Samples = {
    "COMPOSITE_EVENTS",
    "id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER, "
    "threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER NOT NULL"};

static constexpr TableFormat CallChains = {
    "SAMPLING_CALLCHAINS",
    "id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL, "
    "kernelMode INTEGER, thumbCode INTEGER, unresolved INTEGER, "
    "specialEntry INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL"};

static constexpr TableFormat Counters = {
    "HEDDLE_COUNTERS", "timestamp INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
                       "name TEXT NOT NULL, unit TEXT NOT NULL, "
                       "value REAL NOT NULL"};

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// NVTX_EVENTS.eventType.
enum EventType : int64_t {
  NvtxCategory = 33,
  NvtxMark = 34,
  NvtxPushPopRange = 59,
  NvtxStartEndRange = 60,
  NvtxDomainCreate = 75
};

namespace {
struct EnumRow {
  int64_t Id;
  const char *Name, *Label;
};
} // namespace

#define HEDDLE_ENUM_COLUMNS                                                    \
  "id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT"

static constexpr TableFormat CopyKinds = {"ENUM_CUDA_MEMCPY_OPER",
                                          HEDDLE_ENUM_COLUMNS};
static constexpr EnumRow CopyKindRows[] = {
    {0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"},
    {1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
    {2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
    {8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
    {9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"},
    {10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"}};

static constexpr TableFormat MemoryKinds = {"ENUM_CUDA_MEM_KIND",
                                            HEDDLE_ENUM_COLUMNS};
static constexpr EnumRow MemoryKindRows[] = {
    {0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
    {1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
    {2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"},
    {4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"}};

static constexpr TableFormat LaunchTypes = {"ENUM_CUDA_KERNEL_LAUNCH_TYPE",
                                            HEDDLE_ENUM_COLUMNS};
static constexpr EnumRow LaunchTypeRows[] = {
    {0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown"},
    {1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular"},
    {2, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE",
     "Cooperative Single Device"}};

static constexpr TableFormat EventTypes = {"ENUM_NSYS_EVENT_TYPE",
                                           HEDDLE_ENUM_COLUMNS};
static constexpr EnumRow EventTypeRows[] = {
    {NvtxCategory, "NvtxCategory", "NvtxCategory"},
    {NvtxMark, "NvtxMark", "NvtxMark"},
    {NvtxPushPopRange, "NvtxPushPopRange", "NvtxPushPopRange"},
    {NvtxStartEndRange, "NvtxStartEndRange", "NvtxStartEndRange"},
    {NvtxDomainCreate, "NvtxDomainCreate", "NvtxDomainCreate"}};

/// ENUM_NSYS_EVENT_CLASS of calls of the C library, and of what of graphs comes
/// to be.
static constexpr int64_t OSRuntimeClass = 27, GraphNodeClass = 77,
                         GraphExecClass = 94, GraphClass = 95;

static constexpr TableFormat EventClasses = {"ENUM_NSYS_EVENT_CLASS",
                                             HEDDLE_ENUM_COLUMNS};
static constexpr EnumRow EventClassRows[] = {
    {0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA Runtime"},
    {1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA Driver"},
    {OSRuntimeClass, "TRACE_PROCESS_EVENT_OS_RUNTIME", "OS Runtime"},
    {GraphNodeClass, "TRACE_PROCESS_EVENT_CUDA_GRAPH_NODE_CREATION",
     "CUDA Graph Node Creation"},
    {GraphExecClass, "TRACE_PROCESS_EVENT_CUDA_GRAPH_EXEC_CREATION",
     "CUDA GraphExec Creation"},
    {GraphClass, "TRACE_PROCESS_EVENT_CUDA_GRAPH_CREATION",
     "CUDA Graph Creation"}};

static constexpr TableFormat WaitTypes = {"ENUM_CUPTI_SYNC_TYPE",
                                          HEDDLE_ENUM_COLUMNS};
static constexpr EnumRow WaitTypeRows[] = {
    {0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN", "Unknown"},
    {1, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE",
     "Event synchronize"},
    {2, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT",
     "Stream wait event"},
    {3, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE",
     "Stream synchronize"},
    {4, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE",
     "Context synchronize"}};

static int64_t copyKindOf(Direction D) {
  switch (D) {
  case Direction::ToDevice:
    return 1;
  case Direction::ToHost:
    return 2;
  case Direction::InDevice:
    return 8;
  case Direction::InHost:
    return 9;
  case Direction::ToPeer:
    return 10;
  }
  return 0;
}

static int64_t memoryKindOf(MemoryKind K) {
  return K == MemoryKind::Managed ? 4 : static_cast<int64_t>(K);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

namespace {

class DatabaseFile final : public FileSink {
public:
  DatabaseFile(const std::string &Path, std::unique_ptr<raw_fd_ostream> File,
               uint64_t Start);

  void add(const Span &S) override;
  void add(const Call &C) override { Data->insert(Calls, rowOf(C)); }
  void addWait(const Call &C) override;
  void add(const Stage &S) override;
  void add(const Value &V) override;
  void add(const Sample &S) override;
  void add(const SystemCall &C) override {
    Data->insert(SystemCalls, {since(C.Begin), since(C.End), OSRuntimeClass,
                               threadOf(C.Thread), ++NumSystemCalls,
                               text(C.Name), C.Result, nullptr, int64_t(0)});
  }
  void add(const GraphEvent &E) override;
  void mark(const Annotation &A) override { annotate(A, NvtxMark); }
  void end(const Annotation &A, uint64_t) override {
    annotate(A, A.Id ? NvtxStartEndRange : NvtxPushPopRange);
  }
  void nameThread(uint32_t Thread, StringRef Name) override {
    Data->insert(ThreadNames, {text(Name), int64_t(0), threadOf(Thread)});
  }
  void finish() override;

private:
  void insertEnum(const TableFormat &Table, ArrayRef<EnumRow> Rows) {
    for (const EnumRow &R : Rows)
      Data->insert(Table, {R.Id, StringRef(R.Name), StringRef(R.Label)});
  }
  void insertDevices();
  void annotate(const Annotation &A, EventType Type);
  /// Says what a domain is called, before anything in it.
  void declareDomain(const Annotation &A) {
    if (A.Of->Number && Domains.insert(A.Of).second)
      declare(A, NvtxDomainCreate, A.Of->Name);
  }
  /// A row of NVTX_EVENTS without a payload.
  void declare(const Annotation &A, EventType Type, StringRef Name);
  /// The number of a text in StringIds.
  Field text(StringRef Text);
  int64_t since(uint64_t Time) const {
    return static_cast<int64_t>(Time > Start ? Time - Start : 0);
  }
  /// Numbers of threads and processes as nsys puts them together.
  Field threadOf(uint32_t Thread) const {
    return ProcessId + int64_t(Thread & 0xFFFFFF);
  }
  static Field correlationOf(const Work &W) {
    return W.Correlation ? Field(int64_t(W.Correlation)) : Field(nullptr);
  }
  static Field numberOrNull(uint64_t Number) {
    return Number ? Field(static_cast<int64_t>(Number)) : Field(nullptr);
  }
  static Field nodeOf(const Work &W) {
    return numberOrNull(nodeIdOf(W.Graph, W.Node));
  }
  static Field contextOf(const Work &W) { return int64_t(W.Device + 1); }

  std::vector<Field> rowOf(const Call &C);
  std::vector<Field> rowOfKernel(const Work &W);
  std::vector<Field> rowOfCopy(const Work &W);
  std::vector<Field> rowOfFill(const Work &W);
  std::vector<Field> rowOf(const Annotation &A, EventType Type);
  /// What rows of a series have in common, and which numbers they have besides
  /// begin and end, in this order.
  struct RowInFile final : SeriesInFile {
    Database::Pattern Row;
    bool CountsKernels = false, HasCorrelation = false, HasNode = false;
  };
  RowInFile rowInFile(const Call &C);
  RowInFile rowInFile(const Work &W);
  RowInFile rowInFile(const PlainRange &R);

  const std::unique_ptr<Database> Data;
  const std::string Path;
  const uint64_t Start;
  const int64_t ProcessId; ///< As nsys has it.
  StringMap<int64_t> TextIds;
  int64_t NumKernels = 0, NumSamples = 0, NumSystemCalls = 0;
  std::map<uint64_t, int64_t> Events; ///< Numbers by handle.
  std::set<const Domain *> Domains;
  std::set<std::pair<const Domain *, uint32_t>> Categories;
};

DatabaseFile::DatabaseFile(const std::string &Path,
                           std::unique_ptr<raw_fd_ostream> File, uint64_t Start)
    : Data(std::make_unique<Database>(std::move(File))), Path(Path),
      Start(Start),
      ProcessId(int64_t(1) << 48 | int64_t(getpid() & 0xFFFFFF) << 24) {
  // The tables' version, by which programs know what columns there are.
  Data->insert(Export,
               {StringRef("EXPORT_SCHEMA_VERSION"), StringRef("3.15.1")});
  Data->insert(Export, {StringRef("EXPORT_PRODUCT_NAME"), StringRef("Heddle")});
  using namespace std::chrono;
  auto Now = duration_cast<nanoseconds>(system_clock::now().time_since_epoch());
  Data->insert(StartTime, {int64_t(Now.count()), nullptr, nullptr});
  Data->insert(Processes, {ProcessId, int64_t(getpid()),
                           StringRef(program_invocation_name)});
  insertEnum(CopyKinds, CopyKindRows);
  insertEnum(MemoryKinds, MemoryKindRows);
  insertEnum(LaunchTypes, LaunchTypeRows);
  insertEnum(WaitTypes, WaitTypeRows);
  insertEnum(EventTypes, EventTypeRows);
  insertEnum(EventClasses, EventClassRows);
}

Field DatabaseFile::text(StringRef Text) {
  auto [It, IsNew] =
      TextIds.try_emplace(Text, static_cast<int64_t>(TextIds.size() + 1));
  if (IsNew)
    Data->insert(Strings, {It->second, Text});
  return It->second;
}

std::vector<Field> DatabaseFile::rowOf(const Call &C) {
  int64_t Class = C.Called->Of == Interface::Driver ? 1 : 0;
  return {since(C.Begin),
          since(C.End),
          Class,
          threadOf(C.Thread),
          int64_t(C.Correlation),
          text(C.Called->VersionName),
          int64_t(C.Result),
          nullptr};
}

/// Events have numbers, by their handles.
void DatabaseFile::addWait(const Call &C) {
  bool HasEvent = C.Called->Waits == Synchronization::Event ||
                  C.Called->Waits == Synchronization::StreamForEvent;
  auto Event = int64_t(Call::NoStream);
  if (HasEvent)
    Event =
        Events
            .try_emplace(C.Arguments[C.Called->Waits != Synchronization::Event],
                         static_cast<int64_t>(Events.size() + 1))
            .first->second;
  Data->insert(Waits, {since(C.Begin), since(C.End), int64_t(C.Device),
                       int64_t(C.Device + 1), nullptr, int64_t(C.Stream),
                       int64_t(C.Correlation), ProcessId,
                       static_cast<int64_t>(C.Called->Waits), Event});
}

DatabaseFile::RowInFile DatabaseFile::rowInFile(const Call &C) {
  RowInFile New;
  New.Row = Data->prepare(Calls, rowOf(C), {0, 1, 4});
  New.HasCorrelation = true;
  return New;
}

std::vector<Field> DatabaseFile::rowOfKernel(const Work &W) {
  const Kernel &K = *W.Launched;
  const rt::Dim3 &Grid = W.Grid, &Block = W.Block;
  int64_t Threads = int64_t(Grid.count()) * int64_t(Block.count());
  return {since(W.Begin),
          since(W.End),
          int64_t(W.Device),
          contextOf(W),
          nullptr,
          int64_t(W.Stream),
          correlationOf(W),
          ProcessId,
          text(K.Name),
          text(K.ShortName),
          text(K.Symbol),
          int64_t(W.IsCooperative ? 2 : 1),
          nullptr,
          int64_t(K.Registers),
          int64_t(Grid.X),
          int64_t(Grid.Y),
          int64_t(Grid.Z),
          int64_t(Block.X),
          int64_t(Block.Y),
          int64_t(Block.Z),
          int64_t(K.SharedBytes),
          int64_t(W.DynamicSharedBytes),
          int64_t(K.LocalBytes),
          int64_t(K.LocalBytes) * Threads,
          NumKernels,
          int64_t(K.SharedBytes + W.DynamicSharedBytes),
          nodeOf(W),
          nullptr};
}

std::vector<Field> DatabaseFile::rowOfCopy(const Work &W) {
  return {since(W.Begin),
          since(W.End),
          int64_t(W.Device),
          contextOf(W),
          nullptr,
          int64_t(W.Stream),
          correlationOf(W),
          ProcessId,
          int64_t(W.Bytes),
          copyKindOf(W.Copied),
          nullptr,
          memoryKindOf(W.From),
          memoryKindOf(W.To),
          nullptr,
          nullptr,
          nullptr,
          nullptr,
          nullptr,
          nodeOf(W),
          nullptr};
}

std::vector<Field> DatabaseFile::rowOfFill(const Work &W) {
  return {since(W.Begin),   since(W.End), int64_t(W.Device),
          contextOf(W),     nullptr,      int64_t(W.Stream),
          correlationOf(W), ProcessId,    int64_t(W.Pattern),
          int64_t(W.Bytes), nodeOf(W),    memoryKindOf(W.To)};
}

DatabaseFile::RowInFile DatabaseFile::rowInFile(const Work &W) {
  RowInFile New;
  bool IsKernel = W.Kind == WorkKind::Kernel, IsFill = W.Kind == WorkKind::Fill;
  New.CountsKernels = IsKernel;
  New.HasCorrelation = W.Correlation != 0;
  New.HasNode = W.Node != 0;
  std::vector<unsigned> Changing = {0, 1};
  if (New.CountsKernels)
    Changing.push_back(24);
  if (New.HasCorrelation)
    Changing.push_back(6);
  if (New.HasNode)
    Changing.push_back(IsKernel ? 26 : IsFill ? 10 : 18);
  if (IsKernel)
    New.Row = Data->prepare(Kernels, rowOfKernel(W), Changing);
  else if (IsFill)
    New.Row = Data->prepare(Fills, rowOfFill(W), Changing);
  else
    New.Row = Data->prepare(Copies, rowOfCopy(W), Changing);
  return New;
}

void DatabaseFile::add(const Span &S) {
  const auto &Own =
      inFile<RowInFile>(*S.Of, [this](const auto &E) { return rowInFile(E); });
  int64_t Numbers[5] = {since(S.Begin), since(S.End)};
  size_t Count = 2;
  if (Own.CountsKernels)
    Numbers[Count++] = ++NumKernels;
  if (Own.HasCorrelation)
    Numbers[Count++] = S.Correlation;
  if (Own.HasNode)
    Numbers[Count++] = static_cast<int64_t>(nodeIdOf(S.Graph, S.Node));
  Data->insert(Own.Row, ArrayRef(Numbers, Count));
}

void DatabaseFile::add(const Stage &S) {
  Data->insert(Stages, {since(S.Begin), since(S.End), S.Name, S.Input,
                        S.Detail.empty() ? Field(nullptr) : Field(S.Detail)});
}

void DatabaseFile::add(const Value &V) {
  Data->insert(Counters,
               {since(V.Time), int64_t(V.Device), V.Name, V.Unit, V.Number});
}

void DatabaseFile::add(const GraphEvent &E) {
  Field Time = since(E.Time), Thread = threadOf(E.Thread);
  bool IsExec = E.Kind == GraphEventKind::Exec;
  if (E.Kind == GraphEventKind::Node)
    Data->insert(GraphNodes,
                 {Time, Time, GraphNodeClass, Thread,
                  text("Graph Node Creation"), numberOrNull(E.Number),
                  numberOrNull(E.Original)});
  else
    Data->insert(Graphs,
                 {Time, Time, IsExec ? GraphExecClass : GraphClass, Thread,
                  text(IsExec ? "GraphExec Creation" : "Graph Creation"),
                  numberOrNull(E.Number), numberOrNull(E.Original),
                  numberOrNull(E.Exec)});
}

void DatabaseFile::add(const Sample &S) {
  Data->insert(Samples, {++NumSamples, since(S.Time), int64_t(S.CPU), nullptr,
                         threadOf(S.Thread), int64_t(S.Weight)});
  int64_t Depth = 0;
  for (const CodePlace *Place : S.Places) {
    std::string Address = "0x" + utohexstr(Place->Address, /*LowerCase=*/true);
    bool IsKnown = !Place->Function.empty();
    Data->insert(CallChains,
                 {NumSamples, text(IsKnown ? Place->Function : Address),
                  text(Place->Module.empty() ? "[Unknown]" : Place->Module),
                  int64_t(0), int64_t(0), int64_t(!IsKnown), nullptr,
                  int64_t(Place->Address), Depth++});
  }
}

void DatabaseFile::declare(const Annotation &A, EventType Type,
                           StringRef Name) {
  std::vector<Field> Row(20, nullptr);
  Row[0] = since(A.Begin);
  Row[2] = int64_t(Type);
  if (Type == NvtxCategory)
    Row[4] = int64_t(A.CategoryNumber);
  Row[6] = Name;
  Row[7] = threadOf(A.Thread);
  Row[10] = int64_t(A.Of->Number);
  Data->insert(Annotations, Row);
}

std::vector<Field> DatabaseFile::rowOf(const Annotation &A, EventType Type) {
  std::vector<Field> Row = {since(A.Begin),
                            Type == NvtxMark ? Field(nullptr) : since(A.End),
                            int64_t(Type),
                            A.Id ? Field(int64_t(A.Id)) : Field(nullptr),
                            A.CategoryNumber ? Field(int64_t(A.CategoryNumber))
                                             : Field(nullptr),
                            A.Color ? Field(int64_t(A.Color)) : Field(nullptr),
                            A.Text,
                            threadOf(A.Thread),
                            nullptr,
                            nullptr,
                            int64_t(A.Of->Number)};
  Row.resize(20, nullptr);
  std::visit(
      [&](auto Number) {
        using Type = decltype(Number);
        // The columns are in the order of the variant.
        Field &At = Row[10 + A.Payload.index()];
        if constexpr (std::is_floating_point_v<Type>)
          At = static_cast<double>(Number);
        else if constexpr (std::is_integral_v<Type>)
          At = static_cast<int64_t>(Number);
      },
      A.Payload);
  return Row;
}

void DatabaseFile::annotate(const Annotation &A, EventType Type) {
  declareDomain(A);
  if (A.CategoryNumber && Categories.insert({A.Of, A.CategoryNumber}).second)
    declare(A, NvtxCategory,
            A.Category.empty() ? std::to_string(A.CategoryNumber)
                               : A.Category.str());
  Data->insert(Annotations, rowOf(A, Type));
}

DatabaseFile::RowInFile DatabaseFile::rowInFile(const PlainRange &R) {
  Annotation A;
  A.Of = R.Name->Of;
  A.Text = R.Name->Text;
  A.Thread = R.Thread;
  declareDomain(A);
  RowInFile New;
  New.Row = Data->prepare(Annotations, rowOf(A, NvtxPushPopRange), {0, 1});
  return New;
}

void DatabaseFile::insertDevices() {
  Process::ComputeCapability Capability = Process::programCapability();
  for (int I = 0; ProcessDevice *D = Process::get().device(I); ++I) {
    rt::Context *Context = D->opened();
    if (!Context)
      continue;
    const rt::DeviceProperties &P = D->properties();
    std::vector<Field> Row(41, nullptr);
    Row[0] = int64_t(1) << 48;
    Row[1] = Row[14] = int64_t(I);
    Row[2] = Context->device().name();
    char Bus[16] = {};
    if (cudaDeviceGetPCIBusId(Bus, sizeof(Bus), I) == cudaSuccess)
      Row[3] = StringRef(Bus);
    Row[4] = int64_t(1);
    Row[5] = int64_t(P.L2Bytes);
    Row[6] = int64_t(P.MemoryBytes);
    Row[7] = int64_t(P.MemoryBytesPerSecond);
    Row[8] = int64_t(P.ClockMHz) * 1'000'000;
    Row[9] = int64_t(P.Cores);
    std::string UUID = D->Machine.uuidText();
    Row[11] = StringRef(UUID);
    Row[13] = Context->device().chip();
    Row[23] = int64_t(P.SharedBytesPerCTA);
    Row[24] = int64_t(P.SharedBytesPerCore);
    Row[25] = int64_t(P.RegistersPerCore);
    Row[26] = int64_t(P.WarpSize);
    Row[28] = int64_t(P.WarpsPerCore);
    Row[29] = int64_t(P.CTAsPerCore);
    Row[30] = int64_t(P.ThreadsPerCTA);
    Row[37] = Row[39] = int64_t(Capability.Major);
    Row[38] = Row[40] = int64_t(Capability.Minor);
    Data->insert(GPUs, Row);
    Data->insert(DevicesOfProcess, {int64_t(I), int64_t(I), int64_t(getpid()),
                                    StringRef(UUID), int64_t(P.Cores)});
  }
}

void DatabaseFile::finish() {
  insertDevices();
  Field Stop = since(now());
  Data->insert(Session, {int64_t(1) << 48, Stop, int64_t(0), Stop});
  if (std::error_code Failure = Data->finish())
    errs() << "heddle: '" << Path << "': " << Failure.message() << "\n";
}

} // namespace

std::shared_ptr<FileSink>
createDatabaseFile(const std::string &Path,
                   std::unique_ptr<raw_fd_ostream> File, uint64_t Start) {
  return std::make_shared<DatabaseFile>(Path, std::move(File), Start);
}

} // namespace heddle::cuda::trace
