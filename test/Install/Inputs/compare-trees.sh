# Names what only one of two folders has: compare-trees.sh FOLDER FOLDER
set -eu
list() {
  (cd "$1" && find . ! -type d | sort)
}
diff <(list "$1") <(list "$2")
