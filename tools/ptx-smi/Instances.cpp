//===- Instances.cpp - Divides devices --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options are nvidia-smi's, and so are the words that are printed. Everything
// is done by the management library.
//
//===----------------------------------------------------------------------===//

#include "Instances.h"
#include "ShortNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle::smi {

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {

using Options = InstanceOptions;

/// An action of a flag that says what to do.
#define DOES(Kind)                                                             \
  [](Options &O, StringRef) -> Error {                                         \
    if (O.What != Options::Action::None)                                       \
      return createStringError("mig does one thing at a time");                \
    O.What = Options::Action::Kind;                                            \
    return Error::success();                                                   \
  }

Error setNumbers(StringRef Option, StringRef Value, std::vector<unsigned> &To) {
  for (StringRef Text : split(Value, ',')) {
    unsigned Number = 0;
    if (Error E = setNumber(Option, Text.trim(), Number))
      return E;
    To.push_back(Number);
  }
  return Error::success();
}

void setTexts(StringRef Value, std::vector<std::string> &To) {
  for (StringRef Text : split(Value, ','))
    To.push_back(Text.trim().str());
}

constexpr OptionRow<Options> Rows[] = {
    {"--list-gpu-instance-profiles", "",
     "What an instance may have, and how many there could still be (-lgip)",
     DOES(ListProfiles)},
    {"--list-gpu-instances", "", "The instances that there are (-lgi)",
     DOES(List)},
    {"--create-gpu-instance", "LIST",
     "Make instances of these profiles, by number or name, such as 9,3g (-cgi)",
     [](Options &O, StringRef Value) -> Error {
       setTexts(Value, O.Profiles);
       return DOES(Create)(O, Value);
     }},
    {"--default-compute-instance", "",
     "With it: a compute instance with all cores in each (-C)",
     [](Options &O, StringRef) -> Error {
       O.WithComputes = true;
       return Error::success();
     }},
    {"--destroy-gpu-instance", "", "Take instances away (-dgi)", DOES(Destroy)},
    {"--list-compute-instances", "", "The compute instances (-lci)",
     DOES(ListComputes)},
    {"--create-compute-instance", "LIST",
     "Make compute instances with so many slices, such as 1c,2c, in the "
     "instances that --gpu-instance-id names (-cci)",
     [](Options &O, StringRef Value) -> Error {
       setTexts(Value, O.Profiles);
       return DOES(CreateComputes)(O, Value);
     }},
    {"--destroy-compute-instance", "", "Take compute instances away (-dci)",
     DOES(DestroyComputes)},
    {"--gpu-instance-id", "LIST", "Of instances with these numbers only (-gi)",
     [](Options &O, StringRef Value) {
       return setNumbers("--gpu-instance-id", Value, O.Instances);
     }},
    {"--compute-instance-id", "LIST",
     "Of compute instances with these numbers only (-ci)",
     [](Options &O, StringRef Value) {
       return setNumbers("--compute-instance-id", Value, O.Computes);
     }},
    {"--id", "LIST",
     "Of devices with these indices, UUIDs or places on the bus only (-i)",
     [](Options &O, StringRef Value) -> Error {
       setTexts(Value, O.Devices);
       return Error::success();
     }},
    {"--help", "", "This text",
     [](Options &O, StringRef) -> Error {
       O.Help = true;
       return Error::success();
     }},
};

constexpr ShortName ShortNames[] = {
    {"-lgip", "--list-gpu-instance-profiles"},
    {"-lgi", "--list-gpu-instances"},
    {"-cgi", "--create-gpu-instance"},
    {"-C", "--default-compute-instance"},
    {"-dgi", "--destroy-gpu-instance"},
    {"-lci", "--list-compute-instances"},
    {"-cci", "--create-compute-instance"},
    {"-dci", "--destroy-compute-instance"},
    {"-gi", "--gpu-instance-id"},
    {"-ci", "--compute-instance-id"},
    {"-i", "--id"},
    {"-h", "--help"},
};

} // namespace

