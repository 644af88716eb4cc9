# SPDX-License-Identifier: Apache-2.0
"""A person at a terminal: whole rounds played by typing, against a real server that may die, in both languages."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import termios
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from hokm.languages import Language
from hokm.verify import Verdict
from hokm_client import unfinished
from hokm_client.terminal.bidi import Bidi, laid_out
from hokm_client.terminal.notices import notices
from hokm_client.terminal.words import refusal, verdict, words
from tests.audit import audit_files
from tests.client.pane import Pane, pane, piped
from tests.whole.battery import KilledServer

EN, FA = Language.EN, Language.FA
LEGAL = re.compile(r"\[\s*([۰-۹0-9]+|[JQKA])([♠♥♦♣])\]")
SUITS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
FRAMES = 200
"""More moments of a round than there can be."""


@contextlib.asynccontextmanager
async def house(var: Path) -> AsyncIterator[KilledServer]:
    """A server with bots that answer at once; its log is audited at the end."""
    server = KilledServer(var)
    await server.start()
    try:
        yield server
    finally:
        await server.kill(bots_too=True)
    audit_files(var)


def new_table(server: KilledServer, *options: str) -> list[str]:
    """What is typed at a shell for a table with three bots."""
    line = ["play", "--server", server.address, "--var", str(server.var)]
    return [*line, "--open", "--bots", "1,2,3", "--target", "3", *options]


def written(language: Language, text: str) -> str:
    """A text as it stands on the screen."""
    return laid_out(text, language.rtl, Bidi.SHAPED) if language.rtl else text


def legal(window: Pane) -> list[str]:
    """The cards in brackets, as they can be typed."""
    return [rank + SUITS[suit] for rank, suit in LEGAL.findall(str(window))]


async def play_until(window: Pane, language: Language, text: str) -> int:
    """Type the first legal card again and again, and hearts for trumps, until a text is there: how many were typed."""
    prompt_card, prompt_trumps = (
        written(language, prompt) for prompt in (words(language).prompt_card, words(language).prompt_trumps)
    )
    played = 0
    for _ in range(FRAMES):
        await window.until(
            lambda window: (
                text in str(window) or (legal(window) and prompt_card in str(window)) or prompt_trumps in str(window)
            ),
            text,
        )
        if text in str(window):
            return played
        cards = legal(window)
        if cards and prompt_card in str(window):
            window.keys(cards[0] + "\r")
            played += 1
            await window.until(partial(_has_moved, cards, text), "my card")
        else:
            window.keys("hearts\r")
            await window.until(lambda window: prompt_trumps not in str(window), "trumps")
    raise AssertionError(f"the round does not end\n{window}")


def _has_moved(before: list[str], text: str, window: Pane) -> bool:
    return legal(window) != before or text in str(window)


@pytest.mark.parametrize("language", Language)
async def test_a_round_is_played_by_typing(tmp_path: Path, language: Language) -> None:
    """From sitting down to the verdict on the round's proof; then the program is closed, and the terminal as it was."""
    to_seven = ("--lang", language, "--target", "7")  # a kot against the hakem would end a game to 3 with this round
    async with house(tmp_path) as server, pane(*new_table(server, *to_seven)) as window:
        told = notices(language).round_checked.partition("{verdict}")[0].split("{round}")
        await play_until(window, language, written(language, told[0].strip()))
        (proof,) = (tmp_path / "proofs").glob("*-1.json")
        assert proof.stat().st_size > 10_000
        said = verdict(language, Verdict.WITH_WARNINGS).rstrip(".")
        assert written(language, said.split()[0].rstrip(",")) in str(window)
        window.keys("\x03")
        asked = words(language).confirm_quit
        await window.until_shown(written(language, asked[: asked.index("?") if language is EN else asked.index("؟")]))
        window.keys("yes\r" if language is EN else "بله\r")
        assert await window.ended() == 0
        assert re.search(f"hokm play --table [0-9a-f]+ --server {server.address}", str(window))
        assert termios.tcgetattr(window._theirs) == window.modes


