"""``certify``: prove or refute that a player wins every won game against all replies."""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

from agents import Agent, AgentSpec, load_net, make_agent, parse_agent, searches
from agents.nets import seconds_a_position
from anet import ANET
from base.cluster import available_cores, side_by_side
from base.storage import printable, write_json
from cli.contestants import named_agents, sides_to_hold
from cli.exits import UsageError
from cli.outputs import Report, game_stem, reporting_result
from display.boards.cells import Coordinates
from display.boards.moment import GameView
from display.boards.palette import player_name
from display.boards.terminal import TerminalBoard
from display.live.screen import Screen
from hex_mcts.system import System
from proofs import certificate as certificates
from proofs import enumeration
from proofs.certificate import Certificate, Findings, HeldSide, examine, read_certificate
from proofs.enumeration import NEAR_TIE
from rl.run_directory import file_digest
from state_manager import StateManager, game_class
from state_manager.sides import Side, after

_SHOWN = 3  # number of losing lines to show
_REPORTED = {"game", "game_params", "sides", "proven", "positions", "near_tie"}


def run(system: System, arguments: argparse.Namespace) -> int:
    """Prove or refute, and write the certificate; or check one."""
    with reporting_result(arguments.json) as report:
        return (_certify if arguments.check is None else _check)(system, arguments, report)


def _certify(system: System, arguments: argparse.Namespace, report: Report) -> int:
    word = parse_agent(arguments.agent) if arguments.agent else AgentSpec("anet", arguments.net)
    game, (spec,), notes = named_agents(system, word)
    if spec.net is None:
        expected = "an agent with a net, such as mcts:NET,simulations=100"
        raise UsageError(f"--agent: expected {expected}, got {printable(str(spec))}")
    if arguments.out is not None and arguments.out.is_dir():
        raise UsageError(f"{arguments.out}: expected a file to write, got a folder")
    net = load_net(spec.net, game)
    is_alone = spec == AgentSpec("anet", spec.net)
    agent = None if is_alone else _agent(system, spec, game)
    every = sides_to_hold(game)
    sides = _chosen_sides(game, every, arguments.side)
    # Neither one of some sides nor one of another board replaces the certificate of the whole.
    other = [] if repr(load_net(spec.net).game) == repr(game) else [game_stem(game)]
    name = ".".join([spec.name.replace(" ", "_"), *other, *arguments.side, "certificate.json"])
    file, of_net = arguments.out or spec.net.with_name(name), file_digest(spec.net)
    record = file.with_name(f"{file.name}.part")
    player = enumeration.agent_player(agent, game) if agent else enumeration.greedy(net)
    about = f"{of_net} {game!r} {spec.options} {sides} {NEAR_TIE} {player.batch}"
    began = time.perf_counter()
    turns = is_alone and net.params.view == "mover"  # such a net plays both colours alike
    starter = "either player begins" if turns else "player 1 begins"
    with (
        Screen() as screen,
        side_by_side(*((1, None) if agent else (available_cores(), system.cluster))) as shared,
        enumeration.recorded(shared, record, about) as sharing,
    ):
        versus = f"{game!r}: {spec.name} against all replies, {len(sides)} sides, {starter}"
        screen.message(*notes, versus)
        count = 0

        def on_batch(positions: int) -> None:
            nonlocal count
            count += positions
            screen.advance(0, f"{count:,} positions")

        player = replace(player, sharing=sharing, on_batch=on_batch)
        screen.start_progress("sides settled", len(sides))
        most, in_full = arguments.positions, bool(arguments.side)
        try:
            findings = examine(game, player, sides, most, screen.advance, in_full)
        except enumeration.TooManyPositionsError:
            end = f"Gave up after {most:,} positions: neither proven nor refuted."
            screen.message(f"{end} A larger --positions N takes longer and more memory.")
            report({"verdict": "gave up", "agent": str(spec), "sides": len(sides)})
            return 1
        finally:
            screen.stop_progress()
        refuted = _show_refuted(screen, Coordinates(game, system.params.display.letters), findings)
        screen.message(*map(_refuted_by_ply, findings.counted))
        positions, digest = certificates.digest_of(certificates.positions_of(findings.held))
        proven, seconds = len(findings.sides), time.perf_counter() - began
        screen.message(
            f"Sides proven: {proven} of {len(sides)}",
            f"Positions visited: {findings.visited:,}",
            f"Time: {seconds:.1f} s; "
            f"a position in the net: {1e6 * seconds_a_position(net):.1f} us (batches of 128)",
        )
        held = (HeldSide(opening=side.opening, player=side.player) for side in findings.sides)
        certificate = Certificate(
            game=game.name,
            game_params=game.params,
            agent=str(replace(spec, net=None)),
            net=of_net,
            near_tie=NEAR_TIE if is_alone else 0.0,
            sides=len(every),
            proven=proven,
            held=tuple(held),
            positions=positions,
            digest=digest,
        )
        write_json(file, certificate.model_dump(mode="json"))
        screen.message(f"Certificate: {file}")
    record.unlink()
    content = {
        "verdict": "refuted" if refuted else "proven",
        **certificate.model_dump(mode="json", include=_REPORTED),
        "agent": str(spec),
        "refuted": refuted,
        "visited": findings.visited,
        "seconds": seconds,
        "certificate": file.as_posix(),
    }
    report(content)
    return 1 if refuted else 0


