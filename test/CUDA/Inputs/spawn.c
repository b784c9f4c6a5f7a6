// Starts a program named ptxas by posix_spawn, as XLA does, without and with the
// driver API in the process.
#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

extern char **environ;

static void start(const char *Program) {
  char *Arguments[] = {"ptxas", "--version", NULL};
  pid_t Process;
  int Status = -1;
  fflush(stdout);
  if (posix_spawnp(&Process, Program, NULL, NULL, Arguments, environ) == 0)
    waitpid(Process, &Status, 0);
  printf("status: %d\n", Status);
}

int main(int Count, char **Arguments) {
  if (Count != 2)
    return 1;
  start(Arguments[1]);
  if (!dlopen("libcuda.so.1", RTLD_NOW))
    return 1;
  start(Arguments[1]);
  return 0;
}