async def test_slips_are_refused_here_and_the_line_is_kept(tmp_path: Path) -> None:
    """Nothing wrong is sent; what stands unfinished outlives every redraw; keys edit it."""
    async with house(tmp_path) as server, pane(*new_table(server, "--lang", "en")) as window:
        await window.until(lambda window: legal(window) or words(EN).prompt_trumps in str(window), "my turn")
        window.keys("nonsense\r")
        await window.until_shown("“nonsense” is neither a card nor a command.")
        window.keys("quee")
        await window.until_shown("> quee")
        seconds = re.search(r"(\d+) seconds left", str(window))
        assert seconds is not None
        await window.until(lambda window: seconds[0] not in str(window), "another second")
        assert "> quee" in str(window)
        window.keys("\x7f\x7fit\x1b[A")
        await window.until_shown("> quit")
        window.keys("\x15")
        await window.until(lambda window: window.lines[-1:] and "> quit" not in str(window), "an empty line")
        window.keys("?\r")
        await window.until_shown(words(EN).help[0])
        window.keys("\r")
        await window.until(lambda window: words(EN).help[0] not in str(window), "the table again")
        window.keys("last\rscore\r")
        await window.until_shown(words(EN).no_last_trick)
        await window.until_shown("Score: we 0, they 0. Tricks: we 0, they 0.")
        assert words(EN).no_last_trick in str(window), "one answer takes the other away"
        window.resize(20, 60)
        await window.until(lambda window: all(len(line) <= 60 for line in window.lines), "a narrower picture")
        window.keys("\x04")
        await window.until_shown("Close the program")
        await window.until_shown(words(EN).prompt_answer)
        window.keys("no\r")
        await window.until_shown(words(EN).cancelled)


async def test_whoever_waits_for_others_is_told_how_they_come(tmp_path: Path) -> None:
    """The command that is shown brings another player to the table, from the same directory."""
    async with house(tmp_path) as server:
        line = ["play", "--server", server.address, "--var", str(tmp_path), "--open", "--bots", "1,2", "--lang", "en"]
        async with pane(*line, columns=400) as window:
            await window.until_shown(notices(EN).others_join)
            told = re.search("hokm (play --table .* --as friend)", " ".join(" ".join(window.lines).split()))
            assert told is not None
            async with pane(*told[1].split(), "--lang", "en") as friend:
                await friend.until_shown("Round 1")
                await window.until_shown("Round 1")
                assert notices(EN).others_join not in str(window)


@pytest.mark.parametrize(("language", "line"), [(EN, "sit partner"), (FA, "بنشین یار")])
async def test_seats_are_changed_before_the_game_begins(tmp_path: Path, language: Language, line: str) -> None:
    """The bot on the right is on the left then, and a friend takes the seat that was given back."""
    async with house(tmp_path) as server:
        options = ["play", "--server", server.address, "--var", str(tmp_path), "--lang"]
        async with pane(*options, language, "--open", "--bots", "1") as window:
            bot = written(language, words(language).bot)
            await window.until(lambda window: 2 * _column_of(bot, window) > window.columns, "a bot on the right")
            window.keys(f"{line}\r")
            await window.until(lambda window: 0 < 2 * _column_of(bot, window) < window.columns, "a bot on the left")
            async with pane(*options, "en", "--as", "friend", "--seat", "0") as friend:
                await friend.until_shown("Your partner")
                window.keys("sit left\r")
                await window.until_shown(written(language, refusal(language, "SEAT_NOT_FREE", {"seat": "1"})))


def _column_of(text: str, window: Pane) -> int:
    """Where a text stands; 0 where it does not."""
    return max(line.find(text) for line in window.lines) + 1


async def test_leaving_asks_first(tmp_path: Path) -> None:
    """A no changes nothing, a yes gives the seat to a stand-in and ends the program."""
    async with house(tmp_path) as server, pane(*new_table(server, "--lang", "en")) as window:
        await window.until(lambda window: legal(window) or words(EN).prompt_trumps in str(window), "my turn")
        for answer in ("no", "yes"):
            window.keys("leave\r")
            await window.until_shown("Leave the table?")
            window.keys(answer + "\r")
            if answer == "no":
                await window.until_shown(words(EN).cancelled)
        assert await window.ended() == 0
        assert notices(EN).left in str(window)


