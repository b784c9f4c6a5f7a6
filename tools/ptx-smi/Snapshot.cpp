//===- Snapshot.cpp - Asks for the state of all devices ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that every device has are errors where they are not there; others are
// left out.
//
//===----------------------------------------------------------------------===//

#include "Snapshot.h"
#include "heddle/Clients/FaultLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace heddle::smi {

/// Of processes that are not to be seen.
static constexpr char UnknownName[] = "[Not Found]";

static std::vector<ProcessUse> readProcesses(const NVML &Library,
                                             DeviceHandle Device) {
  std::vector<ProcessSample> Samples(NVML::MaxProcesses);
  unsigned Count = Samples.size();
  if (Library.result("nvmlDeviceGetProcessUtilization", Device, Samples.data(),
                     &Count, 0ull) != NVML::Success)
    Count = 0;
  Samples.resize(Count);
  std::vector<ProcessUse> Processes;
  for (const ProcessInfo &P : Library.list<ProcessInfo>(
           "nvmlDeviceGetComputeRunningProcesses_v3", Device)) {
    auto Sample = find_if(Samples, [&](const ProcessSample &S) {
      return S.Process == P.Process;
    });
    Expected<std::string> Name =
        Library.text("nvmlSystemGetProcessName", P.Process);
    if (!Name)
      consumeError(Name.takeError());
    ProcessUse Use = {
        P.Process,    Name ? *Name : UnknownName,
        P.Bytes,      Sample == Samples.end() ? 0 : Sample->Device,
        std::nullopt, std::nullopt};
    if (P.GpuInstance != ~0u) {
      Use.Instance = P.GpuInstance;
      Use.ComputeInstance = P.ComputeInstance;
    }
    Processes.push_back(std::move(Use));
  }
  return Processes;
}

static Expected<PartState> readPart(const NVML &Library, DeviceHandle Part) {
  PartState P = {};
  MemoryInfo Memory = {};
  DeviceAttributes Has = {};
  if (Error E = Library.text("nvmlDeviceGetName", Part).moveInto(P.Name))
    return std::move(E);
  if (Error E = Library.text("nvmlDeviceGetUUID", Part).moveInto(P.UUID))
    return std::move(E);
  if (Error E = Library.call("nvmlDeviceGetGpuInstanceId", Part, &P.Instance))
    return std::move(E);
  if (Error E = Library.call("nvmlDeviceGetComputeInstanceId", Part,
                             &P.ComputeInstance))
    return std::move(E);
  if (Error E = Library.call("nvmlDeviceGetMemoryInfo", Part, &Memory))
    return std::move(E);
  if (Error E = Library.call("nvmlDeviceGetAttributes_v2", Part, &Has))
    return std::move(E);
  // What the part is called comes behind the device's name.
  P.Name = StringRef(P.Name).rsplit(" MIG ").second.str();
  P.Cores = Has.Cores;
  P.TotalBytes = Memory.Total;
  P.UsedBytes = Memory.Used;
  return P;
}

static Error readParts(const NVML &Library, DeviceHandle Device,
                       DeviceState &D) {
  unsigned Now = 0, Later = 0;
  if (Error E = Library.call("nvmlDeviceGetMigMode", Device, &Now, &Later))
    return E;
  D.IsDivided = Now;
  DeviceHandle Part = nullptr;
  for (unsigned I = 0; Library.result("nvmlDeviceGetMigDeviceHandleByIndex",
                                      Device, I, &Part) == NVML::Success;
       ++I) {
    Expected<PartState> P = readPart(Library, Part);
    if (!P)
      return P.takeError();
    D.Parts.push_back(std::move(*P));
  }
  return Error::success();
}

static Error readNames(const NVML &Library, DeviceHandle Device,
                       DeviceState &D) {
  PCIInfo Place = {};
  if (Error E = Library.text("nvmlDeviceGetName", Device).moveInto(D.Name))
    return E;
  if (Error E = Library.text("nvmlDeviceGetUUID", Device).moveInto(D.UUID))
    return E;
  if (Error E = Library.call("nvmlDeviceGetCudaComputeCapability", Device,
                             &D.Major, &D.Minor))
    return E;
  if (Error E = Library.call("nvmlDeviceGetPciInfo_v3", Device, &Place))
    return E;
  D.BusId = Place.Id;
  D.Domain = Place.Domain;
  D.Bus = Place.Bus;
  D.Device = Place.Device;
  return Error::success();
}

static std::vector<AccountedUse> readAccounts(const NVML &Library,
                                              DeviceHandle Device) {
  std::vector<AccountedUse> All;
  for (unsigned Process :
       Library.list<unsigned>("nvmlDeviceGetAccountingPids", Device))
    if (auto Stats = Library.value<AccountingStats>(
            "nvmlDeviceGetAccountingStats", Device, Process))
      All.push_back({Process, Stats->IsRunning != 0, Stats->Device,
                     Stats->MostBytes, Stats->Milliseconds});
  return All;
}

