//===- Records.h - The records of CUPTI -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The binary interface of the Activity API: sizes, layouts and numbers that a
// profiler has built in. A later version of a record has further fields behind
// those of the ones before, so that the latest serves all. Names are CUPTI's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CUPTI_RECORDS_H
#define HEDDLE_LIB_CUDA_CUPTI_RECORDS_H

#include <cstddef>
#include <cstdint>

namespace heddle::cuda::cupti {

// NOLINTBEGIN(readability-identifier-naming)
enum CUptiResult : int {
#define HEDDLE_CUPTI_RESULT(Number, Name) Name = Number,
#include "CUPTI/Results.def"
};

enum CUpti_ActivityKind : uint32_t {
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_CONTEXT = 9,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_OVERHEAD = 17,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_CUDA_EVENT = 36,
  CUPTI_ACTIVITY_KIND_STREAM = 37,
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION = 38,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE = 51,
};

enum CUpti_ActivitySynchronizationType : uint32_t {
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN = 0,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE = 1,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT = 2,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE = 3,
  CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE = 4,
};

/// What has no stream or event.
constexpr uint32_t CUPTI_SYNCHRONIZATION_INVALID_VALUE = ~0U;

enum CUpti_ActivityOverheadKind : uint32_t {
  CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER = 1,
  CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH = 1 << 16,
};

enum CUpti_ActivityObjectKind : uint32_t {
  CUPTI_ACTIVITY_OBJECT_THREAD = 2,
};

enum CUpti_ActivityStreamFlag : uint32_t {
  CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT = 1,
  CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING = 2,
};

enum CUpti_ActivityMemcpyKind : uint8_t {
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOH = 9,
  CUPTI_ACTIVITY_MEMCPY_KIND_PTOP = 10,
};

enum CUpti_ActivityMemoryKind : uint8_t {
  CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1,
  CUPTI_ACTIVITY_MEMORY_KIND_PINNED = 2,
  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
  CUPTI_ACTIVITY_MEMORY_KIND_MANAGED = 5,
};

struct __attribute__((packed, aligned(8))) CUpti_Activity {
  CUpti_ActivityKind kind;
};

struct __attribute__((packed, aligned(8))) CUpti_ActivityMemcpy {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
  uint32_t runtimeCorrelationId, pad;
  void *reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID, channelType;
  uint8_t isDeviceLaunched, pad2[3];
  uint64_t copyCount;
  uint32_t sourceGraphId, pad3;
  uint64_t sourceGraphNodeId;
};
static_assert(sizeof(CUpti_ActivityMemcpy) == 112 &&
              offsetof(CUpti_ActivityMemcpy, graphNodeId) == 64);

/// A copy between two devices.
struct __attribute__((packed, aligned(8))) CUpti_ActivityMemcpyPtoP {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId;
  uint32_t srcDeviceId, srcContextId, dstDeviceId, dstContextId;
  uint32_t correlationId;
  void *reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID, channelType;
};

struct __attribute__((packed, aligned(8))) CUpti_ActivityMemset {
  CUpti_ActivityKind kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
  uint16_t flags, memoryKind;
  uint32_t pad;
  void *reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID, channelType;
  uint8_t isDeviceLaunched, pad2[3];
  uint32_t sourceGraphId, pad3;
  uint64_t sourceGraphNodeId;
};

struct __attribute__((packed, aligned(8))) CUpti_ActivityKernel {
  CUpti_ActivityKind kind;
  uint8_t cacheConfig, sharedMemoryConfig;
  uint16_t registersPerThread;
  uint32_t partitionedGlobalCacheRequested, partitionedGlobalCacheExecuted;
  uint64_t start, end, completed;
  uint32_t deviceId, contextId, streamId;
  int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
  int32_t staticSharedMemory, dynamicSharedMemory;
  uint32_t localMemoryPerThread, localMemoryTotal, correlationId;
  int64_t gridId;
  const char *name;
  void *reserved0;
  uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested;
  uint8_t sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted;
  uint64_t graphNodeId;
  uint32_t shmemLimitConfig, graphId;
  void *pAccessPolicyWindow;
  uint32_t channelID, channelType;
  uint32_t clusterX, clusterY, clusterZ, clusterSchedulingPolicy;
  uint64_t localMemoryTotal_v2;
  uint32_t maxPotentialClusterSize, maxActiveClusters;
  uint8_t isDeviceLaunched, padding3[7];
  int32_t priority;
  uint32_t padding4, executionModel, padding5, sourceGraphId, padding6;
  uint64_t sourceGraphNodeId;
};
static_assert(offsetof(CUpti_ActivityKernel, name) == 104 &&
              sizeof(CUpti_ActivityKernel) == 248);

/// A call of the driver or the runtime.
struct __attribute__((packed, aligned(8))) CUpti_ActivityAPI {
  CUpti_ActivityKind kind;
  uint32_t cbid;
  uint64_t start, end;
  uint32_t processId, threadId, correlationId, returnValue;
};
static_assert(sizeof(CUpti_ActivityAPI) == 40);

struct __attribute__((packed, aligned(8))) CUpti_ActivityExternalCorrelation {
  CUpti_ActivityKind kind;
  uint32_t externalKind;
  uint64_t externalId;
  uint32_t correlationId, reserved;
};

struct __attribute__((packed, aligned(8))) CUpti_ActivitySynchronization {
  CUpti_ActivityKind kind;
  CUpti_ActivitySynchronizationType type;
  uint64_t start, end;
  uint32_t correlationId, contextId, streamId, cudaEventId;
  uint64_t cudaEventSyncId;
  uint32_t returnValue, pad;
};
static_assert(sizeof(CUpti_ActivitySynchronization) == 56);

/// An event that was recorded.
struct __attribute__((packed, aligned(8))) CUpti_ActivityCudaEvent {
  CUpti_ActivityKind kind;
  uint32_t correlationId, contextId, streamId, eventId, pad, deviceId, pad2;
  void *reserved0;
  uint64_t deviceTimestamp, cudaEventSyncId;
};
static_assert(sizeof(CUpti_ActivityCudaEvent) == 56);

struct __attribute__((packed, aligned(8))) CUpti_ActivityOverhead {
  CUpti_ActivityKind kind;
  CUpti_ActivityOverheadKind overheadKind;
  CUpti_ActivityObjectKind objectKind;
  uint32_t processId, threadId, pad; ///< CUpti_ActivityObjectKindId
  uint64_t start, end;
  uint32_t correlationId, reserved0;
  void *overheadData;
};
static_assert(sizeof(CUpti_ActivityOverhead) == 56);

struct __attribute__((packed, aligned(8))) CUpti_ActivityContext {
  CUpti_ActivityKind kind;
  uint32_t contextId, deviceId;
  uint16_t computeApiKind, nullStreamId;
  uint32_t parentContextId;
  uint8_t isGreenContext, padding;
  uint16_t numMultiprocessors;
  uint32_t cigMode, padding2;
};
static_assert(sizeof(CUpti_ActivityContext) == 32);

struct __attribute__((packed, aligned(8))) CUpti_ActivityStream {
  CUpti_ActivityKind kind;
  uint32_t contextId, streamId, priority;
  CUpti_ActivityStreamFlag flag;
  uint32_t correlationId;
};
static_assert(sizeof(CUpti_ActivityStream) == 24);

/// The launch of a graph, from its first work to its last.
struct __attribute__((packed, aligned(8))) CUpti_ActivityGraphTrace {
  CUpti_ActivityKind kind;
  uint32_t correlationId;
  uint64_t start, end;
  uint32_t deviceId, graphId, contextId, streamId;
  void *reserved;
  uint32_t endDeviceId, endContextId;
};
static_assert(sizeof(CUpti_ActivityGraphTrace) == 56);

/// What callbacks about resources get; for graphs the descriptor is
/// CUpti_GraphData.
struct CUpti_ResourceData {
  void *context;
  void *stream;
  void *resourceDescriptor;
};

struct CUpti_GraphData {
  void *graph, *originalGraph, *node, *originalNode;
  uint32_t nodeType;
  void *dependency, *graphExec;
};

struct CUpti_SynchronizeData {
  void *context, *stream;
};

enum CUpti_CallbackIdResource : uint32_t {
  CUPTI_CBID_RESOURCE_CONTEXT_CREATED = 1,
  CUPTI_CBID_RESOURCE_STREAM_CREATED = 3,
  CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING = 4,
  CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING = 10,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED = 13,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED = 18,
  CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING = 19,
  CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED = 20,
};

enum CUpti_CallbackIdSync : uint32_t {
  CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED = 1,
  CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED = 2,
};

/// What callbacks of the driver and the runtime get.
struct CUpti_CallbackData {
  uint32_t callbackSite; ///< 0 at the begin, 1 at the end of the call
  const char *functionName;
  const void *functionParams;
  void *functionReturnValue;
  const char *symbolName;
  void *context;
  uint32_t contextUid;
  uint64_t *correlationData;
  uint32_t correlationId;
};
static_assert(sizeof(CUpti_CallbackData) == 72);

enum CUpti_CallbackDomain : uint32_t {
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RUNTIME_API = 2,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
  CUPTI_CB_DOMAIN_SYNCHRONIZE = 4,
  CUPTI_CB_DOMAIN_NVTX = 5,
  CUPTI_CB_DOMAIN_STATE = 6,
  CUPTI_CB_DOMAIN_SIZE = 7,
};

using CUpti_CallbackFunc = void (*)(void *UserData, CUpti_CallbackDomain Domain,
                                    uint32_t Id, const void *Data);
using CUpti_BuffersCallbackRequestFunc = void (*)(uint8_t **Buffer,
                                                  size_t *Size,
                                                  size_t *MaxNumRecords);
using CUpti_BuffersCallbackCompleteFunc = void (*)(void *Context,
                                                   uint32_t StreamId,
                                                   uint8_t *Buffer, size_t Size,
                                                   size_t ValidSize);
using CUpti_TimestampCallbackFunc = uint64_t (*)();
// NOLINTEND(readability-identifier-naming)

/// The number of the context of a device, for profilers.
inline uint32_t contextIdOf(unsigned Device) { return Device + 1; }

} // namespace heddle::cuda::cupti

#endif // HEDDLE_LIB_CUDA_CUPTI_RECORDS_H
