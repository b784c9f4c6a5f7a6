; "f" and "g" give way to the other module's, the aliases keep what they stand for.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@a = alias i32 (i32), ptr @f
@w = weak_odr alias i32 (i32), ptr @g

define linkonce_odr i32 @f(i32 %value) noinline {
  %sum = add i32 %value, 1
  ret i32 %sum
}

define weak_odr i32 @g(i32 %value) noinline {
  %sum = add i32 %value, 10
  ret i32 %sum
}

define ptx_kernel void @apply(ptr %data) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %data, i32 %tid
  %value = load i32, ptr %place
  %1 = call i32 @a(i32 %value)
  %2 = call i32 @f(i32 %1)
  %3 = call i32 @w(i32 %2)
  %4 = call i32 @g(i32 %3)
  store i32 %4, ptr %place
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
