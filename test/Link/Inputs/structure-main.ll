; Calls a function that returns a structure, as clang writes it for NVPTX.
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Pair = type { i32, [2 x i32] }

declare %struct.Pair @make(i32)

define ptx_kernel void @apply(ptr %data) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr %data, i32 %tid
  %value = load i32, ptr %place
  %pair = call %struct.Pair @make(i32 %value)
  %first = extractvalue %struct.Pair %pair, 0
  %last = extractvalue %struct.Pair %pair, 1, 1
  %sum = add i32 %first, %last
  store i32 %sum, ptr %place
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
