target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @f(i32 %value) noinline {
  %sum = add i32 %value, 100
  ret i32 %sum
}

define i32 @g(i32 %value) noinline {
  %sum = add i32 %value, 1000
  ret i32 %sum
}

define i32 @w(i32 %value) noinline {
  %sum = add i32 %value, 10000
  ret i32 %sum
}
