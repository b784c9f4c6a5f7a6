; Protects functions of whose loads none may move: nothing is cleaned up there, not
; even what is obviously redundant, since other passes do that. Without a plan only
; a switch gets another default.
; RUN: %opt-heddle -passes=heddle-early-loads -S %s | FileCheck %s

; CHECK-LABEL: define i32 @nothing_moves(
; CHECK: {{^}}join:
; CHECK-NEXT: %x = load volatile i32, ptr addrspace(1) %p
; CHECK-NEXT: %a = add i32 %x, 0
; CHECK-NEXT: %b = mul i32 %a, 2
; CHECK-NEXT: %c1 = mul i32 %a, 2
define i32 @nothing_moves(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) "heddle-loops" {
entry:
  br i1 %c, label %way, label %join
way:
  store i32 1, ptr addrspace(1) %q
  br label %join
join:
  %x = load volatile i32, ptr addrspace(1) %p
  %a = add i32 %x, 0
  %b = mul i32 %a, 2
  %c1 = mul i32 %a, 2
  %r = sub i32 %b, %c1
  ret i32 %r
}

; CHECK-LABEL: define i32 @no_plan(
; CHECK: entry:
; CHECK-NEXT: switch i32 %kind, label %one [
; CHECK: {{^}}join:
; CHECK-NEXT: %x = load i32, ptr addrspace(1) %p
; CHECK-NEXT: %a = add i32 %x, 0
define i32 @no_plan(ptr addrspace(1) %p, i32 %kind) {
entry:
  switch i32 %kind, label %nowhere [
    i32 1, label %one
    i32 2, label %two
  ]
one:
  br label %join
two:
  br label %join
nowhere:
  unreachable
join:
  %x = load i32, ptr addrspace(1) %p
  %a = add i32 %x, 0
  ret i32 %a
}
