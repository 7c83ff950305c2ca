"""`glassmind completion`: scripts for bash, zsh and fish, made from the parsers."""

from argparse import Namespace

from glassmind.errors import OK
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import COMMON, LocalCommand, option
from glassmind.serve.cli.program import all_commands, command_named, parsers_of

ANYWHERE = [each.names[0] for each in COMMON]
"""Options that may also be before the command."""

BASH = """\
# in ~/.{shell}rc: eval "$(glassmind completion {shell})"
_glassmind() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case ${{command:+$command }}$word in {names}) command+=${{command:+ }}$word ;; esac
  done
  COMPREPLY=()
  for word in "$command $previous" "$command"; do
    case $word in
      *" --vault") COMPREPLY=($(compgen -d -- "$current")); return ;;
      *" --config") COMPREPLY=($(compgen -f -- "$current")); return ;;
{cases}
      *) continue ;;
    esac
    COMPREPLY=($(compgen -W "$word" -- "$current"))
    return
  done
}}
complete -o default -F _glassmind glassmind
"""

FISH = """\
# run: glassmind completion fish | source
function __glassmind_words
  test -n "$argv" && string join \\n $argv || __fish_complete_path (commandline -ct)
end
function __glassmind
  set -l words (commandline -opc)[2..-1]
  set -l command ''
  for word in $words
    switch (string trim "$command $word")
      case {names}
        set command (string trim "$command $word")
    end
  end
  for word in "$command $words[-1]" "$command"
    switch $word
{cases}
    end
  end
end
complete -c glassmind -f -a '(__glassmind)'
"""


def offers_of() -> dict[str, list[str]]:
    """Return the words that may follow each command, action, and option with a value.

    A group takes the name of an action, or the options of its usual one.
    """
    offers = {"": [*all_commands(), *ANYWHERE]}
    for name in all_commands():
        parsers = parsers_of(name)
        for path, parser in parsers.items():
            offers[path] = words = list[str]()
            for action in parser._actions:  # noqa: SLF001 - argparse does not list them
                longest = sorted(action.option_strings, key=len)[-1:]
                words += longest or action.choices or ()
                for flag in action.option_strings if action.nargs != 0 else ():
                    offers[f"{path} {flag}"] = list(action.choices or ())
        if name not in parsers:
            usual = getattr(command_named(name), "usual", None)
            flags = [o for o in offers.get(f"{name} {usual}", ()) if o[0] == "-"]
            offers[name] = [*(path.partition(" ")[2] for path in parsers), *flags]
    offers["help"] += all_commands()
    return offers


def script_of(shell: str) -> str:
    offers, case = offers_of(), "      \"{}\") word='{}' ;;"
    if shell == "fish":
        case = "      case '{}'\n        __glassmind_words {}; return"
    paths = [path for path in offers if path and " -" not in path]
    names = (" " if shell == "fish" else "|").join(f'"{path}"' for path in paths)
    cases = [case.format(key, " ".join(words)) for key, words in offers.items()]
    form = FISH if shell == "fish" else BASH
    script = form.format(shell=shell, names=names, cases="\n".join(cases))
    # zsh can read the script of bash
    load = "autoload -U +X bashcompinit && bashcompinit\n" * (shell == "zsh")
    return load + script


def completion(args: Namespace, output: Output) -> int:
    """Print shell completions."""
    script = script_of(args.shell)
    output.result({"shell": args.shell, "script": script}, script)
    return OK


SHELLS = ("bash", "zsh", "fish")
SHELL = option("shell", "the shell to complete in", choices=SHELLS)

COMMANDS = {"completion": LocalCommand(completion, "Maintain", (SHELL,), expert=True)}