async def test_a_killed_server_comes_back_and_so_does_the_seat(tmp_path: Path) -> None:
    """Killed and started again in the middle of a round: it is said, and the round goes on where it was."""
    async with house(tmp_path) as server, pane(*new_table(server, "--lang", "en")) as window:
        await play_until(window, EN, "Last trick:")
        await window.until(lambda window: legal(window), "my turn")
        await server.kill(bots_too=False)
        await window.until_shown(words(EN).connections["lost"])
        window.keys(legal(window)[0] + "\r")
        await window.until_shown(words(EN).slips["NOT_CONNECTED"])
        await server.start()
        await window.until(lambda window: words(EN).connections["lost"] not in str(window), "the server again")
        await play_until(window, EN, "The proof of round 1 was checked by a program of its own: Verified")


async def test_a_game_that_was_left_open_is_taken_up_again(tmp_path: Path) -> None:
    """Whoever closes the program and calls it again without a table sits where they sat."""
    async with house(tmp_path) as server:
        async with pane(*new_table(server, "--lang", "en")) as window:
            await play_until(window, EN, "Last trick:")
            await window.until(lambda window: legal(window), "my turn")
            held = legal(window)
            window.keys("\x03")
            await window.until_shown("Close the program")
            window.keys("\x03")
            assert await window.ended() == 0
        async with pane("play", "--server", server.address, "--var", str(tmp_path), "--lang", "en") as window:
            await window.until(lambda window: legal(window) == held, "the same cards")


@pytest.mark.parametrize("language", Language)
async def test_lines_tell_a_whole_game(tmp_path: Path, language: Language) -> None:
    """In a pipe everything is a sentence; a game is played by what they say, and its proofs are verified."""
    async with house(tmp_path) as server:
        said = await asyncio.to_thread(_played, new_table(server, "--lang", language))
    text = "\n".join(said)
    assert "\x1b" not in text
    ours = words(language)
    assert any(sentence in text for sentence in ours.takes)
    for sentence in (ours.deals["bound"], ours.deals["proved"], ours.endings["target"]):
        assert sentence in text
    assert notices(language).game_checked.format(verdict=verdict(language, Verdict.WITH_WARNINGS)) in text
    assert notices(language).already_sent not in said
    for choices in (line for line in said if line.startswith(ours.may_play)):
        assert said.count(choices) < 4, "told again and again"


def _played(arguments: list[str]) -> list[str]:
    """Every line that a game says to whoever plays the last card that it offers."""
    program = piped(arguments)
    assert program.stdin is not None
    assert program.stdout is not None
    said = []
    for line in program.stdout:
        said.append(line.rstrip("\n"))
        for answer in _answers(said[-1]):
            program.stdin.write(answer + "\n")
            program.stdin.flush()
    program.stdin.close()
    program.stdout.close()
    assert program.wait() == 0
    return said


def _answers(line: str) -> Iterator[str]:
    for language in Language:
        ours = words(language)
        if line.startswith(ours.may_play + ": "):
            yield line.removeprefix(ours.may_play + ": ").split(ours.comma)[-1].split()[0]
        elif line.startswith(f"{ours.menu}: {'1' if language is EN else '۱'} "):
            yield "2"
        elif line == notices(language).rematch:
            yield "quit"


async def test_the_end_of_the_input_closes_the_program(tmp_path: Path) -> None:
    """Where nothing can be typed any more there is nobody to ask."""
    async with house(tmp_path) as server:
        program = piped(new_table(server, "--lang", "en"))
        said, _ = await asyncio.to_thread(program.communicate, "")
        assert program.returncode == 0
        assert "Hokm. A game to 3." in said


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_closes_the_program_and_the_terminal_is_as_it_was(tmp_path: Path, how: signal.Signals) -> None:
    """It is not asked about."""
    async with house(tmp_path) as server, pane(*new_table(server, "--lang", "en")) as window:
        await window.until(lambda window: legal(window) or words(EN).prompt_trumps in str(window), "my turn")
        window.kill(how)
        assert await window.ended() == 0
        assert termios.tcgetattr(window._theirs) == window.modes


