.heddle_metadata
- 1
.end_heddle_metadata
