.heddle_metadata

.end_heddle_metadata
