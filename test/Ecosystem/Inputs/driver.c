/* A driver of which tests put the context in an error. */
static int Status;

void makeFault(void) { Status = 700; }

int cuCtxSynchronize(void) { return Status; }