Expected<Options> parseInstanceOptions(ArrayRef<const char *> Args) {
  Expected<Options> Parsed = parseOptions<Options>(Rows, ShortNames, Args);
  if (!Parsed)
    return Parsed.takeError();
  const Options &O = *Parsed;
  if (O.What == Options::Action::None && !O.Help)
    return createStringError("mig needs something to do; see ptx-smi mig "
                             "--help");
  if (O.WithComputes && O.What != Options::Action::Create)
    return createStringError("--default-compute-instance needs "
                             "--create-gpu-instance");
  return Parsed;
}

void explainInstanceOptions(raw_ostream &OS) {
  OS << R"(ptx-smi mig: divides devices into instances

usage: ptx-smi mig [options]

An instance has cores and memory of its own; a compute instance has cores of an
instance, and is a device for programs, which CUDA_VISIBLE_DEVICES names by its
UUID (ptx-smi -L).

    ptx-smi -i 0 -mig 1
    ptx-smi mig -cgi 3g,2g -C
    CUDA_VISIBLE_DEVICES=MIG-... ptx-env ./program
    ptx-smi mig -dci && ptx-smi mig -dgi

Options:
)";
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

namespace {

/// nvmlGpuInstanceProfileInfo_v2_t.
struct ProfileInfo {
  unsigned Version;
  unsigned Id, PeersWork, Slices, Count, Cores;
  unsigned CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  unsigned long long MemoryMB;
  char Name[96];
};

using InstanceHandle = struct OpaqueInstance *;
using ComputeHandle = struct OpaqueCompute *;

/// nvmlGpuInstanceInfo_t, nvmlComputeInstanceInfo_t.
struct InstanceInfo {
  DeviceHandle Device;
  unsigned Id, Profile, Start, Size;
};
struct ComputeInfo {
  DeviceHandle Device;
  InstanceHandle Instance;
  unsigned Id, Profile, Start, Size;
};

/// NVML's numbers of kinds of profiles.
constexpr unsigned NumProfiles = 7;
constexpr unsigned ComputeSlices[NumProfiles] = {1, 2, 3, 4, 7, 8, 6};

struct KnownInstance {
  InstanceHandle Handle;
  InstanceInfo Info;
  ProfileInfo Profile;
};
struct KnownCompute {
  ComputeHandle Handle;
  ComputeInfo Info;
};

/// A device that is divided.
class DividedDevice {
public:
  DividedDevice(const NVML &Library, unsigned Index, DeviceHandle Device)
      : Library(Library), Index(Index), Device(Device) {}

  std::vector<ProfileInfo> profiles() const;
  /// By their numbers.
  std::vector<KnownInstance> instances(ArrayRef<unsigned> Wanted) const;
  std::vector<KnownCompute> computes(const KnownInstance &I,
                                     ArrayRef<unsigned> Wanted) const;

  Error create(StringRef Name, bool WithCompute, raw_ostream &OS) const;
  Error createCompute(const KnownInstance &I, StringRef Name,
                      raw_ostream &OS) const;
  void printProfiles(raw_ostream &OS) const;

  const NVML &Library;
  const unsigned Index;
  const DeviceHandle Device;
};

} // namespace

static bool isWanted(ArrayRef<unsigned> Wanted, unsigned Id) {
  return Wanted.empty() || is_contained(Wanted, Id);
}

/// What comes behind MIG in a profile's name.
static StringRef nameOf(const ProfileInfo &P) {
  return StringRef(P.Name).split(' ').second;
}

std::vector<ProfileInfo> DividedDevice::profiles() const {
  std::vector<ProfileInfo> All;
  for (unsigned Number = 0; Number != NumProfiles; ++Number) {
    ProfileInfo P = {};
    P.Version = sizeof(P) | 2u << 24;
    if (Library.result("nvmlDeviceGetGpuInstanceProfileInfoV", Device, Number,
                       &P) == NVML::Success)
      All.push_back(P);
  }
  return All;
}

std::vector<KnownInstance>
DividedDevice::instances(ArrayRef<unsigned> Wanted) const {
  std::vector<KnownInstance> All;
  for (const ProfileInfo &P : profiles()) {
    std::vector<InstanceHandle> Handles(P.Count);
    unsigned Count = 0;
    if (Library.result("nvmlDeviceGetGpuInstances", Device, P.Id,
                       Handles.data(), &Count) != NVML::Success)
      continue;
    for (InstanceHandle Handle : ArrayRef(Handles).take_front(Count)) {
      InstanceInfo Info = {};
      if (Library.result("nvmlGpuInstanceGetInfo", Handle, &Info) ==
              NVML::Success &&
          isWanted(Wanted, Info.Id))
        All.push_back({Handle, Info, P});
    }
  }
  sort(All, [](const KnownInstance &A, const KnownInstance &B) {
    return A.Info.Id < B.Info.Id;
  });
  return All;
}

