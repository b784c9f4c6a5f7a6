; Protects that values and loads that are known are not computed again, where they
; are known on some ways only (GVN with partial redundancies) too.
; RUN: %opt-heddle -passes=heddle-remove-redundancies -S %s | FileCheck %s

; CHECK-LABEL: define i32 @known(
; CHECK-NEXT: %a = load i32, ptr %p
; CHECK-NEXT: %s = add i32 %a, %x
; CHECK-NEXT: [[M:%.*]] = mul i32 %s, %s
; CHECK-NEXT: ret i32 [[M]]
define i32 @known(ptr %p, i32 %x) {
  %a = load i32, ptr %p
  %s = add i32 %a, %x
  %b = load i32, ptr %p
  %t = add i32 %x, %b
  %m = mul i32 %s, %t
  ret i32 %m
}

; CHECK-LABEL: define i32 @partly_loaded(
; CHECK: {{^}}unknown:
; CHECK: [[PRE:%.*]] = load i32, ptr %p
; CHECK: {{^}}join:
; CHECK-NEXT: [[V:%.*]] = phi i32 [ [[PRE]], %unknown ], [ %a, %known ]
; CHECK-NEXT: ret i32 [[V]]
define i32 @partly_loaded(ptr %p, ptr %q, i1 %c) {
  br i1 %c, label %known, label %unknown
known:
  %a = load i32, ptr %p
  store volatile i32 %a, ptr %q
  br label %join
unknown:
  store volatile i32 1, ptr %q
  br label %join
join:
  %b = load i32, ptr %p
  ret i32 %b
}

; CHECK-LABEL: define i32 @partly_computed(
; CHECK: {{^}}unknown:
; CHECK: [[PRE:%.*]] = add i32 %x, %y
; CHECK: {{^}}join:
; CHECK-NEXT: [[V:%.*]] = phi i32 [ [[PRE]], %unknown ], [ %a, %known ]
; CHECK-NEXT: ret i32 [[V]]
define i32 @partly_computed(i32 %x, i32 %y, ptr %q, i1 %c) {
  br i1 %c, label %known, label %unknown
known:
  %a = add i32 %x, %y
  store volatile i32 %a, ptr %q
  br label %join
unknown:
  store volatile i32 1, ptr %q
  br label %join
join:
  %b = add i32 %x, %y
  ret i32 %b
}
