.heddle_metadata
---
chip: /* hd100
.end_heddle_metadata
