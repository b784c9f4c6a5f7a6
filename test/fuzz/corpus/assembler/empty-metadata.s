.heddle_metadata
a:
b: []
c: {}
d: ~
.end_heddle_metadata
