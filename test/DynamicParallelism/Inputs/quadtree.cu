// A quadtree: a CTA sorts the points of its square into four and launches a
// grid of four CTAs for them, until few points or the depth is left.
constexpr int Few = 8, MostDepth = 6, Threads = 32;

struct Node {
  float X, Y, Size;
  int Begin, End;
  int FirstChild; // 0: none
};

__device__ int NodeCount = 1;

__device__ int units(float2 P) {
  return int(P.x * 1048576.0f) + int(P.y * 1048576.0f);
}

__device__ int squareOf(const Node &N, float2 P) {
  float Half = 0.5f * N.Size;
  return (P.x >= N.X + Half) + 2 * (P.y >= N.Y + Half);
}

__global__ void split(Node *Nodes, int First, float2 *From, float2 *To,
                      int Depth) {
  __shared__ int Counts[4], Places[4];
  __shared__ int FirstChild;
  Node &N = Nodes[First + blockIdx.x];
  bool IsLeaf = N.End - N.Begin <= Few || Depth == MostDepth;
  // Points come to rest in the first array.
  if (IsLeaf) {
    if (Depth % 2)
      for (int I = N.Begin + threadIdx.x; I < N.End; I += Threads)
        To[I] = From[I];
    return;
  }
  if (threadIdx.x < 4)
    Counts[threadIdx.x] = 0;
  __syncthreads();
  for (int I = N.Begin + threadIdx.x; I < N.End; I += Threads)
    atomicAdd(&Counts[squareOf(N, From[I])], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    FirstChild = N.FirstChild = atomicAdd(&NodeCount, 4);
    int Place = N.Begin;
    for (int S = 0; S != 4; ++S) {
      float Half = 0.5f * N.Size;
      Nodes[FirstChild + S] = {N.X + (S & 1) * Half,
                               N.Y + (S >> 1) * Half,
                               Half,
                               Place,
                               Place + Counts[S],
                               0};
      Places[S] = Place;
      Place += Counts[S];
    }
  }
  __syncthreads();
  for (int I = N.Begin + threadIdx.x; I < N.End; I += Threads)
    To[atomicAdd(&Places[squareOf(N, From[I])], 1)] = From[I];
  __syncthreads();
  if (threadIdx.x == 0)
    split<<<4, Threads>>>(Nodes, FirstChild, To, From, Depth + 1);
}

__global__ void begin(Node *Nodes, const float *Numbers, float2 *Points,
                      float2 *Other, int Count, long long *Sum) {
  for (int I = 0; I != Count; ++I) {
    Points[I] = make_float2(Numbers[2 * I], Numbers[2 * I + 1]);
    *Sum += units(Points[I]);
  }
  Nodes[0] = {0.0f, 0.0f, 1.0f, 0, Count, 0};
  split<<<1, Threads>>>(Nodes, 0, Points, Other, 0);
}

// Points in leaves, those outside of their leaf, and what the sum of all points
// has lost.
__global__ void check(const Node *Nodes, const float2 *Points, int *InLeaves,
                      int *Outside, int *LeafCount, long long *Sum) {
  for (int I = 0; I != NodeCount; ++I) {
    const Node &N = Nodes[I];
    if (N.FirstChild)
      continue;
    ++*LeafCount;
    for (int P = N.Begin; P != N.End; ++P) {
      float X = Points[P].x - N.X, Y = Points[P].y - N.Y;
      ++*InLeaves;
      *Outside += X < 0 || X >= N.Size || Y < 0 || Y >= N.Size;
      *Sum -= units(Points[P]);
    }
  }
}
