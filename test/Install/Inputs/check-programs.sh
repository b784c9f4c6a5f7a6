# Names each program of a source tree that an installed tree lacks, or whose
# manual page or completion it lacks: check-programs.sh SOURCE PREFIX
# That ptx-opt, ptx-farm and heddle-deviced are components of their own stands in
# cmake/HeddleInstall.cmake.
for folder in "$1"/tools/*-*; do
  program=${folder##*/}
  case $program in heddle-tblgen | heddle-compiler-process | ptx-opt | ptx-farm | heddle-deviced) continue ;; esac
  "$2/bin/$program" --help >/dev/null || echo "$program does not run"
  test -s "$2/share/man/man1/$program.1" || echo "$program has no manual page"
  bash -n "$2/share/bash-completion/completions/$program" || echo "$program has no completion"
  test -s "$2/share/zsh/site-functions/_$program" || echo "$program has no completion for zsh"
  test -s "$2/share/fish/vendor_completions.d/$program.fish" || echo "$program has no completion for fish"
  if command -v zsh >/dev/null; then zsh -n "$2/share/zsh/site-functions/_$program"; fi
  if command -v fish >/dev/null; then fish --no-execute "$2/share/fish/vendor_completions.d/$program.fish"; fi
done
echo checked
