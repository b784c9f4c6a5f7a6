# In place of lit: works for SLOW_LIT_SECONDS and says whether it could.
import os
import sys
import time

output = sys.argv[sys.argv.index("--output") + 1]
try:
    time.sleep(int(os.environ["SLOW_LIT_SECONDS"]))
    result = "all"
except KeyboardInterrupt:
    result = "interrupted"
with open(output, "w", encoding="utf-8") as file:
    file.write(result)
