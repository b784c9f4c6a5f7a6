// Heats particles, of which each is a structure: threads next to each other
// read addresses that are a structure apart.
#include "check.cuh"
#include <vector>

struct Particle {
  float Position[3], Velocity[3], Mass, Heat;
};

__global__ void heat(Particle *Particles, float Factor, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count)
    Particles[I].Heat *= Factor;
}

int main() {
  const int Count = 65536;
  std::vector<Particle> Particles(Count);
  for (int I = 0; I != Count; ++I)
    Particles[I].Heat = I;
  Particle *Device;
  CHECK(cudaMalloc(&Device, Count * sizeof(Particle)));
  CHECK(cudaMemcpy(Device, Particles.data(), Count * sizeof(Particle),
                   cudaMemcpyHostToDevice));
  heat<<<Count / 256, 256>>>(Device, 2, Count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(Particles.data(), Device, Count * sizeof(Particle),
                   cudaMemcpyDeviceToHost));
  bool IsRight = true;
  for (int I = 0; I != Count; ++I)
    IsRight &= Particles[I].Heat == 2.0f * I;
  return verdict(IsRight);
}
