//===- Partitions.cpp - Divides devices -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices of memory are an instance's alone, and so are slices of cores: there
// are never more given out than there are.
//
//===----------------------------------------------------------------------===//

#include "heddle/Partitions/Partitions.h"
#include "heddle/Clients/List.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/RandomNumberGenerator.h"

#include <numeric>

using namespace llvm;

namespace heddle::partitions {

char RefusedChange::ID = 0;

static Error refused(Refusal Why, const Twine &Message) {
  return make_error<RefusedChange>(Why, Message.str());
}

Instance *Divided::find(unsigned Id) {
  auto It = find_if(Instances, [=](const Instance &I) { return I.Id == Id; });
  return It == Instances.end() ? nullptr : &*It;
}

const Divided &Partitions::of(const MachineDevice &Device) const {
  static const Divided None;
  auto It = Devices.find(Device.uuidText());
  return It == Devices.end() ? None : It->second;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Slices from Begin up to End, which does not belong to it.
struct Range {
  unsigned Begin, End;

  bool meets(const Range &O) const { return Begin < O.End && O.Begin < End; }
};
} // namespace

static bool isFree(ArrayRef<Range> Taken, Range Wanted) {
  return none_of(Taken, [&](const Range &R) { return R.meets(Wanted); });
}

std::vector<unsigned> freeStarts(const Divided &D, const Division &By,
                                 const Profile &P) {
  std::vector<Range> Taken;
  unsigned Cores = 0;
  for (const Instance &I : D.Instances)
    if (const Profile *Of = By.find(I.Profile)) {
      Taken.push_back({I.Start, I.Start + Of->MemorySlices});
      Cores += Of->ComputeSlices;
    }
  std::vector<unsigned> Starts;
  if (Cores + P.ComputeSlices > By.ComputeSlices)
    return Starts;
  for (unsigned Start : P.Starts)
    if (isFree(Taken, {Start, Start + P.MemorySlices}))
      Starts.push_back(Start);
  return Starts;
}

std::vector<unsigned> freeStarts(const Instance &I, const Division &By,
                                 unsigned Slices) {
  auto Taken = map_to_vector(I.Computes, [](const ComputeInstance &C) {
    return Range{C.Start, C.Start + C.Slices};
  });
  std::vector<unsigned> Starts;
  const Profile *P = By.find(I.Profile);
  for (unsigned Start = 0; P && Start + Slices <= P->ComputeSlices; ++Start)
    if (isFree(Taken, {Start, Start + Slices}))
      Starts.push_back(Start);
  return Starts;
}

/// The place that is asked for, or the last one that is free, so that large
/// parts find a place before small ones.
static Expected<unsigned> choose(ArrayRef<unsigned> Free,
                                 std::optional<unsigned> Wanted,
                                 const Twine &What) {
  if (Free.empty() || (Wanted && !is_contained(Free, *Wanted)))
    return refused(Refusal::NoRoom, "there is no room for " + What);
  return Wanted.value_or(Free.back());
}

template <typename T> static unsigned freeId(ArrayRef<T> All, unsigned First) {
  unsigned Id = First;
  while (any_of(All, [=](const T &Part) { return Part.Id == Id; }))
    ++Id;
  return Id;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// An error if a process has one of these devices open.
static Error checkUnused(ArrayRef<UUID> Devices) {
  Expected<std::vector<clients::Client>> Clients = clients::listClients();
  if (!Clients)
    return refused(Refusal::Unavailable, toString(Clients.takeError()));
  for (const clients::Client &C : *Clients)
    for (const clients::ClientDevice &D : C.Devices)
      if (D.IsOpen && is_contained(Devices, D.Device))
        return refused(Refusal::InUse, "process " + Twine(C.Process) + ", " +
                                           C.Program + ", uses it");
  return Error::success();
}

Error Partitions::enable(const MachineDevice &Device, bool IsEnabled) {
  Divided &D = Devices[Device.uuidText()];
  if (D.IsEnabled == IsEnabled)
    return Error::success();
  if (!D.Instances.empty())
    return refused(Refusal::InUse, "the device has instances");
  if (Error E = checkUnused(Device.uuid()))
    return E;
  D.IsEnabled = IsEnabled;
  return Error::success();
}

Expected<Divided &> Partitions::enabled(const MachineDevice &Device) {
  Divided &D = Devices[Device.uuidText()];
  if (!D.IsEnabled)
    return refused(
        Refusal::NotEnabled,
        "device " + Twine(Device.Index) + " is not to be divided: ptx-smi -i " +
            Twine(Device.Index) + " --multi-instance-gpu=1 changes that");
  return D;
}

Expected<unsigned> Partitions::create(const MachineDevice &Device,
                                      unsigned Profile,
                                      std::optional<unsigned> Start) {
  Division By = divisionOf(Device.Chip);
  const partitions::Profile *P = By.find(Profile);
  if (!P)
    return refused(Refusal::Unknown, "there is no profile " + Twine(Profile));
  Expected<Divided &> D = enabled(Device);
  if (!D)
    return D.takeError();
  Expected<unsigned> Place =
      choose(freeStarts(*D, By, *P), Start,
             "an instance of " + Twine(P->ComputeSlices) + "g");
  if (!Place)
    return Place.takeError();
  unsigned Id = freeId<Instance>(D->Instances, 1);
  D->Instances.push_back({Id, Profile, *Place, {}});
  return Id;
}

static Expected<UUID> makeUUID() {
  UUID Device = {};
  if (std::error_code Failed = getRandomBytes(Device.data(), Device.size()))
    return refused(Refusal::Unavailable,
                   "no random numbers: " + Failed.message());
  // RFC 4122, version 4.
  Device[6] = static_cast<char>((Device[6] & 0x0f) | 0x40);
  Device[8] = static_cast<char>((Device[8] & 0x3f) | 0x80);
  return Device;
}

Expected<unsigned> Partitions::createCompute(const MachineDevice &Device,
                                             unsigned Instance, unsigned Slices,
                                             std::optional<unsigned> Start) {
  Expected<Divided &> D = enabled(Device);
  if (!D)
    return D.takeError();
  partitions::Instance *I = D->find(Instance);
  if (!I || Slices == 0)
    return refused(Refusal::Unknown, "there is no instance " + Twine(Instance));
  Expected<unsigned> Place =
      choose(freeStarts(*I, divisionOf(Device.Chip), Slices), Start,
             "a compute instance of " + Twine(Slices) + "c");
  if (!Place)
    return Place.takeError();
  Expected<UUID> Made = makeUUID();
  if (!Made)
    return Made.takeError();
  unsigned Id = freeId<ComputeInstance>(I->Computes, 0);
  I->Computes.push_back({Id, *Place, Slices, *Made});
  return Id;
}

Error Partitions::destroy(const MachineDevice &Device, unsigned Instance) {
  Divided &D = Devices[Device.uuidText()];
  partitions::Instance *I = D.find(Instance);
  if (!I)
    return refused(Refusal::Unknown, "there is no instance " + Twine(Instance));
  if (!I->Computes.empty())
    return refused(Refusal::InUse,
                   "instance " + Twine(Instance) + " has compute instances");
  D.Instances.erase(D.Instances.begin() + (I - D.Instances.data()));
  return Error::success();
}

Error Partitions::destroyCompute(const MachineDevice &Device, unsigned Instance,
                                 unsigned Compute) {
  partitions::Instance *I = Devices[Device.uuidText()].find(Instance);
  std::vector<ComputeInstance> None;
  std::vector<ComputeInstance> &All = I ? I->Computes : None;
  auto C = find_if(
      All, [=](const ComputeInstance &Known) { return Known.Id == Compute; });
  if (C == All.end())
    return refused(Refusal::Unknown, "there is no compute instance " +
                                         Twine(Compute) + " of instance " +
                                         Twine(Instance));
  if (Error E = checkUnused(C->Device))
    return E;
  All.erase(C);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Parts as devices
//===----------------------------------------------------------------------===//

MachineDevice deviceOf(const MachineDevice &Device, unsigned Cores,
                       const Instance &I, const ComputeInstance &C) {
  Division By = divisionOf(Device.Chip);
  const Profile *P = By.find(I.Profile);
  MachineDevice Part = Device;
  Part.Part = {.Device = C.Device,
               .Instance = I.Id,
               .ComputeInstance = C.Id,
               .Cores = std::max(By.cores(C.Slices, Cores), 1u),
               .Slices = C.Slices,
               .InstanceSlices = P ? P->ComputeSlices : C.Slices,
               .MemorySlices = P ? P->MemorySlices : 1,
               .AllMemorySlices = By.MemorySlices};
  return Part;
}

/// In gigabytes, or in megabytes where it is less than one.
static std::string sizeText(uint64_t Bytes) {
  constexpr uint64_t GiB = 1 << 30, MiB = 1 << 20;
  return Bytes < GiB ? std::to_string(Bytes / MiB) + "mb"
                     : std::to_string((Bytes + GiB / 2) / GiB) + "gb";
}

std::string nameOf(const Profile &P, uint64_t MemoryBytes) {
  return std::to_string(P.ComputeSlices) + "g." + sizeText(MemoryBytes);
}

std::string nameOf(const fabric::DevicePart &Part, uint64_t MemoryBytes) {
  std::string Compute = Part.Slices == Part.InstanceSlices
                            ? ""
                            : std::to_string(Part.Slices) + "c.";
  return Compute + std::to_string(Part.InstanceSlices) + "g." +
         sizeText(MemoryBytes);
}

std::vector<MachineDevice> partsOf(const MachineDevice &Device,
                                   const Partitions &P, CoresOfChip Cores) {
  std::vector<MachineDevice> Parts;
  for (const Instance &I : P.of(Device).Instances)
    for (const ComputeInstance &C : I.Computes)
      Parts.push_back(deviceOf(Device, Cores(Device.Chip), I, C));
  return Parts;
}

/// The part that an item of a list names: by its UUID or the beginning of that,
/// or by the UUID of its device and its numbers.
static const MachineDevice *findPart(ArrayRef<MachineDevice> Parts,
                                     StringRef Item) {
  for (const MachineDevice &Part : Parts) {
    MachineDevice Whole = Part;
    Whole.Part.reset();
    std::string ByNumbers = "MIG-" + Whole.uuidText() + "/" +
                            std::to_string(Part.Part->Instance) + "/" +
                            std::to_string(Part.Part->ComputeInstance);
    if (Item == ByNumbers ||
        (Item.size() > 4 && StringRef(Part.uuidText()).starts_with(Item)))
      return &Part;
  }
  return nullptr;
}

std::vector<MachineDevice> visible(const fabric::Machine &M,
                                   const Partitions &P,
                                   std::optional<StringRef> List,
                                   CoresOfChip Cores) {
  std::vector<MachineDevice> Parts, Seen;
  for (const MachineDevice &D : M.devices())
    append_range(Parts, partsOf(D, P, Cores));
  if (List && List->trim().starts_with("MIG-")) {
    if (const MachineDevice *Part =
            findPart(Parts, List->split(',').first.trim()))
      Seen.push_back(*Part);
    return Seen;
  }
  for (unsigned Index : M.visible(List))
    if (!P.of(M.devices()[Index]).IsEnabled)
      Seen.push_back(M.devices()[Index]);
  // Whole devices first; of divided ones, one part.
  for (unsigned Index : M.visible(List))
    if (auto First = find_if(
            Parts, [=](const MachineDevice &D) { return D.Index == Index; });
        Seen.empty() && First != Parts.end())
      Seen.push_back(*First);
  return Seen;
}

} // namespace heddle::partitions
