// Sorts by digits, whose CTAs look back for each digit, and sums of segments.
#include "look-back.h"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <numeric>
#include <thrust/sort.h>

int main(int Count, char **Arguments) {
  readArguments(Count, Arguments);
  std::vector<int> In = someNumbers(), Sorted = In, Places(Size);
  std::sort(Sorted.begin(), Sorted.end());
  std::iota(Places.begin(), Places.end(), 0);
  std::vector<int> Order = Places;
  std::stable_sort(Order.begin(), Order.end(),
                   [&](int A, int B) { return In[A] < In[B]; });
  thrust::device_vector<int> From(In), To(Size), Values(Places), Moved(Size);
  Temporary Room;
  check("DeviceRadixSort::SortKeys", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceRadixSort::SortKeys(R, Bytes, From.data().get(),
                                     To.data().get(), Size);
    });
    return fromDevice(To) == Sorted;
  });
  check("DeviceRadixSort::SortPairs", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceRadixSort::SortPairs(R, Bytes, From.data().get(),
                                      To.data().get(), Values.data().get(),
                                      Moved.data().get(), Size);
    });
    return fromDevice(To) == Sorted && fromDevice(Moved) == Order;
  });
  check("thrust::sort", [&] {
    thrust::device_vector<int> V(From);
    thrust::sort(V.begin(), V.end());
    return fromDevice(V) == Sorted;
  });
  const int Segment = 1000, Segments = Size / Segment;
  std::vector<int> Offsets(Segments + 1), Sums(Segments);
  for (int N = 0; N <= Segments; ++N)
    Offsets[N] = N * Segment;
  for (int N = 0; N != Segments; ++N)
    Sums[N] = std::accumulate(In.begin() + Offsets[N],
                              In.begin() + Offsets[N + 1], 0);
  thrust::device_vector<int> Begin(Offsets), Total(Segments);
  check("DeviceSegmentedReduce::Sum", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceSegmentedReduce::Sum(R, Bytes, From.data().get(),
                                      Total.data().get(), Segments,
                                      Begin.data().get(),
                                      Begin.data().get() + 1);
    });
    return fromDevice(Total) == Sums;
  });
  return finish();
}
