// Curves of three points, tessellated by a child grid each, into memory that
// the parent allocates by how much the curve bends.
struct Curve {
  float2 Control[3];
  float2 *Vertices;
  int Count;
};

__device__ float2 pointAt(const Curve &C, float U) {
  float V = 1.0f - U, A = V * V, B = 2.0f * U * V, D = U * U;
  return make_float2(
      A * C.Control[0].x + B * C.Control[1].x + D * C.Control[2].x,
      A * C.Control[0].y + B * C.Control[1].y + D * C.Control[2].y);
}

__global__ void tessellate(Curve *Curves, int Index) {
  Curve &C = Curves[Index];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < C.Count)
    C.Vertices[I] = pointAt(C, float(I) / float(C.Count - 1));
}

__global__ void measure(Curve *Curves, const float2 *Points, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  Curve &C = Curves[I];
  for (int P = 0; P != 3; ++P)
    C.Control[P] = Points[3 * I + P];
  float X = C.Control[1].x - 0.5f * (C.Control[0].x + C.Control[2].x);
  float Y = C.Control[1].y - 0.5f * (C.Control[0].y + C.Control[2].y);
  C.Count = min(max(int(sqrtf(X * X + Y * Y) * 16.0f), 4), 64);
  cudaMalloc((void **)&C.Vertices, C.Count * sizeof(float2));
  tessellate<<<(C.Count + 31) / 32, 32>>>(Curves, I);
}

// Largest distance of a vertex from its place, and all vertices.
__global__ void check(const Curve *Curves, int Count, float *Worst,
                      int *Total) {
  for (int I = 0; I != Count; ++I) {
    const Curve &C = Curves[I];
    *Total += C.Count;
    for (int V = 0; V != C.Count; ++V) {
      float2 P = pointAt(C, float(V) / float(C.Count - 1));
      *Worst = fmaxf(*Worst, fabsf(P.x - C.Vertices[V].x));
      *Worst = fmaxf(*Worst, fabsf(P.y - C.Vertices[V].y));
    }
    float2 Last = C.Vertices[C.Count - 1];
    *Worst = fmaxf(*Worst, fabsf(Last.x - C.Control[2].x));
  }
}

__global__ void release(Curve *Curves) {
  cudaFree(Curves[threadIdx.x].Vertices);
}
