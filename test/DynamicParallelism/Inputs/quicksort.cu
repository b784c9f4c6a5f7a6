// Quicksort, of which each part that is still long is a grid of its own; short
// ones are sorted by selection.
constexpr int Short = 24, MostDepth = 16;

__device__ void selectionSort(int *Data, int Left, int Right) {
  for (int I = Left; I <= Right; ++I) {
    int Least = I;
    for (int J = I + 1; J <= Right; ++J)
      if (Data[J] < Data[Least])
        Least = J;
    int Kept = Data[I];
    Data[I] = Data[Least];
    Data[Least] = Kept;
  }
}

__global__ void quicksort(int *Data, int Left, int Right, int Depth) {
  if (Depth >= MostDepth || Right - Left <= Short) {
    selectionSort(Data, Left, Right);
    return;
  }
  int Pivot = Data[Left + (Right - Left) / 2];
  int I = Left, J = Right;
  while (I <= J) {
    while (Data[I] < Pivot)
      ++I;
    while (Data[J] > Pivot)
      --J;
    if (I <= J) {
      int Kept = Data[I];
      Data[I++] = Data[J];
      Data[J--] = Kept;
    }
  }
  if (Left < J) {
    cudaStream_t Stream;
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, Stream>>>(Data, Left, J, Depth + 1);
    cudaStreamDestroy(Stream);
  }
  if (I < Right) {
    cudaStream_t Stream;
    cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, Stream>>>(Data, I, Right, Depth + 1);
    cudaStreamDestroy(Stream);
  }
}

// Sum and product of odd numbers stay, whatever the order is.
__global__ void fingerprint(const int *Data, int Count, unsigned *Out) {
  unsigned Sum = 0, Product = 1, Descents = 0;
  for (int I = 0; I != Count; ++I) {
    Sum += Data[I];
    Product *= 2 * unsigned(Data[I]) + 1;
    Descents += I && Data[I - 1] > Data[I];
  }
  Out[0] += Sum;
  Out[1] *= Product;
  Out[2] = Descents;
}
