"""Writes a module that has the shape of NVIDIA's static runtime, as assembly.

usage: runtime-shape.py SIGNATURES VERSION FORM [CHANGE]

The functions of a version stand in it as they do in the runtime, with others
before, between and behind them: those that compilers call in one of the forms that
the table has, those that programs call with their numbers. None works: each returns
999. CHANGE:
  longer   a function that compilers call has a byte more
  doubled  two functions have one number
  parted   a function without a number is among those that have one
  missing  a function that the version has is not there
  newer    there is a function with a number that the table does not have
  distances  addresses before the numbers have distances that look like other stores
"""
import re
import sys

ANY = 74
# cudaGetErrorString's text and 999.
BODIES = {"cudaGetErrorString": ("lea theirs(%rip), %rax\n ret", 8)}
FAILS = ("mov $999, %eax\n ret", 6)
# lea 0x445c7(%rip), %r11 and movq %rdx, -0x48(%rbp), then lea 0x185c7(%rip), %r11, as a
# linker may have it.
DISTANCES = bytes.fromhex("4c8d1d c7450400 488955b8 4c8d1d c7850100")


def rows(table, macro):
    return [row.split(", ") for row in re.findall(r"^%s\((.*)\)$" % macro, table, re.M)]


def read_table(path, version, form):
    with open(path, encoding="ascii") as file:
        table = file.read()
    compilers = []
    for name, *lengths in rows(table, "HEDDLE_COMPILER"):
        if lengths[form] != "0":
            compilers.append((name, ANY if lengths[form] == "ANY_LENGTH" else int(lengths[form])))
    programs = [
        (name, int(number))
        for number, name, first, last in rows(table, "HEDDLE_CALLBACK")
        if int(first) <= version <= int(last)
    ]
    return compilers, programs


def change_shape(compilers, programs, change):
    name, number = programs[len(programs) // 2]
    if change == "longer":
        # The next function begins where it did.
        at = next(i for i, (_, length) in enumerate(compilers) if i and length % 16)
        compilers[at] = compilers[at][0], compilers[at][1] + 1
    elif change == "doubled":
        programs.append(("another", number))
    elif change == "parted":
        programs.insert(len(programs) // 2, ("another", None))
    elif change == "missing":
        programs.remove(("cudaGraphUpload", 348))
    elif change == "newer":
        programs.append(("another", 3000))


def print_function(name, length, number=None, before=b""):
    body, size = BODIES.get(name, FAILS)
    if length < size:
        body, size = "ret", 1
    if number:
        # Nobody comes here. These take 8 and 11 bytes.
        body += "\n movl $0, 4(%rsp)\n movl $120, 8(%rsp)\n"
        body += "".join(" .byte %d\n" % byte for byte in before)
        body += " movl $%d, 400(%%rsp)" % number
        size += 8 + 8 + len(before) + 11
    print(f""".p2align 4
.globl {name}
.hidden {name}
.type {name}, @function
{name}:
 .cfi_startproc
 {body}
 .skip {length - size}, 0x90
 .cfi_endproc
.size {name}, . - {name}""")


def main():
    path, version, form, change, *_ = sys.argv[1:] + [""]
    compilers, programs = read_table(path, int(version), int(form))
    change_shape(compilers, programs, change)
    print('.section .rodata\ntheirs: .asciz "theirs"')
    print('.section .data.rel, "awR", @progbits\n.quad dlopen, dlsym')
    print('.section .note.GNU-stack, "", @progbits\n.text')
    for i in range(20):
        print_function("before%d" % i, 30 + 17 * i)
    for name, length in compilers:
        print_function(name, length)
    for i in range(100):
        print_function("between%d" % i, 130)
    before = DISTANCES if change == "distances" else b""
    for i, (name, number) in enumerate(programs):
        print_function(name, 300 + i * 7 % 500, number, before)
    print_function("behind", 900)


if __name__ == "__main__":
    main()