# hokm local


def programs_of(var: Path) -> dict[int, str]:
    """The command lines of all programs that run for that directory, by their process ids."""
    lines = {}
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines[int(entry.parent.name)] = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return {pid: line for pid, line in lines.items() if f"--var {var} " in line}


async def test_one_command_brings_server_bots_and_a_seat(tmp_path: Path) -> None:
    """`hokm local` at a terminal: a card is played; with the program everything that it started ends."""
    async with pane("local", "--var", str(tmp_path), "--lang", "en", "--pace-ms", "0-0") as window:
        await play_until(window, EN, "Last trick:")
        assert len(programs_of(tmp_path)) == 3
        window.keys("\x03\x03")
        assert await window.ended() == 0
        assert f"hokm local --var {tmp_path}" in str(window)
    assert programs_of(tmp_path) == {}


@pytest.mark.parametrize("language", Language)
async def test_a_server_that_dies_ends_the_game_with_a_sentence(tmp_path: Path, language: Language) -> None:
    """The program that started it notices, says so, and takes the game up when it is called again."""
    arguments = ("local", "--var", str(tmp_path), "--lang", language, "--pace-ms", "0-0")
    async with pane(*arguments) as window:
        await play_until(window, language, written(language, words(language).last_trick))
        await window.until(lambda window: legal(window), "my turn")
        held = legal(window)
        (server,) = [pid for pid, line in programs_of(tmp_path).items() if " hokm_server serve " in line]
        os.kill(server, signal.SIGKILL)
        assert await window.ended() == 1
        said = "The server of this game has stopped" if language is EN else "سرور این بازی"
        assert written(language, said) in str(window)
    async with pane(*arguments) as window:
        await window.until(lambda window: legal(window) == held, "the same cards")


async def test_a_game_that_ended_meanwhile_is_told_of(tmp_path: Path) -> None:
    """Its server went on without the player: the next start says who won, and that the proof was checked."""
    async with house(tmp_path) as server:
        async with pane(*new_table(server, "--lang", "en", "--turn-seconds", "5")) as window:
            await window.until(lambda window: legal(window) or words(EN).prompt_trumps in str(window), "my turn")
            table_id = unfinished.remembered(tmp_path / "players" / "me")
            assert table_id is not None
            window.keys("leave\ryes\r")
            assert await window.ended() == 0
        unfinished.remember(tmp_path / "players" / "me", table_id)  # as if it had been closed and not left
        while await _tables(server):
            await asyncio.sleep(0.05)
        async with pane(*new_table(server, "--lang", "en")) as window:
            await window.until_shown("The game that you had left open is over.")
            await window.until_shown("The proof of the whole game was checked")
        assert unfinished.remembered(tmp_path / "players" / "me") != table_id
        assert (tmp_path / "proofs" / f"{table_id.hex()}-game.json").exists()


async def _tables(server: KilledServer) -> list[str]:
    where = ("--server", server.address, "--policy", str(server.var / "policy"))
    program = piped(["list", *where, "--identity", str(server.var / "looker.key")])
    said, _ = await asyncio.to_thread(program.communicate)
    return said.splitlines()


async def test_a_program_that_is_killed_leaves_no_server_behind(tmp_path: Path) -> None:
    """The server and the bots end with it, so that the next start finds its files free."""
    async with pane("local", "--var", str(tmp_path), "--lang", "en", "--pace-ms", "0-0") as window:
        await window.until(lambda window: legal(window) or words(EN).prompt_trumps in str(window), "my turn")
        window.kill(signal.SIGKILL)
        await window.ended()
    async with asyncio.timeout(20):
        while programs_of(tmp_path):
            await asyncio.sleep(0.05)
