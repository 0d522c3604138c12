"""Lists for the help of commands: the presets, and the agents with their options."""

from hex_mcts.system import PRESETS

_NET = "nets/hex-5/anet_00200.pt"
_EXAMPLES = {
    "anet": f"anet:{_NET},choice=probabilistic",
    "mcts": f"mcts:{_NET},simulations=500,time_limit=0.5",
    "nrpa": "nrpa:level=3,iterations=10",
    "onnx": "onnx:FILE.onnx",
    "engine": "engine:COMMAND  (the whole text after the colon)",
}
_EPSILONS = {
    "epsilon": ": share of random moves in its games, for epsilon_greedy",
    "rollout_epsilon": ": share of random moves in its rollouts",
}


def presets_in_words() -> str:
    """Return a list of the presets, each with the first line of its file."""
    firsts = {name: file.read_text(encoding="utf-8")[2:] for name, file in PRESETS.items()}
    return "\n".join(
        ["presets:", *(f"  {name:<22} {text.splitlines()[0]}" for name, text in firsts.items())]
    )


def agents_in_words(people: bool = True) -> str:
    """Return a list of agents with their options; ``people`` adds humans."""
    from agents import AGENTS, agent_kind
    from base.params import describe

    lines = [
        "agents, each with options as in AGENT:name=value,name=value; for a net, best is the best",
        "one for the board in nets/",
        "",
        "  best  (the best net alone if proven, else mcts with it, if any; the options of mcts)",
    ]
    told = {"best"} if people else {"best", "human"}
    for name in [name for name in AGENTS if name not in told]:
        kind = agent_kind(name)
        lines += ["", f"  {_EXAMPLES.get(name, name)}"]
        if kind.net_use == "optional":
            lines[-1] += "  (the net may be left out)"
        lines += [
            f"      {option:<16} {describe(field)}{_EPSILONS.get(option, '')}"
            for option, field in kind.Options.model_fields.items()
            if name != "engine"  # its word has no options
        ]
    return "\n".join(lines)


def agents_to_compare() -> str:
    """Return the same list without humans, after what a file of agents holds."""
    about = "FILE holds a list of agents, each as its word or as {name: ..., agent: ...}."
    return f"{about}\n\n{agents_in_words(people=False)}"


def files_of_games() -> str:
    """Return which files hold games, and the keys to step through them."""
    return (
        "FILE is a file of play --save, a games.jsonl of train, compare or oht, its folder, SGF of "
        "any Hex program, moves such as '1.c2 2.d4', or a link of HexWorld or trmph. Keys: n and p "
        "(right and left) go one move, home and end to the first and the last position, down and "
        "up to another game; q ends. Without a terminal the game is printed."
    )
