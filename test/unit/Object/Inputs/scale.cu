// The input of the fat binaries here; make.sh compiles it.
extern "C" __global__ void scale(float *Values, float Factor, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Values[I] *= Factor;
}