std::vector<KnownCompute>
DividedDevice::computes(const KnownInstance &I,
                        ArrayRef<unsigned> Wanted) const {
  std::vector<KnownCompute> All;
  for (unsigned Number = 0; Number != NumProfiles; ++Number) {
    std::vector<ComputeHandle> Handles(ComputeSlices[NumProfiles - 1] + 8);
    unsigned Count = 0;
    if (Library.result("nvmlGpuInstanceGetComputeInstances", I.Handle, Number,
                       Handles.data(), &Count) != NVML::Success)
      continue;
    for (ComputeHandle Handle : ArrayRef(Handles).take_front(Count)) {
      ComputeInfo Info = {};
      if (Library.result("nvmlComputeInstanceGetInfo_v2", Handle, &Info) ==
              NVML::Success &&
          isWanted(Wanted, Info.Id))
        All.push_back({Handle, Info});
    }
  }
  sort(All, [](const KnownCompute &A, const KnownCompute &B) {
    return A.Info.Id < B.Info.Id;
  });
  return All;
}

Error DividedDevice::createCompute(const KnownInstance &I, StringRef Name,
                                   raw_ostream &OS) const {
  StringRef Digits = Name;
  Digits.consume_back("c");
  unsigned Slices = 0;
  auto *Number = Digits.getAsInteger(10, Slices) ? std::end(ComputeSlices)
                                                 : find(ComputeSlices, Slices);
  if (Number == std::end(ComputeSlices))
    return createStringError("'" + Name +
                             "' is no number of slices, such as 1c or 2c");
  ComputeHandle Made = nullptr;
  if (Error E = Library.call("nvmlGpuInstanceCreateComputeInstance", I.Handle,
                             unsigned(Number - ComputeSlices), &Made))
    return E;
  ComputeInfo Info = {};
  if (Error E = Library.call("nvmlComputeInstanceGetInfo_v2", Made, &Info))
    return E;
  OS << formatv("Successfully created compute instance ID {0} on GPU {1} GPU "
                "instance ID {2} using profile {3}c.{4}\n",
                Info.Id, Index, I.Info.Id, Slices, nameOf(I.Profile));
  return Error::success();
}

Error DividedDevice::create(StringRef Name, bool WithCompute,
                            raw_ostream &OS) const {
  std::vector<ProfileInfo> All = profiles();
  auto P = find_if(All, [=](const ProfileInfo &P) {
    return Name == std::to_string(P.Id) || Name == nameOf(P) ||
           Name == nameOf(P).split('.').first;
  });
  if (P == All.end())
    return createStringError(
        "'" + Name + "' is no profile of GPU " + Twine(Index) + "; it has " +
        join(map_range(All, [](const ProfileInfo &P) { return nameOf(P); }),
             ", "));
  InstanceHandle Made = nullptr;
  InstanceInfo Info = {};
  if (Error E =
          Library.call("nvmlDeviceCreateGpuInstance", Device, P->Id, &Made))
    return E;
  if (Error E = Library.call("nvmlGpuInstanceGetInfo", Made, &Info))
    return E;
  OS << formatv("Successfully created GPU instance ID {0} on GPU {1} using "
                "profile MIG {2} (ID {3})\n",
                Info.Id, Index, nameOf(*P), P->Id);
  return WithCompute
             ? createCompute({Made, Info, *P}, std::to_string(P->Slices), OS)
             : Error::success();
}

void DividedDevice::printProfiles(raw_ostream &OS) const {
  for (const ProfileInfo &P : profiles()) {
    unsigned Free = 0;
    Library.result("nvmlDeviceGetGpuInstanceRemainingCapacity", Device, P.Id,
                   &Free);
    OS << formatv("{0,3}  {1,-14}{2,4}  {3,3}/{4,-3}{5,12}{6,8}\n", Index,
                  nameOf(P), P.Id, Free, P.Count, P.MemoryMB, P.Cores);
  }
}

