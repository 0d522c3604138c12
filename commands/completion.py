"""``completion``: a script that completes words with the key Tab in a shell.

The script holds all words, so that Tab starts no Python.
"""

import argparse
from collections.abc import Iterable, Iterator

from base.params.check import SECTIONS
from base.params.descriptions import examples, explain
from base.words import one_of
from cli.arguments import Parser, add_arguments
from cli.exits import UsageError
from cli.shell import CALL, PROGRAM
from hex_mcts.system import DEFAULT_PARAMS
from state_manager import game_names

_COMMON = """\
# eval "$({call} completion {shell})" enables completion for {program} in this shell.
_hex_mcts_words() {{ # COMMAND BEFORE CURRENT: prints candidates for CURRENT; none for a file
    local is="="
    [ "$1" = params ] && is=""
    case "$1 $2" in
{values}
    esac
    case "$1 $3" in
{words}
    esac
}}
"""
_WRAPPERS = {
    "bash": """\
_hex_mcts() {
    local IFS=$' \\t\\n' line="${COMP_LINE:0:COMP_POINT}" command="" before="" current i last
    local -a given
    read -ra given <<< "$line"
    [[ "$line" == *[[:blank:]] ]] && given+=("")
    last=$((${#given[@]} - 1)) current="${given[${#given[@]} - 1]}" COMPREPLY=()
    for ((i = 0; i < last; i++)); do
        [[ "${given[i]##*/}" == main.py || "$i ${given[i]##*/}" == "0 hex-mcts" ]] && break
    done
    ((i < last)) || return
    ((i + 1 < last)) && command="${given[i + 1]}" before="${given[last - 1]}"
    COMPREPLY=($(compgen -W "$(_hex_mcts_words "$command" "$before" "$current")" -- "$current"))
    [[ "${COMPREPLY[0]}" == *[=.] ]] && compopt -o nospace 2> /dev/null
    # The shell takes what follows a = for a word of its own.
    [[ "$COMP_WORDBREAKS" == *=* && "$current" == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
}
complete -o default -F _hex_mcts hex-mcts main.py python python3
""",
    "zsh": """\
_hex_mcts() {
    local i=${words[(i)(main.py|*/main.py)]} command="" before=""
    [[ ${words[1]:t} == hex-mcts ]] && i=1
    if ((i >= CURRENT)); then _python 2> /dev/null || _files; return; fi
    ((i + 1 < CURRENT)) && command=$words[i+1] before=$words[CURRENT-1]
    local -a found
    found=(${(f)"$(_hex_mcts_words "$command" "$before" "$words[CURRENT]")"})
    if (($#found == 0)); then _files; return; fi
    compadd -S '' -- ${(M)found:#*[=.]}
    compadd -- ${found:#*[=.]}
}
(($+functions[compdef])) || { autoload -Uz compinit && compinit }
compdef _hex_mcts hex-mcts main.py python python3
""",
}


def run(arguments: argparse.Namespace) -> None:
    """Print the script for a shell."""
    if len(arguments.words) != 1 or arguments.words[0] not in _WRAPPERS:
        got = " ".join(arguments.words) or "none"
        raise UsageError(f"expected a shell, {one_of(_WRAPPERS)}, got {got!r}")
    shell = arguments.words[0]
    values, words = [], [_case("' '*", arguments.commands)]
    for command in arguments.commands:
        parser = Parser()
        add_arguments(command, parser)
        without_choices = []
        for action in parser._actions:
            if not action.option_strings or action.nargs == 0:
                continue
            pattern = f"'{command} {action.option_strings[0]}'"
            if action.choices is None:
                without_choices.append(pattern)
            else:
                values.append(_case(pattern, action.choices, then="; return"))
        if without_choices:
            values.append(f"        {' | '.join(without_choices)}) return ;;")
        words.append(_case(f"'{command} -'*", parser.options()))
    words += [_case("'completion '*", _WRAPPERS), *_of_parameters()]
    filled = {"values": "\n".join(values), "words": "\n".join(words)}
    script = _COMMON.format(call=CALL, program=PROGRAM, shell=shell, **filled)
    print(script + _WRAPPERS[shell], end="")


def _of_parameters() -> Iterator[str]:
    """Yield the cases of ``section.key=value``: the value, then the key, then the section."""
    known = {section: explain(section) for section in ("", *SECTIONS)}
    for section, keys in known.items():
        prefix = f"{section}." if section else ""
        for each in keys:
            if each.choices:
                key = f"{prefix}{each.key}="
                yield _case(f"*' {key}'*", [key + choice for choice in each.choices])
    yield _case("*' game.name='*", [f"game.name={name}" for name in game_names()])
    yield "        *=*) ;;"
    # Loading the games takes a second; the file of parameters names their options, too.
    games = examples(DEFAULT_PARAMS.read_text(encoding="utf-8"))
    options = [key for keys in games.values() for key in keys]
    names = {section: [each.key for each in keys] for section, keys in known.items()}
    names["game"] = list(dict.fromkeys(["name", "size", *options, *names["game"]]))
    for section in SECTIONS:
        yield _case(f"*' {section}.'*", [f'{section}.{key}"$is"' for key in names[section]])
    yield _case("*", [*(f'{key}"$is"' for key in names[""]), *(f"{each}." for each in SECTIONS)])


def _case(pattern: str, words: Iterable[object], then: str = "") -> str:
    return f"        {pattern}) printf '%s\\n' {' '.join(map(str, words))}{then} ;;"
