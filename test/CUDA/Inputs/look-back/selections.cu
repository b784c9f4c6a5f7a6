// Selections: what fulfils a condition, what differs from the one before.
#include "look-back.h"

#include <algorithm>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/unique.h>

static bool startsWith(const thrust::device_vector<int> &Got,
                       const std::vector<int> &Want) {
  std::vector<int> H = fromDevice(Got);
  return std::equal(Want.begin(), Want.end(), H.begin());
}

int main(int Count, char **Arguments) {
  readArguments(Count, Arguments);
  std::vector<int> In = someNumbers(), Keys = someKeys();
  std::vector<int> Odd, Even, Once, Firsts;
  std::vector<char> Flags(Size);
  for (int N = 0; N != Size; ++N) {
    (In[N] & 1 ? Odd : Even).push_back(In[N]);
    Flags[N] = In[N] & 1;
    if (N == 0 || Keys[N] != Keys[N - 1]) {
      Once.push_back(Keys[N]);
      Firsts.push_back(In[N]);
    }
  }
  // What is left stands behind, the last first.
  std::vector<int> Parted = Odd;
  Parted.insert(Parted.end(), Even.rbegin(), Even.rend());
  thrust::device_vector<int> From(In), By(Keys), To(Size), Other(Size),
      Number(1);
  thrust::device_vector<char> Flagged(Flags);
  Temporary Room;
  auto HasFound = [&](const std::vector<int> &Want) {
    return size_t(int(Number[0])) == Want.size() && startsWith(To, Want);
  };
  check("DeviceSelect::If", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceSelect::If(R, Bytes, From.data().get(), To.data().get(),
                            Number.data().get(), Size, IsOdd());
    });
    return HasFound(Odd);
  });
  check("DeviceSelect::Flagged", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceSelect::Flagged(R, Bytes, From.data().get(),
                                 Flagged.data().get(), To.data().get(),
                                 Number.data().get(), Size);
    });
    return HasFound(Odd);
  });
  check("DeviceSelect::Unique", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceSelect::Unique(R, Bytes, By.data().get(), To.data().get(),
                                Number.data().get(), Size);
    });
    return HasFound(Once);
  });
  check("DeviceSelect::UniqueByKey", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceSelect::UniqueByKey(R, Bytes, By.data().get(),
                                     From.data().get(), To.data().get(),
                                     Other.data().get(), Number.data().get(),
                                     Size);
    });
    return HasFound(Once) && startsWith(Other, Firsts);
  });
  check("DevicePartition::If", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DevicePartition::If(R, Bytes, From.data().get(), To.data().get(),
                               Number.data().get(), Size, IsOdd());
    });
    return HasFound(Odd) && startsWith(To, Parted);
  });
  check("thrust::copy_if", [&] {
    auto End = thrust::copy_if(From.begin(), From.end(), To.begin(), IsOdd());
    return size_t(End - To.begin()) == Odd.size() && startsWith(To, Odd);
  });
  check("thrust::unique_copy", [&] {
    auto End = thrust::unique_copy(By.begin(), By.end(), To.begin());
    return size_t(End - To.begin()) == Once.size() && startsWith(To, Once);
  });
  check("thrust::stable_partition_copy", [&] {
    auto End = thrust::stable_partition_copy(
        From.begin(), From.end(), To.begin(), Other.begin(), IsOdd());
    return size_t(End.first - To.begin()) == Odd.size() &&
           startsWith(To, Odd) && startsWith(Other, Even);
  });
  return finish();
}