def _chosen_sides(game: StateManager, every: list[Side], words: Sequence[str]) -> list[Side]:
    names = Coordinates(game)
    named = {"empty": (), **{names.move(a): (a,) for a in range(game.num_actions)}}
    for word in words:
        if not any(side.opening == named.get(word) for side in every):
            expected = "empty or a first move such as " + names.move(0)
            raise UsageError(f"--side: expected {expected}, got {printable(repr(word))}")
    chosen = [named[word] for word in words]
    return [side for side in every if not words or side.opening in chosen]


def _refuted_by_ply(proof: enumeration.Proof) -> str:
    levels = [(ply, proof.levels[ply].keys, places) for ply, places in proof.refuted()]
    parts = [f"{len(places):,} of {len(keys):,} after {ply}" for ply, keys, places in levels]
    total = sum(len(places) for _, places in proof.refuted())
    return f"Refuted positions: {total:,} of {proof.positions:,}; by plies: {', '.join(parts)}"


def _agent(system: System, spec: AgentSpec, game: StateManager) -> Agent:
    if searches(spec) and "time_limit" not in spec.options:
        spec = spec.with_options(time_limit=None)
    agent = make_agent(spec, game, defaults=system.params)
    if not agent.is_deterministic:
        expected = "expected one that leaves nothing to chance or to the clock"
        how = "choice=greedy, no time_limit, no rollouts (a net with a critic, sigma=0)"
        raise UsageError(f"--agent {printable(str(spec))}: {expected}: {how}")
    return agent


def _show_refuted(
    screen: Screen, names: Coordinates, findings: Findings
) -> list[dict[str, object]]:
    """Show the shortest losing lines; return all as JSON data."""
    refuted = sorted(findings.refuted, key=lambda found: (len(found[1]), found[0].opening))
    game, lettered = names.game, Coordinates(names.game)
    for side, line in refuted[:_SHOWN]:
        actions = (*side.opening, *line)
        state = after(game, actions)
        where = "after " + names.move(side.opening[0]) if side.opening else "from the empty board"
        title = f"Refuted: {player_name(game, side.player)} could hold it {where}"
        about = title, ("", ""), len(actions), line[-1], game.winner(state)
        screen.write(TerminalBoard(GameView(game, state, *about, letters=names.letters)))
        screen.message(f"Moves: {' '.join(map(names.move, actions))}", "")
    if (more := len(refuted) - _SHOWN) > 0:
        screen.message(f"And {more} more sides are refuted.", "")
    return [
        {
            "opening": [*map(lettered.move, side.opening)],
            "player": side.player,
            "line": [*map(lettered.move, line)],
        }
        for side, line in findings.refuted
    ]


def _check(system: System, arguments: argparse.Namespace, report: Report) -> int:
    """Verify a certificate of a net, with none of the code that made it."""
    from proofs.recheck import recheck

    if arguments.net is None or arguments.out is not None:
        raise UsageError("--check: expected --net NET with it, and neither --agent nor --out")
    certificate = read_certificate(arguments.check)
    game, (spec,), notes = named_agents(system, AgentSpec("anet", arguments.net))
    assert spec.net is not None
    net = ANET.load(spec.net, game, device="cpu")
    where = f"{arguments.check}: expected a certificate for"
    if not game_class(certificate.game).has_hex_formats:
        raise UsageError(f"{where} hex, which alone can be checked afresh, got {certificate.game}")
    if certificate.agent != "anet":
        raise UsageError(f"{where} a net alone, got one for {certificate.agent}")
    wanted = _chosen_sides(game, sides_to_hold(game), arguments.side)
    held = {(side.opening, side.player) for side in certificate.held}
    missing = sum((side.opening, side.player) not in held for side in wanted)
    with Screen() as screen:
        screen.message(*notes)
        if certificate.net != file_digest(spec.net):
            wrong = [f"net: it is for another file than {spec.net}"]
        elif certificate.game_params != game.params:
            wrong = [f"game_params: the net is for {game!r}"]
        else:
            screen.start_progress("sides checked", len(certificate.held))
            wrong = recheck(net, certificate, screen.advance)
            screen.stop_progress()
        screen.message(*(f"Wrong: {each}" for each in wrong))
        if not wrong:
            screen.message(
                f"Confirmed: {certificate.proven} of {certificate.sides} sides are held, "
                f"{certificate.positions:,} positions, net and digest as stated. All moves were "
                f"followed whose probability is within {certificate.near_tie:.2%} of the highest."
            )
        if missing:
            screen.message(f"Not in the certificate: {missing} of {len(wanted)} sides; see --side.")
    content = {
        "verdict": "wrong" if wrong else "confirmed",
        **certificate.model_dump(mode="json", include=_REPORTED),
        "agent": str(spec),
        "wrong": wrong,
        "certificate": arguments.check.as_posix(),
    }
    report(content)
    return 1 if wrong or missing else 0
