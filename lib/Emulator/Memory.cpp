//===- Memory.cpp - Device memory with guarded allocations ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sorted list of blocks. Addresses are handed out upwards and never again;
// only what the host mapped goes from the list, since the host may map other
// memory at that address.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "RelaxedMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

using namespace llvm;

namespace heddle::emu {

/// Between two blocks. Large, so that an index that is off by some thousands
/// does not land in the neighbour.
static constexpr uint64_t GapBytes = 1024 * 1024;
static constexpr uint64_t EndOfMemory = uint64_t(1) << 56;

void poison(uint8_t *Data, uint64_t Size) {
  constexpr uint8_t Pattern[] = {rt::PoisonPattern & 0xFF,
                                 rt::PoisonPattern >> 8};
  fillPattern(Data, Pattern, Size / 2);
  if (Size % 2)
    Data[Size - 1] = Pattern[0];
}

void Allocation::freeHost() {
  if (Host && File)
    MemoryFile::unmap(Host, Reach);
  else if (!IsMapped)
    freeZeroed(Host, Reach);
  Host = nullptr;
  File.reset();
}

/// Of blocks that end with their last reference, not with a device.
static constexpr unsigned NoOwner = MaxDevices;

std::shared_ptr<AddressSpace> createAddressSpace() {
  return std::make_shared<AddressSpace>();
}

void setPeerLink(AddressSpace &Space, unsigned From, unsigned To,
                 PeerLink Link) {
  std::unique_lock Lock(Space.Mutex);
  Space.Links[{From, To}] = Link;
}

std::shared_ptr<MemoryHistory> AddressSpace::history() {
  std::unique_lock Lock(Mutex);
  std::shared_ptr<MemoryHistory> Known = History.lock();
  if (!Known)
    History = Known = std::make_shared<MemoryHistory>();
  return Known;
}

void AddressSpace::settleHistory() {
  std::shared_lock Lock(Mutex);
  std::shared_ptr<MemoryHistory> Known = History.lock();
  Lock.unlock();
  if (Known)
    Known->settle();
}

DeviceMemory::~DeviceMemory() {
  if (Device == NoOwner)
    return;
  std::unique_lock Lock(Space->Mutex);
  Space->Peers[Device] = 0;
  auto IsOwn = [&](const std::unique_ptr<Allocation> &A) {
    return A->Owner == Device;
  };
  llvm::erase_if(Space->Blocks, IsOwn);
  llvm::erase_if(Space->Forgotten, IsOwn);
}

Allocation *DeviceMemory::allocateLocked(uint64_t Size, uint64_t Align) {
  // Pages of its own: who writes behind a block harms no other.
  uint64_t Unit = Rules.Bounds == rt::MemoryBounds::Page ? DevicePageBytes : 1;
  // A driver gives large blocks pages of their own, too, and programs such as
  // Taichi's count on their alignment.
  uint64_t Whole = Size >= LargeBlockBytes ? DevicePageBytes : 256;
  uint64_t Base =
      alignTo(Space->NextAddress, std::max<uint64_t>({Align, Whole, Unit}));
  if (Base >= EndOfMemory || Size >= EndOfMemory - Base)
    return nullptr;
  uint64_t Reach = alignTo(Size, Unit);
  Allocation *A = makeLocked(Base, Size, Reach);
  if (A)
    Space->NextAddress = Base + Reach + GapBytes;
  return A;
}

/// A block where none is, which is for the caller to know.
Allocation *DeviceMemory::makeLocked(uint64_t Base, uint64_t Size,
                                     uint64_t Reach) {
  // An access is aligned to at most 16 bytes, so host and device agree in the
  // address bits that matter whatever Align is.
  uint8_t *Host = allocateZeroed(Reach);
  if (!Host)
    return nullptr;
  if (Rules.Fresh == rt::FreshMemory::Poison)
    poison(Host, Size);
  auto A = std::make_unique<Allocation>();
  A->Base = Base;
  A->Size = Size;
  A->Reach = Reach;
  A->Host = Host;
  A->Owner = Device;
  updateAccessors(*A);
  if (Rules.TracksWrites)
    A->Written = std::make_unique<uint8_t[]>(Size);
  return Space->Blocks.insert(above(Base), std::move(A))->get();
}

/// The bytes that no other block may have. What kernels reach of the host's
/// memory behind a block may be another block's.
static uint64_t extentOf(const Allocation &A) {
  return A.IsMapped ? A.Size : A.Reach;
}

bool DeviceMemory::isFree(uint64_t Base, uint64_t Size) const {
  auto Next = above(Base);
  return Base >= NullPageBytes &&
         (Next == Space->Blocks.end() || Size <= (*Next)->Base - Base) &&
         (Next == Space->Blocks.begin() ||
          Base - (*std::prev(Next))->Base >= extentOf(**std::prev(Next)));
}

DeviceMemory::BlockList::const_iterator
DeviceMemory::above(uint64_t Address) const {
  return std::upper_bound(Space->Blocks.begin(), Space->Blocks.end(), Address,
                          [](uint64_t V, const std::unique_ptr<Allocation> &B) {
                            return V < B->Base;
                          });
}

Allocation *DeviceMemory::map(uint8_t *Host, uint64_t Size) {
  std::unique_lock Lock(Space->Mutex);
  uint64_t Base = reinterpret_cast<uintptr_t>(Host);
  if (!isFree(Base, Size))
    return nullptr;
  auto A = std::make_unique<Allocation>();
  A->Base = Base;
  A->Size = Size;
  A->Reach = Rules.Bounds == rt::MemoryBounds::Page
                 ? alignTo(Base + Size, HostPageBytes) - Base
                 : Size;
  A->Host = Host;
  A->IsMapped = true;
  A->Owner = Device;
  A->Accessors = ~uint64_t(0);
  return Space->Blocks.insert(above(Base), std::move(A))->get();
}

std::shared_ptr<SharedBlock>
SharedBlock::create(const std::shared_ptr<AddressSpace> &Space, uint64_t Size,
                    uint64_t Align) {
  auto *Host = static_cast<uint8_t *>(
      std::aligned_alloc(Align, alignTo(std::max<uint64_t>(Size, 1), Align)));
  if (!Host)
    return nullptr;
  std::shared_ptr<SharedBlock> Block(new SharedBlock(Space));
  Block->A = DeviceMemory(Space, NoOwner, {}).map(Host, Size);
  if (!Block->A)
    std::free(Host);
  return Block->A ? Block : nullptr;
}

SharedBlock::~SharedBlock() {
  if (!A)
    return;
  uint8_t *Host = A->Host;
  DeviceMemory(Space, NoOwner, {}).unmap(A->Base);
  std::free(Host);
}

DeviceMemory::HeapUse DeviceMemory::heapInUse() const {
  std::shared_lock Lock(Space->Mutex);
  HeapUse Use;
  for (const std::unique_ptr<Allocation> &A : Space->Blocks)
    if (A->FromKernel && A->Live && A->Owner == Device) {
      ++Use.Blocks;
      Use.Bytes += A->Size;
    }
  return Use;
}

DeviceMemory::Mark DeviceMemory::mark() const {
  std::shared_lock Lock(Space->Mutex);
  Mark M;
  for (const std::unique_ptr<Allocation> &A : Space->Blocks) {
    M.Known.insert(A.get());
    if (A->Live)
      M.Live.insert(A.get());
  }
  M.NextAddress = Space->NextAddress;
  M.HeapUsed = HeapUsed;
  return M;
}

void DeviceMemory::rewind(const Mark &To) {
  std::unique_lock Lock(Space->Mutex);
  BlockList Kept;
  Space->NextAddress = To.NextAddress;
  for (std::unique_ptr<Allocation> &A : Space->Blocks) {
    bool IsOld = To.Known.count(A.get());
    if (A->FromKernel && To.Live.count(A.get()))
      A->Live = true;
    if (IsOld || (A->Live && !A->FromKernel)) {
      // The host may have allocated meanwhile.
      if (!IsOld && !A->IsMapped)
        Space->NextAddress =
            std::max(Space->NextAddress, A->Base + A->Reach + GapBytes);
      Kept.push_back(std::move(A));
      continue;
    }
    A->Live = false;
    Space->Forgotten.push_back(std::move(A));
  }
  Space->Blocks = std::move(Kept);
  HeapUsed = To.HeapUsed;
}

void DeviceMemory::markWritten(uint64_t Address, uint64_t Size) {
  Allocation *A = findAny(Address);
  if (A && A->Written && A->contains(Address, Size))
    std::fill_n(A->Written.get() + (Address - A->Base), Size, uint8_t(1));
}

void DeviceMemory::copyWritten(uint64_t Destination, uint64_t Source,
                               uint64_t Size) {
  Allocation *To = findAny(Destination), *From = findAny(Source);
  if (!To || !To->Written || !To->contains(Destination, Size))
    return;
  if (!From || !From->Written || !From->contains(Source, Size))
    return markWritten(Destination, Size);
  std::memmove(To->Written.get() + (Destination - To->Base),
               From->Written.get() + (Source - From->Base), Size);
}

bool DeviceMemory::unmap(uint64_t Address) {
  std::unique_lock Lock(Space->Mutex);
  auto It = above(Address);
  if (It == Space->Blocks.begin())
    return false;
  --It;
  if ((*It)->Base != Address || !(*It)->IsMapped)
    return false;
  Space->Blocks.erase(It);
  return true;
}

Allocation *DeviceMemory::allocate(uint64_t Size, uint64_t Align) {
  std::unique_lock Lock(Space->Mutex);
  return allocateLocked(Size, Align);
}

Allocation *DeviceMemory::place(uint64_t Address, uint64_t Size) {
  std::unique_lock Lock(Space->Mutex);
  if (Address >= EndOfMemory || Size >= EndOfMemory - Address ||
      !isFree(Address, Size))
    return nullptr;
  // Memory that the host maps later has addresses of the host.
  constexpr uint64_t HostAddresses = uint64_t(1) << 40;
  Allocation *A = makeLocked(Address, Size, Size);
  if (A && Address < HostAddresses)
    Space->NextAddress =
        std::max(Space->NextAddress, Address + Size + GapBytes);
  return A;
}

/// Copies to zeros; pages of zeros are not touched.
static void copyPages(uint8_t *To, const uint8_t *From, uint64_t Size) {
  static constexpr uint8_t Zeros[HostPageBytes] = {};
  for (uint64_t Done = 0; Done < Size; Done += HostPageBytes) {
    uint64_t Bytes = std::min(HostPageBytes, Size - Done);
    if (std::memcmp(From + Done, Zeros, Bytes) != 0)
      std::memcpy(To + Done, From + Done, Bytes);
  }
}

bool DeviceMemory::moveToFile(Allocation &A) {
  std::optional<MemoryFile> File = MemoryFile::create(A.Reach);
  uint8_t *Mapped = File ? File->map(0, A.Reach) : nullptr;
  if (!Mapped)
    return false;
  copyPages(Mapped, A.Host, A.Reach);
  A.freeHost();
  A.Host = Mapped;
  A.File = std::move(File);
  // There is no notice of what another process writes.
  A.Written.reset();
  return true;
}

void DeviceMemory::release(Allocation *A) {
  std::unique_lock Lock(Space->Mutex);
  A->Live.store(false, std::memory_order_release);
  // Kernels' own blocks stay, since another CTA may be in the middle of an
  // access that is a race, not a reason to crash.
  if (A->FromKernel)
    return;
  A->freeHost();
}

uint64_t DeviceMemory::heapAllocate(uint64_t Size) {
  std::unique_lock Lock(Space->Mutex);
  if (Size == 0 || Size > Rules.HeapLimit - HeapUsed)
    return 0;
  Allocation *A = allocateLocked(Size, 16);
  if (!A)
    return 0;
  A->FromKernel = true;
  HeapUsed += Size;
  return A->Base;
}

bool DeviceMemory::heapFree(uint64_t Address) {
  Allocation *A = find(Address);
  std::unique_lock Lock(Space->Mutex);
  if (!A || A->Base != Address || !A->FromKernel || !A->Live)
    return false;
  A->Live.store(false, std::memory_order_release);
  HeapUsed -= A->Size;
  return true;
}

Allocation *DeviceMemory::find(uint64_t Address) const {
  Allocation *A = findAny(Address);
  return A && reaches(*A) ? A : nullptr;
}

static uint64_t withBit(uint64_t Bits, unsigned Bit, bool Value) {
  return Value ? Bits | uint64_t(1) << Bit : Bits & ~(uint64_t(1) << Bit);
}

void DeviceMemory::updateAccessors(Allocation &A) const {
  if (!A.IsMapped)
    A.Accessors = uint64_t(1) << Device | Space->Peers[Device] | A.Granted;
}

/// The range in which an address is, and how far behind its beginning; null if
/// there is none.
const AddressSpace::Multicast *
AddressSpace::multicastAt(uint64_t Address, uint64_t &Offset) const {
  auto It = Multicasts.upper_bound(Address);
  if (It == Multicasts.begin())
    return nullptr;
  --It;
  Offset = Address - It->first;
  return Offset < It->second.Bytes ? &It->second : nullptr;
}

const char *DeviceMemory::setMulticast(uint64_t Begin, uint64_t Bytes,
                                       ArrayRef<rt::MulticastPart> Parts) {
  std::unique_lock Lock(Space->Mutex);
  auto &Known = Space->Multicasts;
  auto Next = Known.upper_bound(Begin);
  uint64_t Offset;
  const AddressSpace::Multicast *Here = Space->multicastAt(Begin, Offset);
  if (Bytes == 0 || Bytes >= EndOfMemory || (Here && Offset != 0) ||
      (Next != Known.end() && Bytes > Next->first - Begin))
    return "another multicast range is there";
  if (any_of(Parts, [&](const rt::MulticastPart &P) {
        return P.Offset > Bytes || P.Bytes > Bytes - P.Offset;
      }))
    return "a part is not inside of its multicast range";
  Known[Begin] = {Bytes, {Parts.begin(), Parts.end()}};
  return nullptr;
}

bool DeviceMemory::removeMulticast(uint64_t Begin) {
  std::unique_lock Lock(Space->Mutex);
  return Space->Multicasts.erase(Begin);
}

SmallVector<uint64_t, 8> DeviceMemory::membersAt(uint64_t Address) const {
  std::shared_lock Lock(Space->Mutex);
  SmallVector<uint64_t, 8> Members;
  uint64_t Offset;
  if (const AddressSpace::Multicast *M = Space->multicastAt(Address, Offset))
    for (const rt::MulticastPart &P : M->Parts)
      if (Offset >= P.Offset && Offset - P.Offset < P.Bytes)
        Members.push_back(P.Memory + (Offset - P.Offset));
  if (Members.empty())
    Members.push_back(Address);
  return Members;
}

std::map<unsigned, PeerLink> DeviceMemory::links() const {
  std::shared_lock Lock(Space->Mutex);
  std::map<unsigned, PeerLink> Own;
  for (const auto &[Ends, Link] : Space->Links)
    if (Ends.first == Device)
      Own[Ends.second] = Link;
  return Own;
}

void DeviceMemory::setPeer(unsigned Peer, bool Reaches) {
  std::unique_lock Lock(Space->Mutex);
  Space->Peers[Device] = withBit(Space->Peers[Device], Peer, Reaches);
  for (std::unique_ptr<Allocation> &A : Space->Blocks)
    if (A->Owner == Device)
      updateAccessors(*A);
}

void DeviceMemory::setPeer(Allocation &A, unsigned Peer, bool Reaches) {
  std::unique_lock Lock(Space->Mutex);
  A.Granted = withBit(A.Granted, Peer, Reaches);
  updateAccessors(A);
}

Allocation *DeviceMemory::findAny(uint64_t Address) const {
  std::shared_lock Lock(Space->Mutex);
  auto It = above(Address);
  if (It == Space->Blocks.begin())
    return nullptr;
  Allocation *A = std::prev(It)->get();
  uint64_t Offset = Address - A->Base;
  return Offset < A->Reach || Offset == 0 ? A : nullptr;
}

std::vector<Allocation *> DeviceMemory::liveBlocks() const {
  std::shared_lock Lock(Space->Mutex);
  std::vector<Allocation *> Live;
  for (const std::unique_ptr<Allocation> &A : Space->Blocks)
    if (A->Live)
      Live.push_back(A.get());
  return Live;
}

bool DeviceMemory::isInPage(uint64_t Address) const {
  std::shared_lock Lock(Space->Mutex);
  auto It = above(Address);
  if (It == Space->Blocks.begin())
    return false;
  const Allocation &A = **std::prev(It);
  uint64_t End = A.IsMapped ? alignTo(A.Base + A.Size, HostPageBytes)
                            : A.Base + alignTo(A.Size, DevicePageBytes);
  return A.Live && reaches(A) && Address < End;
}

/// Where Address lies with respect to A.
static std::string describePlace(const Allocation &A, uint64_t Address) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Address < A.Base)
    OS << A.Base - Address << " bytes before";
  else if (Address - A.Base < A.Size)
    OS << Address - A.Base << " bytes into";
  else
    OS << Address - A.Base - A.Size << " bytes after";
  OS << (A.Live ? " a block of " : " a freed block of ") << A.Size
     << " bytes at " << format_hex(A.Base, 18);
  return Text;
}

std::string DeviceMemory::describe(uint64_t Address) const {
  std::shared_lock Lock(Space->Mutex);
  uint64_t Offset;
  if (Space->multicastAt(Address, Offset))
    return "in a multicast range, which multimem instructions alone may "
           "access, where memory is bound";
  const Allocation *Nearest = nullptr;
  uint64_t Best = std::numeric_limits<uint64_t>::max();
  for (const auto &B : Space->Blocks) {
    uint64_t Distance = Address < B->Base ? B->Base - Address
                        : Address - B->Base < B->Size
                            ? 0
                            : Address - B->Base - B->Size;
    if (Distance < Best) {
      Best = Distance;
      Nearest = B.get();
    }
  }
  if (!Nearest)
    return "where no allocation ever was";
  std::string Place = describePlace(*Nearest, Address);
  if (!reaches(*Nearest))
    Place += ", which is device " + std::to_string(Nearest->Owner) +
             "'s and which this device, " + std::to_string(Device) +
             ", has no access to";
  return Best < GapBytes ? Place : "far from all allocations, " + Place;
}

} // namespace heddle::emu
