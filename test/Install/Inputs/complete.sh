# Prints what bash offers: complete.sh FOLDER PROGRAM WORD...
# The words are as bash divides a line, so that --option=value is three.
source "$1/$2"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_${1//-/_}"
printf '%s\n' "${COMPREPLY[@]}"
