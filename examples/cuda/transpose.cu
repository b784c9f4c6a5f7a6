// Transposes a matrix through tiles in shared memory, whose columns lie in one
// bank.
#include "check.cuh"
#include <vector>

template <typename T> __global__ void transpose(const T *In, T *Out, int Size) {
  __shared__ T Tile[32][32];
  int X = blockIdx.x * 32 + threadIdx.x, Y = blockIdx.y * 32 + threadIdx.y;
  for (int Row = 0; Row < 32; Row += 8)
    Tile[threadIdx.y + Row][threadIdx.x] = In[(Y + Row) * Size + X];
  __syncthreads();
  X = blockIdx.y * 32 + threadIdx.x;
  Y = blockIdx.x * 32 + threadIdx.y;
  for (int Row = 0; Row < 32; Row += 8)
    Out[(Y + Row) * Size + X] = Tile[threadIdx.x][threadIdx.y + Row];
}

int main() {
  const int Size = 512;
  const size_t Bytes = Size * Size * sizeof(float);
  std::vector<float> In(Size * Size), Out(Size * Size, -1);
  for (int I = 0; I != Size * Size; ++I)
    In[I] = I;
  float *DeviceIn, *DeviceOut;
  CHECK(cudaMalloc(&DeviceIn, Bytes));
  CHECK(cudaMalloc(&DeviceOut, Bytes));
  CHECK(cudaMemcpy(DeviceIn, In.data(), Bytes, cudaMemcpyHostToDevice));
  transpose<<<dim3(Size / 32, Size / 32), dim3(32, 8)>>>(DeviceIn, DeviceOut,
                                                         Size);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(Out.data(), DeviceOut, Bytes, cudaMemcpyDeviceToHost));
  bool IsRight = true;
  for (int Y = 0; Y != Size; ++Y)
    for (int X = 0; X != Size; ++X)
      IsRight &= Out[Y * Size + X] == In[X * Size + Y];
  return verdict(IsRight);
}
