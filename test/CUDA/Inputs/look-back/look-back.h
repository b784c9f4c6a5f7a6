// What the programs of this folder share: each runs algorithms again and again,
// whose CTAs wait for what earlier ones have found out, and counts the runs
// that differ from what the host computes.
//
//     PROGRAM [RUNS [SIZE]]

#ifndef LOOK_BACK_H
#define LOOK_BACK_H

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <vector>

inline int Runs = 50, Size = 150000, Wrong = 0;

struct IsOdd {
  __host__ __device__ bool operator()(int X) const { return X & 1; }
};
struct Larger {
  template <class T> __host__ __device__ T operator()(T A, T B) const {
    return A < B ? B : A;
  }
};

template <class T> std::vector<T> fromDevice(const thrust::device_vector<T> &V) {
  std::vector<T> H(V.size());
  thrust::copy(V.begin(), V.end(), H.begin());
  return H;
}

// What is sorted, summed and selected; keys in runs of 1 to 13.
inline std::vector<int> someNumbers() {
  std::vector<int> V(Size);
  unsigned State = 1;
  for (int &X : V) {
    State = State * 1664525u + 1013904223u;
    X = State >> 8 & 0xffff;
  }
  return V;
}
inline std::vector<int> someKeys() {
  std::vector<int> V(Size);
  unsigned State = 7;
  int Left = 0, Key = 0;
  for (int &X : V) {
    if (Left-- == 0) {
      State = State * 1664525u + 1013904223u;
      Left = int((State >> 16) % 13);
      ++Key;
    }
    X = Key;
  }
  return V;
}

// Room for what CUB needs beside input and output.
struct Temporary {
  void *Room = nullptr;
  size_t Bytes = 0;
  ~Temporary() { cudaFree(Room); }
};

// Calls Algorithm(room, bytes) twice, as CUB wants it.
template <class Fn> void withRoom(Temporary &T, Fn Algorithm) {
  size_t Bytes = 0;
  Algorithm(nullptr, Bytes);
  if (Bytes > T.Bytes) {
    cudaFree(T.Room);
    cudaMalloc(&T.Room, Bytes);
    T.Bytes = Bytes;
  }
  Algorithm(T.Room, Bytes);
}

// Counts the runs in which Run does not give what it gives for a right result.
inline void check(const char *Name, const std::function<bool()> &Run) {
  int Bad = 0;
  for (int R = 0; R != Runs; ++R)
    Bad += !Run();
  cudaError_t Error = cudaDeviceSynchronize();
  if (Error != cudaSuccess)
    Bad = Runs;
  Wrong += Bad;
  std::printf("%-36s %d of %d runs wrong%s%s\n", Name, Bad, Runs,
              Error ? ": " : "", Error ? cudaGetErrorString(Error) : "");
  std::fflush(stdout);
}

inline void readArguments(int Count, char **Arguments) {
  if (Count > 1)
    Runs = std::atoi(Arguments[1]);
  if (Count > 2)
    Size = std::atoi(Arguments[2]);
}

inline int finish() {
  std::printf("%s\n", Wrong ? "FAIL" : "PASS");
  return Wrong != 0;
}

#endif
