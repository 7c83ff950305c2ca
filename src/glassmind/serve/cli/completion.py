"""`glassmind completion`: scripts for bash, zsh and fish, made from the parsers."""

from argparse import Action, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from glassmind.serve.cli import exits
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser, LocalCommand, option
from glassmind.serve.cli.program import command_parser
from glassmind.serve.cli.table import all_commands

FOLDERS, FILES = ("PATH", "VAULT"), ("FILE",)
"""What a value is, by the name that help gives it."""


class Offer(NamedTuple):
    """One option, or with no names a positional argument.

    `value` is empty for a flag, else `folder`, `file` or `text`; `many` means that any
    number of words may stand there.
    """

    names: tuple[str, ...]
    help_line: str
    value: str
    choices: tuple[str, ...]
    many: bool


def offers_of() -> dict[str, list[Offer]]:
    """Return what each command takes, by its name."""
    return {name: _offers(command_parser(name)[1]) for name in all_commands()}


def _offers(parser: CommandParser) -> list[Offer]:
    offers = [_offer(action) for action in parser.actions()]
    if parser.offered:
        offers.append(Offer((), "", "text", parser.offered, many=False))
    return offers


def _offer(action: Action) -> Offer:
    choices = tuple(str(choice) for choice in action.choices or ())
    value = "" if action.nargs == 0 else _value(str(action.metavar))
    return Offer(
        tuple(action.option_strings),
        action.help or "",
        value,
        choices,
        many=action.nargs == "*",
    )


def _value(metavar: str) -> str:
    if metavar in FOLDERS:
        return "folder"
    return "file" if metavar in FILES else "text"


Offers: TypeAlias = Mapping[str, Sequence[Offer]]

COMMON = ("--vault", "--config", "--json", "--quiet", "--verbose", "--no-color")
"""Options that may also stand before the command."""

BASH = """\
# bash completion for glassmind; in ~/.bashrc: eval "$(glassmind completion bash)"
_glassmind() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= words= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {names}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case "$command $previous" in
{values}
  esac
  case $command in
{words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _glassmind glassmind
"""

ZSH = """\
#compdef glassmind
# zsh completion for glassmind; in ~/.zshrc: eval "$(glassmind completion zsh)"
_glassmind() {{
  local context state line
  local -a commands
  typeset -A opt_args
  commands=(
{commands}
  )
  _arguments -C \\
{common} \\
    '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{arguments}
      esac ;;
  esac
}}
if [ "$funcstack[1]" = "_glassmind" ]; then _glassmind "$@"
else compdef _glassmind glassmind
fi
"""


def bash_script(offers: Offers) -> str:
    """Return a script to be evaluated by bash."""
    words = [f'    "") words="{" ".join([*all_commands(), *COMMON])}" ;;']
    for command, taken in offers.items():
        own = [choice for offer in taken if not offer.names for choice in offer.choices]
        words.append(f'    {command}) words="{" ".join([*own, *_long(taken)])}" ;;')
    return BASH.format(
        names="|".join(all_commands()),
        values="\n".join(_bash_values(offers)),
        words="\n".join(words),
    )


def _long(taken: Sequence[Offer]) -> Iterator[str]:
    """Yield the long spellings of each option, or the short one it has."""
    for offer in taken:
        spelled = [name for name in offer.names if name.startswith("--")]
        yield from spelled or offer.names[:1]


def _long_name(offer: Offer) -> str:
    return next((name for name in offer.names if name.startswith("--")), offer.names[0])


def _bash_values(offers: Offers) -> Iterator[str]:
    yield '    *" --vault") COMPREPLY=($(compgen -d -- "$current")); return ;;'
    yield '    *" --config") COMPREPLY=($(compgen -f -- "$current")); return ;;'
    for command, taken in offers.items():
        for offer in taken:
            if not offer.value or not offer.names or _long_name(offer) in COMMON:
                continue
            words = " ".join(offer.choices)
            reply = f'COMPREPLY=($(compgen -W "{words}" -- "$current")); '
            for name in offer.names:
                yield f'    "{command} {name}") {reply if words else ""}return ;;'


def zsh_script(offers: Offers) -> str:
    """Return a script to be evaluated by zsh, or to stand in its `fpath`."""
    commands = [f"    {_quoted(f'{n}:{said}')}" for n, said in all_commands().items()]
    anything = next(iter(offers.values()))
    common = [o for o in anything if o.names and _long_name(o) in COMMON]
    return ZSH.format(
        commands="\n".join(commands),
        common=" \\\n".join(f"    {_zsh_spec(o, _long_name(o))}" for o in common),
        arguments="\n".join(
            f"        {command}) _arguments {' '.join(_zsh_specs(taken))} ;;"
            for command, taken in offers.items()
        ),
    )


def _zsh_specs(taken: Sequence[Offer]) -> Iterator[str]:
    place = 0
    for offer in taken:
        if not offer.names:
            place += 1
            where = "*" if offer.many else str(place)
            yield _quoted(f"{where}:{_zsh_text(offer.help_line)}:{_zsh_action(offer)}")
        for name in offer.names:
            yield _zsh_spec(offer, name)


def _zsh_spec(offer: Offer, name: str) -> str:
    value = f":value:{_zsh_action(offer)}" if offer.value else ""
    return _quoted(f"{name}[{_zsh_text(offer.help_line)}]{value}")


def _zsh_action(offer: Offer) -> str:
    if offer.choices:
        return f"({' '.join(offer.choices)})"
    return {"folder": "_files -/", "file": "_files"}.get(offer.value, " ")


def _zsh_text(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in text)


def fish_script(offers: Offers) -> str:
    """Return a script to be sourced by fish."""
    return "".join(f"{line}\n" for line in _fish_lines(offers))


def _fish_lines(offers: Offers) -> Iterator[str]:
    yield "# fish completion for glassmind; run: glassmind completion fish | source"
    for command, said in all_commands().items():
        yield (
            "complete -c glassmind -n __fish_use_subcommand -f "
            f"-a {command} -d {_quoted(said)}"
        )
    for command, taken in offers.items():
        seen = f"-n '__fish_seen_subcommand_from {command}'"
        for offer in taken:
            if offer.names or offer.choices:
                yield f"complete -c glassmind {seen} {' '.join(_fish_words(offer))}"


def _fish_words(offer: Offer) -> Iterator[str]:
    for name in offer.names:
        yield f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
    if offer.names and offer.value:
        yield "-r" if offer.value in {"file", "folder"} else "-x"
    if offer.choices:
        yield f"-f -a {_quoted(' '.join(offer.choices))}"
    yield f"-d {_quoted(offer.help_line)}"


def _quoted(text: str) -> str:
    """Return text in single quotes, as all three shells read it."""
    return "'" + text.replace("'", "'\\''") + "'"


SHELLS: Mapping[str, Callable[[Offers], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}


def completion(args: Namespace, output: Output) -> int:
    """Print the script of a shell."""
    script = SHELLS[args.shell](offers_of())
    if output.as_json:
        output.json({"shell": args.shell, "script": script})
    else:
        output.text(script)
    return exits.OK


COMMANDS = {
    "completion": LocalCommand(
        completion,
        (option("shell", choices=tuple(SHELLS), help="the shell to complete in"),),
    )
}
