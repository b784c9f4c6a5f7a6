// Quicksort by many threads: a grid partitions, with a place for each element
// from an atomic, and the last CTA of the grid launches the two parts.
constexpr int Threads = 128, Short = 256;

struct Part {
  unsigned Left, Right, CTAs;
};

__global__ void sortShort(unsigned *Data, int Begin, int Count) {
  __shared__ unsigned Kept[2 * Short];
  int T = threadIdx.x;
  for (int I = T; I < Count; I += blockDim.x)
    Kept[I] = Data[Begin + I];
  __syncthreads();
  for (int Round = 0; Round != Count; ++Round) {
    for (int I = 2 * T + (Round & 1); I + 1 < Count; I += 2 * blockDim.x)
      if (Kept[I] > Kept[I + 1]) {
        unsigned Low = Kept[I + 1];
        Kept[I + 1] = Kept[I];
        Kept[I] = Low;
      }
    __syncthreads();
  }
  for (int I = T; I < Count; I += blockDim.x)
    Data[Begin + I] = Kept[I];
}

__global__ void partition(unsigned *Data, unsigned *Other, int Begin, int Count,
                          Part *State, int Depth);

__global__ void sortPart(unsigned *Data, unsigned *Other, int Begin, int Count,
                         int Depth) {
  if (Count <= Short || Depth > 20) {
    if (Count > 2 * Short)
      __trap();
    sortShort<<<1, Threads, 0, cudaStreamFireAndForget>>>(Data, Begin, Count);
    return;
  }
  Part *State;
  if (cudaMalloc(&State, sizeof(Part)) != cudaSuccess)
    __trap();
  State->Left = State->Right = State->CTAs = 0;
  partition<<<(Count + Threads - 1) / Threads, Threads>>>(Data, Other, Begin,
                                                          Count, State, Depth);
}

__global__ void copyBack(unsigned *Data, const unsigned *Other, int Begin,
                         int Count) {
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x)
    Data[Begin + I] = Other[Begin + I];
}

__global__ void partition(unsigned *Data, unsigned *Other, int Begin, int Count,
                          Part *State, int Depth) {
  unsigned A = Data[Begin], B = Data[Begin + Count / 2],
           C = Data[Begin + Count - 1];
  unsigned Pivot = max(min(A, B), min(max(A, B), C));
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count) {
    unsigned X = Data[Begin + I];
    // Equal ones go to both sides, so that all equal is no bad case.
    bool IsLow = X < Pivot || (X == Pivot && (I & 1));
    if (IsLow)
      Other[Begin + atomicAdd(&State->Left, 1)] = X;
    else
      Other[Begin + Count - 1 - atomicAdd(&State->Right, 1)] = X;
  }
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  __threadfence();
  if (atomicAdd(&State->CTAs, 1) != gridDim.x - 1)
    return;
  int Left = State->Left;
  cudaFree(State);
  copyBack<<<4, Threads>>>(Data, Other, Begin, Count);
  if (Left)
    sortPart<<<1, 1>>>(Data, Other, Begin, Left, Depth + 1);
  if (Count - Left)
    sortPart<<<1, 1>>>(Data, Other, Begin + Left, Count - Left, Depth + 1);
}

// Sum and product of odd numbers stay, whatever the order is.
__global__ void fingerprint(const unsigned *Data, int Count, unsigned *Out) {
  unsigned Sum = 0, Product = 1, Descents = 0;
  for (int I = 0; I != Count; ++I) {
    Sum += Data[I];
    Product *= 2 * Data[I] + 1;
    Descents += I && Data[I - 1] > Data[I];
  }
  Out[0] += Sum;
  Out[1] *= Product;
  Out[2] = Descents;
}