//===----------------------------------------------------------------------===//
// What is done
//===----------------------------------------------------------------------===//

static Error carryOut(const DividedDevice &D, const Options &O,
                      raw_ostream &OS) {
  if (O.What == Options::Action::ListProfiles) {
    D.printProfiles(OS);
    return Error::success();
  }
  if (O.What == Options::Action::Create) {
    for (const std::string &Name : O.Profiles)
      if (Error E = D.create(Name, O.WithComputes, OS))
        return E;
    return Error::success();
  }
  for (const KnownInstance &I : D.instances(O.Instances)) {
    if (O.What == Options::Action::List)
      OS << formatv("{0,3}  {1,-14}{2,4}{3,6}{4,10}\n", D.Index,
                    nameOf(I.Profile), I.Info.Profile, I.Info.Id,
                    formatv("{0}:{1}", I.Info.Start, I.Info.Size).str());
    if (O.What == Options::Action::Destroy) {
      if (Error E = D.Library.call("nvmlGpuInstanceDestroy", I.Handle))
        return E;
      OS << formatv("Successfully destroyed GPU instance ID {0} from GPU {1}\n",
                    I.Info.Id, D.Index);
    }
    if (O.What == Options::Action::CreateComputes)
      for (const std::string &Name : O.Profiles)
        if (Error E = D.createCompute(I, Name, OS))
          return E;
    for (const KnownCompute &C : D.computes(I, O.Computes)) {
      if (O.What == Options::Action::ListComputes)
        OS << formatv("{0,3}{1,6}  {2,-14}{3,4}{4,10}\n", D.Index, I.Info.Id,
                      formatv("{0}c.{1}", C.Info.Size, nameOf(I.Profile)).str(),
                      C.Info.Id,
                      formatv("{0}:{1}", C.Info.Start, C.Info.Size).str());
      if (O.What == Options::Action::DestroyComputes) {
        if (Error E = D.Library.call("nvmlComputeInstanceDestroy", C.Handle))
          return E;
        OS << formatv("Successfully destroyed compute instance ID {0} from GPU "
                      "{1} GPU instance ID {2}\n",
                      C.Info.Id, D.Index, I.Info.Id);
      }
    }
  }
  return Error::success();
}

static StringRef headOf(Options::Action What) {
  switch (What) {
  case Options::Action::ListProfiles:
    return "GPU  Name            ID   Free/All   Memory MiB   Cores\n";
  case Options::Action::List:
    return "GPU  Name            ID    GI Placement\n";
  case Options::Action::ListComputes:
    return "GPU    GI  Name            CI Placement\n";
  default:
    return "";
  }
}

Error manageInstances(const NVML &Library, const Options &O, raw_ostream &OS) {
  auto Devices = findDevices(Library, O.Devices);
  if (!Devices)
    return Devices.takeError();
  bool IsHeadPrinted = false;
  for (const auto &[Index, Device] : *Devices) {
    unsigned Now = 0, Later = 0;
    if (Error E = Library.call("nvmlDeviceGetMigMode", Device, &Now, &Later))
      return E;
    if (!Now)
      continue;
    if (!IsHeadPrinted)
      OS << headOf(O.What);
    IsHeadPrinted = true;
    if (Error E = carryOut({Library, Index, Device}, O, OS))
      return E;
  }
  return IsHeadPrinted
             ? Error::success()
             : createStringError("none of the devices is to be divided; "
                                 "ptx-smi -i 0 -mig 1 changes that");
}

Error enableInstances(const NVML &Library, ArrayRef<std::string> Wanted,
                      bool IsEnabled, raw_ostream &OS) {
  auto Devices = findDevices(Library, Wanted);
  if (!Devices)
    return Devices.takeError();
  for (const auto &[Index, Device] : *Devices) {
    int Activated = 0;
    if (Error E = Library.call("nvmlDeviceSetMigMode", Device,
                               unsigned(IsEnabled), &Activated))
      return E;
    OS << (IsEnabled ? "Enabled" : "Disabled") << " MIG Mode for GPU " << Index
       << "\n";
  }
  return Error::success();
}

} // namespace heddle::smi
