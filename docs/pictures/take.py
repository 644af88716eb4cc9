# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures that the README shows: a real game in each language, on a screen that nobody sees.

    . .venv/bin/activate && python docs/pictures/take.py

Needs Xvfb, xterm, tmux and ImageMagick besides.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
DISPLAY = ":97"
TMUX = ("tmux", "-L", "pictures", "-f", os.devnull)
PLAYABLE = re.compile(r"\[(?:10|۱۰|[۰-۹0-9JQKA])[♠♥♦♣]\]")
SUIT_OFFERED = re.compile(" [♠♥♦♣] ")
DIGITS = str.maketrans("۰۱۲۳۴۵۶۷۸۹", "0123456789")
SUITS = str.maketrans("♠♥♦♣", "shdc")


def shown() -> str:
    """What stands on the screen."""
    return subprocess.run([*TMUX, "capture-pane", "-p"], capture_output=True, text=True, check=False).stdout


def playable() -> list[str]:
    """The cards in brackets, as they can be typed."""
    return [card.strip("[]").translate(DIGITS).translate(SUITS) for card in PLAYABLE.findall(shown())]


def types(text: str) -> None:
    """Type a line."""
    subprocess.run([*TMUX, "send-keys", text, "Enter"], check=True)


def play_to_a_picture() -> None:
    """Play on until it is our turn in a later trick, with three cards on the table and few that may follow."""
    tricks = 0
    offered: list[str] = []
    for _ in range(600):
        time.sleep(0.2)
        if len(SUIT_OFFERED.findall(shown())) == 4:
            types("hearts")
        elif (cards := playable()) and cards != offered:
            if tricks >= 3 and shown().count("┌────┐") == 3 and len(cards) < 5:
                return
            offered, tricks = cards, tricks + 1
            types(cards[-1])
    raise SystemExit("no such moment came")


def take(language: str) -> None:
    """One game, and one picture of it."""
    with tempfile.TemporaryDirectory() as var:
        game = shlex.join(["hokm", "local", "--lang", language, "--var", var, "--pace-ms", "300-400"])
        options = ("-geometry", "80x24+0+0", "-fa", "DejaVu Sans Mono", "-fs", "11", "-b", "8", "-bw", "0")
        terminal = subprocess.Popen(
            ["xterm", *options, "-e", *TMUX, "new-session", game, ";", "set", "status", "off"],
            env={**os.environ, "DISPLAY": DISPLAY},
        )
        try:
            play_to_a_picture()
            picture = HERE / f"playing.{language}.png"
            cut = ("-trim", "+repage", "+dither", "-colors", "64", "-strip")
            subprocess.run(["import", "-display", DISPLAY, "-window", "root", *cut, str(picture)], check=True)
        finally:
            types("quit")
            types("yes")
            terminal.wait(20)


def main() -> None:
    """Both languages."""
    screen = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", "1200x800x24"])
    try:
        time.sleep(1)
        for language in ("en", "fa"):
            take(language)
    finally:
        screen.terminate()
        screen.wait()


if __name__ == "__main__":
    main()
