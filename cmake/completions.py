"""Completions of a program's options for shells.

They are made of what make-manual.py read from the program's --help: its options
with the words that their values may be, and its commands.
"""

# What a value is called, and what completes it.
FILES = ("FILE", "PACK", "filename")
FOLDERS = ("DIRECTORY", "DIR", "FOLDER")


def kind_of_value(option):
    """What completes the option's value: "words", "file", "folder" or "other"."""
    value = option.value()
    if option.choices():
        return "words"
    if any(word in value for word in FILES):
        return "file"
    return "folder" if any(word in value for word in FOLDERS) else "other"


def describe(option):
    """The first sentence of an option's description."""
    text = " ".join(line for line in option.text if not line.startswith(".br"))
    return text.split(". ")[0].split("; ")[0].rstrip(".")


BASH = """\
# Completion of @PROGRAM@ for bash.
@FUNCTION@() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  # Bash takes --option=value for three words.
  if [ "$current" = "=" ]; then
    current=
  elif [ "$option" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $option in
@CASES@  esac
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@OPTIONS@" -- "$current")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
@COMMANDS@  fi
}
complete -o default -F @FUNCTION@ @PROGRAM@
"""


def bash(help):
    cases, spellings = "", []
    for option in help.options():
        names = list(option.names())
        takes = any(takes for _, takes, _ in names)
        for name, has_value, _ in names:
            by_equals = has_value and f"{name}=" in option.term
            spellings.append(name + ("=" if by_equals else ""))
        actions = {
            "words": f'-W "{" ".join(option.choices())}"',
            "file": "-f",
            "folder": "-d",
            "other": '-W ""',
        }
        action = actions[kind_of_value(option)]
        if takes:
            pattern = "|".join(name for name, _, _ in names)
            cases += f'  {pattern})\n    mapfile -t COMPREPLY < <(compgen {action} -- "$current")\n    return\n    ;;\n'
    words = help.subcommands()
    commands = ""
    if words:
        commands = (
            "  elif [ $COMP_CWORD -eq 1 ]; then\n"
            f'    mapfile -t COMPREPLY < <(compgen -W "{" ".join(words)}" -- "$current")\n'
        )
    function = "_" + help.program.replace("-", "_")
    return (
        BASH.replace("@CASES@", cases)
        .replace("@FUNCTION@", function)
        .replace("@PROGRAM@", help.program)
        .replace("@OPTIONS@", " ".join(spellings))
        .replace("@COMMANDS@", commands)
    )


ZSH = """\
#compdef @PROGRAM@
# Completion of @PROGRAM@ for zsh.
local -a options
options=(
@OPTIONS@)
_arguments $options \\
@ARGUMENTS@
"""


def quote_for_zsh(text, also=""):
    """Text in single quotes of a specification, where brackets and colons mean something."""
    for character in "\\[]:" + also:
        text = text.replace(character, "\\" + character)
    return text.replace("'", "'\\''")


def zsh_form(option, name, takes):
    """How a value follows a spelling: "=" stands for after '=' or in the next word, "+" for at
    once or in the next word. An alias in parentheses is shown without its value."""
    if len(name.lstrip("-")) == 1:
        return "+"
    return "=" if not takes or f"{name}=" in option.term else ""


def zsh(help):
    options = ""
    for option in help.options():
        actions = {
            "words": "(%s)" % " ".join(quote_for_zsh(word, "()") for word in option.choices()),
            "file": "_files",
            "folder": "_files -/",
            "other": " ",
        }
        what = quote_for_zsh(option.value().strip("<>") or "value")
        any_takes = any(takes for _, takes, _ in option.names())
        for name, takes, _ in option.names():
            value = f":{what}:{actions[kind_of_value(option)]}" if any_takes else ""
            form = zsh_form(option, name, takes) if any_takes else ""
            options += f"  '*{name}{form}[{quote_for_zsh(describe(option))}]{value}'\n"
    commands = help.subcommands()
    arguments = "  '*:file:_files'"
    if commands:
        arguments = f"  '1:command:({' '.join(commands)})' \\\n" + arguments
    return (
        ZSH.replace("@PROGRAM@", help.program)
        .replace("@OPTIONS@", options)
        .replace("@ARGUMENTS@", arguments)
    )


def quote_for_fish(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(help):
    start = f"complete -c {help.program}"
    lines = [f"# Completion of {help.program} for fish."]
    for option in help.options():
        actions = {
            "words": "-x -a " + quote_for_fish(" ".join(option.choices())),
            "file": "-r -F",
            "folder": "-x -a '(__fish_complete_directories)'",
            "other": "-x",
        }
        takes = any(takes for _, takes, _ in option.names())
        for name, _, _ in option.names():
            # -s X is -X, -l NAME is --NAME, and -o NAME is -NAME.
            word = name.lstrip("-")
            kind = "-l" if name.startswith("--") else "-s" if len(word) == 1 else "-o"
            value = f" {actions[kind_of_value(option)]}" if takes else ""
            lines.append(f"{start} {kind} {word}{value} -d {quote_for_fish(describe(option))}")
    for command in help.subcommands():
        lines.append(f"{start} -n __fish_use_subcommand -a {command}")
    return "\n".join(lines) + "\n"


# The folder under share/ and the file for PROGRAM in it, and who writes it.
SHELLS = {
    ("bash-completion/completions", "PROGRAM"): bash,
    ("zsh/site-functions", "_PROGRAM"): zsh,
    ("fish/vendor_completions.d", "PROGRAM.fish"): fish,
}
