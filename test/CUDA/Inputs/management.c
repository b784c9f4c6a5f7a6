// Asks libnvidia-ml.so.1 what monitors and frameworks ask, and compares it with
// what the driver API says. Compiles without NVIDIA's headers.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  unsigned long long Total, Free, Used;
} Memory;
typedef struct {
  unsigned Version;
  unsigned long long Total, Reserved, Free, Used;
} Memory2;
typedef struct {
  unsigned Id;
  unsigned long long Bytes;
  unsigned GpuInstance, ComputeInstance;
} ProcessInfo;
typedef struct {
  char LegacyId[16];
  unsigned Domain, Bus, Device, DeviceId, SubsystemId;
  char Id[32];
} PCIInfo;

static void *Management, *Driver;

static void *find(void *Library, const char *Name) {
  void *Function = dlsym(Library, Name);
  if (!Function) {
    fprintf(stderr, "no %s\n", Name);
    exit(1);
  }
  return Function;
}

// All functions return a code.
#define NVML(Name, ...) (((int (*)())find(Management, "nvml" #Name))(__VA_ARGS__))
#define CU(Name, ...) (((int (*)())find(Driver, "cu" #Name))(__VA_ARGS__))

static void expect(int Code, int Expected, const char *What) {
  if (Code != Expected)
    printf("WRONG: %s gave %d in place of %d\n", What, Code, Expected);
}
#define EXPECT(Expected, ...) expect(__VA_ARGS__, Expected, #__VA_ARGS__)

static void askIdentity(void *Device) {
  char Text[96], Name[96], Id[32];
  void *Same = NULL;
  PCIInfo Place;
  int Major, Minor, Version;
  EXPECT(0, NVML(DeviceGetName, Device, Text, 96u));
  EXPECT(0, CU(DeviceGetName, Name, 96, 0));
  printf("name: %s, the driver's: %s\n", Text, strcmp(Text, Name) ? "no" : "yes");
  EXPECT(7, NVML(DeviceGetName, Device, Text, 3u));
  EXPECT(0, NVML(DeviceGetUUID, Device, Text, 96u));
  printf("uuid: %s\n", Text);
  EXPECT(0, NVML(DeviceGetHandleByUUID, Text, &Same));
  EXPECT(1, Same == Device);
  EXPECT(6, NVML(DeviceGetHandleByUUID, "GPU-0", &Same));
  EXPECT(0, NVML(DeviceGetPciInfo_v3, Device, &Place));
  printf("place: %s %s\n", Place.Id, Place.LegacyId);
  EXPECT(0, CU(DeviceGetPCIBusId, Id, 32, 0));
  EXPECT(0, NVML(DeviceGetHandleByPciBusId_v2, Id, &Same));
  EXPECT(0, NVML(DeviceGetHandleByPciBusId_v2, Place.Id, &Same));
  EXPECT(6, NVML(DeviceGetHandleByPciBusId_v2, "0000:7F:00.0", &Same));
  EXPECT(0, NVML(DeviceGetCudaComputeCapability, Device, &Major, &Minor));
  printf("capability: %d.%d\n", Major, Minor);
  EXPECT(0, NVML(SystemGetDriverVersion, Text, 80u));
  EXPECT(0, NVML(SystemGetCudaDriverVersion_v2, &Version));
  printf("driver: %s, CUDA: %d\n", Text, Version);
}

static void askState(void *Device) {
  unsigned Clock = 0, Power = 0, Temperature, Mode, Modes;
  struct {
    unsigned Device, Memory;
  } Use = {1, 1};
  EXPECT(0, NVML(DeviceGetClockInfo, Device, 1u, &Clock));
  printf("clock: %s\n", Clock > 100 ? "some" : "none");
  EXPECT(0, NVML(DeviceGetUtilizationRates, Device, &Use));
  printf("utilization: %u\n", Use.Device);
  EXPECT(3, NVML(DeviceGetPowerUsage, Device, &Power));
  EXPECT(3, NVML(DeviceGetTemperature, Device, 0u, &Temperature));
  EXPECT(0, NVML(DeviceGetMigMode, Device, &Mode, &Modes));
  EXPECT(0, NVML(DeviceGetMaxMigDeviceCount, Device, &Modes));
  EXPECT(2, NVML(DeviceGetName, (void *)&Mode, NULL, 0u));
}

