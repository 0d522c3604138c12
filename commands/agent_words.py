"""A list of all agents in words, for the help of commands that take any agent."""

_NET = "nets/hex-5/anet_00200.pt"
_EXAMPLES = {
    "anet": f"anet:{_NET},choice=probabilistic",
    "mcts": f"mcts:{_NET},simulations=500,time_limit=0.5",
    "nrpa": "nrpa:level=3,iterations=10",
}
_EPSILONS = {
    "epsilon": ": share of random moves in its games, for epsilon_greedy",
    "rollout_epsilon": ": share of random moves in its rollouts",
}


def agents_in_words(people: bool = True) -> str:
    """Return the list of agents, each with an example and its options; ``people`` adds humans."""
    from agents import AGENTS, agent_kind
    from base.params import describe

    lines = [
        "agents, each with options as in AGENT:name=value,name=value; for a net, best is the best",
        "one for the board in nets/",
        "",
        "  best  (mcts with the best net, or without one if there is none; the options of mcts)",
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
        ]
    return "\n".join(lines)
