// Runs of equal keys: their sums, lengths and first elements.
#include "look-back.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <thrust/reduce.h>

struct Expected {
  std::vector<int> Keys, Lengths, Sums, LongStarts, LongLengths;
};

static Expected expectedOf(const std::vector<int> &Keys,
                           const std::vector<int> &Values) {
  Expected E;
  for (int N = 0; N != Size;) {
    int First = N, Sum = 0;
    for (; N != Size && Keys[N] == Keys[First]; ++N)
      Sum += Values[N];
    E.Keys.push_back(Keys[First]);
    E.Lengths.push_back(N - First);
    E.Sums.push_back(Sum);
    if (N - First > 1) {
      E.LongStarts.push_back(First);
      E.LongLengths.push_back(N - First);
    }
  }
  return E;
}

static bool startsWith(const thrust::device_vector<int> &Got,
                       const std::vector<int> &Want) {
  std::vector<int> H = fromDevice(Got);
  return std::equal(Want.begin(), Want.end(), H.begin());
}

int main(int Count, char **Arguments) {
  readArguments(Count, Arguments);
  std::vector<int> Keys = someKeys(), Values = someNumbers();
  Expected E = expectedOf(Keys, Values);
  thrust::device_vector<int> In(Keys), By(Values), A(Size), B(Size), Number(1);
  Temporary Room;
  auto HasFound = [&](size_t N) { return size_t(int(Number[0])) == N; };
  check("DeviceReduce::ReduceByKey", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceReduce::ReduceByKey(
          R, Bytes, In.data().get(), A.data().get(), By.data().get(),
          B.data().get(), Number.data().get(), cuda::std::plus<int>(), Size);
    });
    return HasFound(E.Keys.size()) && startsWith(A, E.Keys) &&
           startsWith(B, E.Sums);
  });
  check("DeviceRunLengthEncode::Encode", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceRunLengthEncode::Encode(R, Bytes, In.data().get(),
                                         A.data().get(), B.data().get(),
                                         Number.data().get(), Size);
    });
    return HasFound(E.Keys.size()) && startsWith(A, E.Keys) &&
           startsWith(B, E.Lengths);
  });
  check("DeviceRunLengthEncode::NonTrivialRuns", [&] {
    withRoom(Room, [&](void *R, size_t &Bytes) {
      cub::DeviceRunLengthEncode::NonTrivialRuns(R, Bytes, In.data().get(),
                                                 A.data().get(), B.data().get(),
                                                 Number.data().get(), Size);
    });
    return HasFound(E.LongStarts.size()) && startsWith(A, E.LongStarts) &&
           startsWith(B, E.LongLengths);
  });
  check("thrust::reduce_by_key", [&] {
    auto End = thrust::reduce_by_key(In.begin(), In.end(), By.begin(),
                                     A.begin(), B.begin());
    return size_t(End.first - A.begin()) == E.Keys.size() &&
           startsWith(A, E.Keys) && startsWith(B, E.Sums);
  });
  return finish();
}
