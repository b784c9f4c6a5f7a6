// Scans: sums and maxima of all before, also within runs of equal keys.
#include "look-back.h"

#include <cub/device/device_scan.cuh>
#include <numeric>
#include <thrust/scan.h>

template <class T> void sums(const char *Inclusive, const char *Exclusive) {
  std::vector<int> Numbers = someNumbers();
  std::vector<T> In(Numbers.begin(), Numbers.end()), Upto(Size), Before(Size);
  for (T &X : In)
    X = T(int(X) % 16);
  std::partial_sum(In.begin(), In.end(), Upto.begin());
  std::exclusive_scan(In.begin(), In.end(), Before.begin(), T(0));
  thrust::device_vector<T> From(In), To(Size);
  Temporary Room;
  check(Inclusive, [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceScan::InclusiveSum(R, Bytes, From.data().get(),
                                    To.data().get(), Size);
    });
    return fromDevice(To) == Upto;
  });
  check(Exclusive, [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceScan::ExclusiveSum(R, Bytes, From.data().get(),
                                    To.data().get(), Size);
    });
    return fromDevice(To) == Before;
  });
}

void others() {
  std::vector<int> In = someNumbers(), Keys = someKeys(), Want(Size);
  thrust::device_vector<int> From(In), To(Size), By(Keys);
  Temporary Room;
  std::partial_sum(In.begin(), In.end(), Want.begin(), Larger());
  check("DeviceScan::InclusiveScan, maximum", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceScan::InclusiveScan(R, Bytes, From.data().get(),
                                     To.data().get(), Larger(), Size);
    });
    return fromDevice(To) == Want;
  });
  std::vector<int> Within(Size);
  for (int N = 0; N != Size; ++N)
    Within[N] = In[N] + (N && Keys[N] == Keys[N - 1] ? Within[N - 1] : 0);
  check("DeviceScan::InclusiveSumByKey", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceScan::InclusiveSumByKey(R, Bytes, By.data().get(),
                                         From.data().get(), To.data().get(),
                                         Size);
    });
    return fromDevice(To) == Within;
  });
  check("DeviceScan::ExclusiveSumByKey", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceScan::ExclusiveSumByKey(R, Bytes, By.data().get(),
                                         From.data().get(), To.data().get(),
                                         Size);
    });
    std::vector<int> Got = fromDevice(To);
    for (int N = 0; N != Size; ++N)
      Got[N] += In[N];
    return Got == Within;
  });
  check("thrust::inclusive_scan_by_key", [&] {
    thrust::inclusive_scan_by_key(By.begin(), By.end(), From.begin(),
                                  To.begin());
    return fromDevice(To) == Within;
  });
  std::partial_sum(In.begin(), In.end(), Want.begin());
  check("thrust::inclusive_scan", [&] {
    thrust::inclusive_scan(From.begin(), From.end(), To.begin());
    return fromDevice(To) == Want;
  });
  std::exclusive_scan(In.begin(), In.end(), Want.begin(), 0);
  check("thrust::exclusive_scan", [&] {
    thrust::exclusive_scan(From.begin(), From.end(), To.begin());
    return fromDevice(To) == Want;
  });
}

int main(int Count, char **Arguments) {
  readArguments(Count, Arguments);
  sums<int>("DeviceScan::InclusiveSum, int", "DeviceScan::ExclusiveSum, int");
  sums<double>("DeviceScan::InclusiveSum, double",
               "DeviceScan::ExclusiveSum, double");
  others();
  return finish();
}