/// What is not worn, locked or encrypted.
static void askHealth(void *Device) {
  unsigned A = 9, B = 9, C = 9, D = 9, States[4], Clock, Least, Most;
  unsigned long Nodes = 0;
  unsigned Secrecy[5] = {20 | 1 << 24, 9, 9, 9, 9};
  EXPECT(0, NVML(DeviceGetEccMode, Device, &A, &B));
  EXPECT(0, NVML(DeviceGetRemappedRows, Device, &A, &B, &C, &D));
  EXPECT(0, A + B + C + D);
  EXPECT(0, NVML(DeviceGetRetiredPages, Device, 1u, &A, NULL));
  EXPECT(2, NVML(DeviceGetRetiredPages, Device, 2u, &A, NULL));
  EXPECT(0, NVML(SystemGetConfComputeSettings, Secrecy));
  EXPECT(0, Secrecy[1] + Secrecy[2]);
  Secrecy[0] = 1;
  EXPECT(25, NVML(SystemGetConfComputeSettings, Secrecy));
  EXPECT(0, NVML(DeviceGetSupportedPerformanceStates, Device, States, (unsigned)sizeof(States)));
  EXPECT(32, (int)States[1]);
  EXPECT(0, NVML(DeviceGetClockInfo, Device, 1u, &Clock));
  EXPECT(0, NVML(DeviceGetMinMaxClockOfPState, Device, 1u, 0u, &Least, &Most));
  EXPECT(1, Least == Clock && Most == Clock);
  EXPECT(0, NVML(DeviceSetGpuLockedClocks, Device, Clock - 100, Clock));
  EXPECT(2, NVML(DeviceSetGpuLockedClocks, Device, Clock - 100, Clock - 1));
  EXPECT(0, NVML(DeviceResetGpuLockedClocks, Device));
  EXPECT(0, NVML(DeviceGetMemoryAffinity, Device, 1u, &Nodes, 0u));
  EXPECT(1, Nodes != 0);
  EXPECT(0, NVML(DeviceSetCpuAffinity, Device));
  EXPECT(0, NVML(DeviceGetMaxPcieLinkGeneration, Device, &A));
  EXPECT(0, NVML(DeviceGetCurrPcieLinkWidth, Device, &B));
  EXPECT(0, NVML(DeviceGetPcieSpeed, Device, &C));
  printf("link: generation %u, %u lanes, %u MT/s\n", A, B, C);
}

/// What this process does is on its account, once there are accounts.
static void askAccounts(void *Device) {
  unsigned Mode = 9, Count = 4, Processes[4], Self = getpid();
  struct {
    unsigned Device, Memory;
    unsigned long long MostBytes, Milliseconds, Start;
    unsigned IsRunning, Reserved[5];
  } Account;
  EXPECT(0, NVML(DeviceGetAccountingMode, Device, &Mode));
  EXPECT(0, (int)Mode);
  EXPECT(3, NVML(DeviceGetAccountingPids, Device, &Count, Processes));
  EXPECT(0, NVML(DeviceSetAccountingMode, Device, 1u));
  EXPECT(0, NVML(DeviceGetAccountingPids, Device, &Count, Processes));
  EXPECT(0, NVML(DeviceGetAccountingStats, Device, Self, &Account));
  printf("account: %u process, this one: %s, running: %u, most bytes: %llu\n", Count,
         Processes[0] == Self ? "yes" : "no", Account.IsRunning, Account.MostBytes);
  EXPECT(6, NVML(DeviceGetAccountingStats, Device, 1u, &Account));
  EXPECT(0, NVML(DeviceSetAccountingMode, Device, 0u));
}

/// The same memory as the driver says.
static void askMemory(void *Device, const char *When) {
  Memory M;
  Memory2 M2 = {sizeof(M2) | 2 << 24};
  ProcessInfo List[4];
  unsigned Count = 4;
  size_t Free, Total;
  EXPECT(0, NVML(DeviceGetMemoryInfo, Device, &M));
  EXPECT(0, NVML(DeviceGetMemoryInfo_v2, Device, &M2));
  M2.Version = sizeof(M2) | 9 << 24;
  EXPECT(25, NVML(DeviceGetMemoryInfo_v2, Device, &M2));
  EXPECT(0, CU(MemGetInfo_v2, &Free, &Total));
  EXPECT(0, NVML(DeviceGetComputeRunningProcesses_v3, Device, &Count, List));
  printf("%s: used %llu, as the driver: %s, this process: %s\n", When, M.Used,
         M.Free == Free && M.Total == Total && M2.Free == Free ? "yes" : "no",
         Count == 1 && List[0].Id == (unsigned)getpid() && List[0].Bytes == M.Used
             ? "yes"
             : "no");
}

/// A process that has only asked has children that can use the device.
static void useInChild(void) {
  int Status = -1;
  if (fork() == 0)
    _exit(CU(Init, 0u));
  wait(&Status);
  printf("child: %d\n", WEXITSTATUS(Status));
}

int main(void) {
  void *Device = NULL, *Context;
  unsigned Count = 0;
  unsigned long long Address;
  Management = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  Driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!Management || !Driver)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  EXPECT(1, NVML(DeviceGetCount_v2, &Count));
  EXPECT(0, NVML(Init_v2));
  EXPECT(0, NVML(DeviceGetCount_v2, &Count));
  printf("devices: %u\n", Count);
  EXPECT(2, NVML(DeviceGetHandleByIndex_v2, 1u, &Device));
  EXPECT(0, NVML(DeviceGetHandleByIndex_v2, 0u, &Device));
  useInChild();
  EXPECT(0, CU(Init, 0u));
  EXPECT(0, CU(DevicePrimaryCtxRetain, &Context, 0));
  EXPECT(0, CU(CtxPushCurrent_v2, Context));
  askIdentity(Device);
  askState(Device);
  askMemory(Device, "before");
  EXPECT(0, CU(MemAlloc_v2, &Address, (size_t)1 << 20));
  askMemory(Device, "after");
  askHealth(Device);
  askAccounts(Device);
  EXPECT(0, NVML(Shutdown));
  EXPECT(1, NVML(Shutdown));
  printf("text: %s\n", ((const char *(*)(int))find(Management, "nvmlErrorString"))(3));
  return 0;
}
