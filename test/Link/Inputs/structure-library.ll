target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Pair = type { i32, [2 x i32] }

define %struct.Pair @make(i32 %value) {
  %double = add i32 %value, %value
  %half = insertvalue %struct.Pair poison, i32 %double, 0
  %more = insertvalue %struct.Pair %half, i32 7, 1, 0
  %all = insertvalue %struct.Pair %more, i32 100, 1, 1
  ret %struct.Pair %all
}