static Expected<DeviceState> readDevice(const NVML &Library, unsigned Index) {
  DeviceHandle Device = nullptr;
  if (Error E = Library.call("nvmlDeviceGetHandleByIndex_v2", Index, &Device))
    return std::move(E);
  DeviceState D = {};
  D.Index = Index;
  if (Error E = readNames(Library, Device, D))
    return std::move(E);
  MemoryInfo Memory = {};
  if (Error E = Library.call("nvmlDeviceGetMemoryInfo", Device, &Memory))
    return std::move(E);
  D.TotalBytes = Memory.Total;
  D.FreeBytes = Memory.Free;
  D.UsedBytes = Memory.Used;
  constexpr unsigned CoreClock = 1;
  D.ClockMHz =
      Library.value<unsigned>("nvmlDeviceGetClockInfo", Device, CoreClock);
  D.Cores = Library.value<unsigned>("nvmlDeviceGetNumGpuCores", Device);
  D.BusWidth = Library.value<unsigned>("nvmlDeviceGetMemoryBusWidth", Device);
  if (auto Use = Library.value<UtilizationInfo>("nvmlDeviceGetUtilizationRates",
                                                Device))
    D.UsePercent = Use->Device;
  if (Error E = readParts(Library, Device, D))
    return std::move(E);
  D.Processes = readProcesses(Library, Device);
  D.IsAccounted =
      Library.value<unsigned>("nvmlDeviceGetAccountingMode", Device) == 1u;
  D.Accounts = readAccounts(Library, Device);
  D.AccountRoom =
      Library.value<unsigned>("nvmlDeviceGetAccountingBufferSize", Device);
  D.LinkGeneration =
      Library.value<unsigned>("nvmlDeviceGetCurrPcieLinkGeneration", Device);
  D.LinkLanes =
      Library.value<unsigned>("nvmlDeviceGetCurrPcieLinkWidth", Device);
  return D;
}

//===----------------------------------------------------------------------===//
// What others than NVML know
//===----------------------------------------------------------------------===//

/// The UUID of a device, or of the part that a process uses.
static StringRef uuidOf(const DeviceState &D, const ProcessUse &P) {
  for (const PartState &Part : D.Parts)
    if (P.Instance == Part.Instance &&
        P.ComputeInstance == Part.ComputeInstance)
      return Part.UUID;
  return D.UUID;
}

/// Says of each process what the service says of it.
static void addService(ArrayRef<deviced::ClientStatus> Clients,
                       DeviceState &D) {
  for (ProcessUse &P : D.Processes) {
    uint64_t Shares = 0;
    for (const deviced::ClientStatus &C : Clients) {
      if (C.Device != uuidOf(D, P))
        continue;
      Shares += C.Share;
      if (C.Process == P.Process)
        P.Service = C;
    }
    if (!P.Service)
      continue;
    P.SharePercent = (100 * P.Service->Share + Shares / 2) / Shares;
    if (P.Name == UnknownName)
      P.Name = P.Service->Program;
  }
}

/// The bytes of `GPU-...` or `MIG-...`.
static std::string bytesOf(StringRef UUID) {
  std::string Digits = UUID.split('-').second.str();
  erase(Digits, '-');
  std::string Bytes;
  return tryGetFromHex(Digits, Bytes) ? Bytes : "";
}

static void addFaults(ArrayRef<clients::NotedFault> Faults, DeviceState &D) {
  std::vector<std::string> UUIDs{bytesOf(D.UUID)};
  for (const PartState &P : D.Parts)
    UUIDs.push_back(bytesOf(P.UUID));
  for (const clients::NotedFault &F : Faults)
    if (is_contained(UUIDs, StringRef(F.Device.data(), F.Device.size())))
      D.LastXid = F.Xid;
}

bool isCalled(const DeviceState &D, StringRef Name) {
  return Name == std::to_string(D.Index) || Name == D.UUID ||
         Name.equals_insensitive(D.BusId);
}

Expected<Snapshot> takeSnapshot(const NVML &Library,
                                ArrayRef<std::string> Wanted) {
  Snapshot S;
  S.Time = ::time(nullptr);
  if (Error E = Library.text("nvmlSystemGetDriverVersion").moveInto(S.Driver))
    return std::move(E);
  int CUDA = 0;
  if (Error E = Library.call("nvmlSystemGetCudaDriverVersion", &CUDA))
    return std::move(E);
  S.CUDA = std::to_string(CUDA / 1000) + "." + std::to_string(CUDA % 1000 / 10);
  unsigned Count = 0;
  if (Error E = Library.call("nvmlDeviceGetCount_v2", &Count))
    return std::move(E);
  for (unsigned I = 0; I != Count; ++I) {
    Expected<DeviceState> D = readDevice(Library, I);
    if (!D)
      return D.takeError();
    S.Devices.push_back(std::move(*D));
  }
  std::vector<deviced::ClientStatus> Clients = deviced::clientsOfService();
  std::vector<clients::NotedFault> Faults = clients::listFaults(0);
  for (DeviceState &D : S.Devices) {
    addService(Clients, D);
    addFaults(Faults, D);
  }
  if (Wanted.empty())
    return S;
  for (const std::string &Name : Wanted)
    if (none_of(S.Devices,
                [&](const DeviceState &D) { return isCalled(D, Name); }))
      return createStringError("'" + Name +
                               "' is the index, UUID or place on "
                               "the bus of none of the " +
                               Twine(Count) + " devices");
  erase_if(S.Devices, [&](const DeviceState &D) {
    return none_of(Wanted,
                   [&](const std::string &Name) { return isCalled(D, Name); });
  });
  return S;
}

Expected<std::vector<std::pair<unsigned, DeviceHandle>>>
findDevices(const NVML &Library, ArrayRef<std::string> Wanted) {
  Expected<Snapshot> S = takeSnapshot(Library, Wanted);
  if (!S)
    return S.takeError();
  std::vector<std::pair<unsigned, DeviceHandle>> Found;
  for (const DeviceState &D : S->Devices) {
    DeviceHandle Device = nullptr;
    if (Error E =
            Library.call("nvmlDeviceGetHandleByIndex_v2", D.Index, &Device))
      return std::move(E);
    Found.emplace_back(D.Index, Device);
  }
  return Found;
}

} // namespace heddle::smi
