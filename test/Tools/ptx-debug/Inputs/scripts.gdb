set pagination off
set cuda memcheck on
set $wanted = 40
define where-is
  printf "%s: thread %d of block %d, warp %u\n", "$arg0", threadIdx.x, blockIdx.x, warpid
end
document where-is
Prints the thread.
end
break several.cu:37 if threadIdx.x == $wanted
commands
  silent
  where-is clamp
  set $count = 0
  while $count < 3
    if $count == 1
      echo one\n
    else
      printf "%.2f%% %5d|%-4x|%c\n", $count / 2.0, $count, 255, 'a' + $count
    end
    set $count = $count + 1
  end
end
run
printf "stopped at %s, %d\n", "a, (b", $wanted + $count
info breakpoints
delete 1
tbreak several.cu:38
continue
x/2xw (@shared int *)0
x
x/2dw
info cuda lanes warp 2 lane 3
info cuda warps block 0
info cuda threads warp 1
info cuda threads thread 5
info cuda blocks block 3
info cuda lanes warp 9
display threadIdx.x
display warpid
undisplay 1-2
info display
set print elements 4
print *(@shared float *)0@8
show print elements
set print elements unlimited
set print nothing on
set cuda nothing 1
tbreak +0
break -1
break +1
info breakpoints
delete 3-5
delete 3
printf "%d"
printf "%d\n", 1, 2
printf "%q", 1
printf 1
backtrace full
backtrace -1
info threads
start
print threadIdx
