# SPDX-License-Identifier: Apache-2.0
"""What is said of the house rules (H1 to H6), in two languages.

Braces are filled in, and four strings are by place, as in `words`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hokm.languages import Language
from hokm_client.terminal.things import Thing
from hokm_client.terminal.words import Four


@dataclass(frozen=True, slots=True, kw_only=True)
class Customs:
    """One catalogue."""

    # The table's rules. Each by the name of its field in `TableRules`.
    at_this_table: str
    nothing_unusual: str
    type_rules: str
    """{rules}"""
    explained: Mapping[str, str]
    """A house rule that is on, and what is typed for it."""

    # Beside a seat.
    middle_open: str
    face_down: str
    run_open: str

    # How things stand.
    middle_lies: Four
    """{card}: before which seat the partner's middle lies open."""
    lies_face_down: Four
    laid: str
    """{card}: what my own face-down card is."""
    run_lies: Four
    """{cards} of a run that lie open."""
    seen_in_hand: Four
    """{cards} of a hand that all have seen."""
    all_have_seen: str
    """Before those cards, where there is little room."""
    marked: str
    """The mark at those of my own."""
    or_middle: str
    """What the hakem may type in place of trumps."""
    may_run: str
    """{runs} that may be led."""

    # What happens.
    turned_up: Four
    """{card}, {suit}: before which seat."""
    picks_up: Four
    lays: Four
    takes_back: Four
    turns_over: Four
    leads_run: Four
    """{cards}"""
    run_returns: Four
    """{cards}: into which hand."""

    # Tea.
    asks_for_tea: Four
    say_yes_or_no: str
    says_yes: Four
    is_granted: str
    is_refused: str
    tea_begins: str
    tea_is_drunk: str
    are_ready: str
    """{who}"""
    is_ready: Four
    tea_is_over: str
    prompt_answer: str
    prompt_tea: str

    # Throwing.
    things: Mapping[Thing, str]
    """As a sentence begins with it."""
    lands: Four
    """{thing}: at whom."""


ENGLISH: Final = Customs(
    at_this_table="Rules of this table: {rules}.",
    nothing_unusual="This table plays the classic game.",
    type_rules="Type rules for what they mean.",
    explained={
        "partners_middle": "The partner's middle. In place of naming trumps the hakem may type middle: the third card "
        "dealt to the partner is turned up, and its suit is trumps. It lies open until the partner plays a card, or "
        "types pick up.",
        "coming_early": "Coming early. When a trick has been led and your turn has not come, early 3 or early KH lays "
        "that card face down; take back takes it back. It turns over when your turn comes, and then you wait three "
        "whole tricks.",
        "runs": "Runs. On lead, run AH KH QH (or their numbers) leads ace, king and queen of a suit that is not "
        "trumps, or two or more trumps that are the top of those not yet played.",
        "tea": "Tea. tea asks for it, once in a game; the others answer yes or no, and silence is yes. It is drunk "
        "between two tricks, with a story: ready says that you would play on, story tells the chapter once more.",
        "throwing": "Throwing. throw rose left throws at the left, at the right or at your partner. Nobody is told "
        "who it was. There are: {things}.",
        "silent": "Silence. Nothing is thrown, and nobody talks.",
    },
    middle_open="open middle",
    face_down="face-down card",
    run_open="run",
    middle_lies=(
        "The middle, the {card}, lies open before you.",
        "The middle, the {card}, lies open before the right opponent.",
        "The middle, the {card}, lies open before your partner.",
        "The middle, the {card}, lies open before the left opponent.",
    ),
    lies_face_down=(
        "A card of yours lies face down.",
        "A card of the right opponent lies face down.",
        "A card of your partner lies face down.",
        "A card of the left opponent lies face down.",
    ),
    laid="It is the {card}.",
    run_lies=(
        "Of your run the {cards} lie open.",
        "Of the right opponent's run the {cards} lie open.",
        "Of your partner's run the {cards} lie open.",
        "Of the left opponent's run the {cards} lie open.",
    ),
    seen_in_hand=(
        "All have seen in your hand: {cards}.",
        "All have seen in the right opponent's hand: {cards}.",
        "All have seen in your partner's hand: {cards}.",
        "All have seen in the left opponent's hand: {cards}.",
    ),
    all_have_seen="Seen by all",
    marked="your cards with *",
    or_middle="Or type middle: your partner's third card is turned up, and its suit is trumps.",
    may_run="You may lead a run: {runs}.",
    turned_up=(
        "Your middle is turned up, the {card}: trumps are {suit}.",
        "The right opponent's middle is turned up, the {card}: trumps are {suit}.",
        "Your partner's middle is turned up, the {card}: trumps are {suit}.",
        "The left opponent's middle is turned up, the {card}: trumps are {suit}.",
    ),
    picks_up=(
        "You pick the middle up.",
        "Right opponent picks the middle up.",
        "Your partner picks the middle up.",
        "Left opponent picks the middle up.",
    ),
    lays=(
        "You lay a card face down.",
        "Right opponent lays a card face down.",
        "Your partner lays a card face down.",
        "Left opponent lays a card face down.",
    ),
    takes_back=(
        "You take your face-down card back.",
        "Right opponent takes the face-down card back.",
        "Your partner takes the face-down card back.",
        "Left opponent takes the face-down card back.",
    ),
    turns_over=(
        "Your face-down card turns over.",
        "The right opponent's face-down card turns over.",
        "Your partner's face-down card turns over.",
        "The left opponent's face-down card turns over.",
    ),
    leads_run=(
        "You lead a run; open behind it: {cards}.",
        "Right opponent leads a run; open behind it: {cards}.",
        "Your partner leads a run; open behind it: {cards}.",
        "Left opponent leads a run; open behind it: {cards}.",
    ),
    run_returns=(
        "The run is over: back into your hand go {cards}.",
        "The run is over: back into the right opponent's hand go {cards}.",
        "The run is over: back into your partner's hand go {cards}.",
        "The run is over: back into the left opponent's hand go {cards}.",
    ),
    asks_for_tea=(
        "You ask for tea.",
        "Right opponent asks for tea.",
        "Your partner asks for tea.",
        "Left opponent asks for tea.",
    ),
    say_yes_or_no="Yes or no? Silence is yes.",
    says_yes=(
        "You say yes to tea.",
        "Right opponent says yes to tea.",
        "Your partner says yes to tea.",
        "Left opponent says yes to tea.",
    ),
    is_granted="Tea comes when this trick is over, or the deal is made.",
    is_refused="No tea this time: somebody said no.",
    tea_begins="Tea is served: the game pauses.",
    tea_is_drunk="Tea time.",
    are_ready="Ready: {who}.",
    is_ready=(
        "You are ready.",
        "Right opponent is ready.",
        "Your partner is ready.",
        "Left opponent is ready.",
    ),
    tea_is_over="Tea is over: the game goes on.",
    prompt_answer="Tea? yes or no; ? for help",
    prompt_tea="ready: you would play on; story: the chapter once more; ? for help",
    things={
        Thing.TOMATO: "A tomato",
        Thing.SLIPPER: "A slipper",
        Thing.ROSE: "A rose",
        Thing.POMEGRANATE: "A pomegranate",
        Thing.CUSHION: "A cushion",
        Thing.SUGAR_CUBE: "A sugar cube",
        Thing.SUNFLOWER_SEEDS: "A handful of sunflower seeds",
        Thing.PAPER_PLANE: "A paper plane",
        Thing.SNOWBALL: "A snowball",
        Thing.SOCK: "A sock",
        Thing.WATERMELON: "A watermelon",
        Thing.CONFETTI: "A handful of confetti",
        Thing.AUBERGINE: "An aubergine",
        Thing.RUBBER_DUCK: "A rubber duck",
    },
    lands=(
        "{thing} hits you!",
        "{thing} hits the right opponent!",
        "{thing} hits your partner!",
        "{thing} hits the left opponent!",
    ),
)

PERSIAN: Final = Customs(
    at_this_table="قانون‌های این میز: {rules}.",
    nothing_unusual="سر این میز بازی ساده است.",
    type_rules="برای شرح آن‌ها بنویسید قانون.",
    explained={
        "partners_middle": "وسط یار. حاکم می‌تواند به جای تعیین حکم بنویسد وسط: سومین برگی که به یارش داده شده رو می‌شود "
        "و خال آن حکم است. این برگ رو می‌ماند تا یار برگی بازی کند یا بنویسد بردار.",
        "coming_early": "زود آمدن. وقتی دستی شروع شده و نوبت شما نرسیده، زود ۳ یا زود شاه دل آن برگ را پشت و رو روی "
        "میز می‌گذارد و پس می‌گیرم آن را برمی‌گرداند. نوبت شما که برسد رو می‌شود، و بعد سه دست کامل صبر می‌کنید.",
        "runs": "ردیف. وقتی شروع دست با شماست، ردیف آس دل شاه دل بی‌بی دل (یا شماره‌هایشان) آس و شاه و بی‌بی خالی را که "
        "حکم نیست با هم می‌آید، یا دو یا چند حکم را که از بالای حکم‌های بازی‌نشده باشد.",
        "tea": "چای. چای یعنی چای بیاورند، هر بازیکن یک بار در بازی؛ دیگران بله یا نه می‌گویند و سکوت بله است. میان دو "
        "دست می‌نوشند و قصه می‌شنوند: آماده یعنی ادامه بدهیم و قصه همان فصل را دوباره می‌گوید.",
        "throwing": "پرتاب. پرتاب گل چپ چیزی را به حریف چپ، حریف راست یا یار می‌زند. به کسی نمی‌گویند چه کسی زد. هست: "
        "{things}.",
        "silent": "سکوت. نه چیزی پرتاب می‌شود و نه کسی حرف می‌زند.",
    },
    middle_open="وسطِ رو",
    face_down="برگ پشت",
    run_open="ردیف",
    middle_lies=(
        "برگ وسط، {card}، جلوی شما رو است.",
        "برگ وسط، {card}، جلوی حریف راست رو است.",
        "برگ وسط، {card}، جلوی یارتان رو است.",
        "برگ وسط، {card}، جلوی حریف چپ رو است.",
    ),
    lies_face_down=(
        "یک برگ شما پشت و رو روی میز است.",
        "یک برگ حریف راست پشت و رو روی میز است.",
        "یک برگ یارتان پشت و رو روی میز است.",
        "یک برگ حریف چپ پشت و رو روی میز است.",
    ),
    laid="آن برگ {card} است.",
    run_lies=(
        "از ردیف شما {cards} رو است.",
        "از ردیف حریف راست {cards} رو است.",
        "از ردیف یارتان {cards} رو است.",
        "از ردیف حریف چپ {cards} رو است.",
    ),
    seen_in_hand=(
        "همه در دست شما دیده‌اند: {cards}.",
        "همه در دست حریف راست دیده‌اند: {cards}.",
        "همه در دست یارتان دیده‌اند: {cards}.",
        "همه در دست حریف چپ دیده‌اند: {cards}.",
    ),
    all_have_seen="همه دیده‌اند",
    marked="برگ‌های ستاره‌دار شما *",
    or_middle="یا بنویسید وسط: سومین برگ یارتان رو می‌شود و خال آن حکم است.",
    may_run="می‌توانید ردیف بیایید: {runs}.",
    turned_up=(
        "برگ وسط شما رو شد، {card}: حکم {suit} است.",
        "برگ وسط حریف راست رو شد، {card}: حکم {suit} است.",
        "برگ وسط یارتان رو شد، {card}: حکم {suit} است.",
        "برگ وسط حریف چپ رو شد، {card}: حکم {suit} است.",
    ),
    picks_up=(
        "شما برگ وسط را برداشتید.",
        "حریف راست برگ وسط را برداشت.",
        "یارتان برگ وسط را برداشت.",
        "حریف چپ برگ وسط را برداشت.",
    ),
    lays=(
        "شما زود آمدید: یک برگ پشت و رو.",
        "حریف راست زود آمد: یک برگ پشت و رو.",
        "یارتان زود آمد: یک برگ پشت و رو.",
        "حریف چپ زود آمد: یک برگ پشت و رو.",
    ),
    takes_back=(
        "شما برگتان را پس گرفتید.",
        "حریف راست برگش را پس گرفت.",
        "یارتان برگش را پس گرفت.",
        "حریف چپ برگش را پس گرفت.",
    ),
    turns_over=(
        "برگ شما رو شد.",
        "برگ حریف راست رو شد.",
        "برگ یارتان رو شد.",
        "برگ حریف چپ رو شد.",
    ),
    leads_run=(
        "شما ردیف آمدید؛ پشت آن: {cards}.",
        "حریف راست ردیف آمد؛ پشت آن: {cards}.",
        "یارتان ردیف آمد؛ پشت آن: {cards}.",
        "حریف چپ ردیف آمد؛ پشت آن: {cards}.",
    ),
    run_returns=(
        "ردیف تمام شد؛ به دست شما برگشت: {cards}.",
        "ردیف تمام شد؛ به دست حریف راست برگشت: {cards}.",
        "ردیف تمام شد؛ به دست یارتان برگشت: {cards}.",
        "ردیف تمام شد؛ به دست حریف چپ برگشت: {cards}.",
    ),
    asks_for_tea=(
        "شما چای خواستید.",
        "حریف راست چای خواست.",
        "یارتان چای خواست.",
        "حریف چپ چای خواست.",
    ),
    say_yes_or_no="بله یا نه؟ سکوت بله است.",
    says_yes=(
        "شما به چای بله گفتید.",
        "حریف راست به چای بله گفت.",
        "یارتان به چای بله گفت.",
        "حریف چپ به چای بله گفت.",
    ),
    is_granted="این دست یا این پخش که تمام شود، چای می‌آورند.",
    is_refused="این بار از چای خبری نیست: یکی گفت نه.",
    tea_begins="چای آوردند: بازی می‌ایستد.",
    tea_is_drunk="وقت چای است.",
    are_ready="آماده: {who}.",
    is_ready=(
        "شما آماده‌اید.",
        "حریف راست آماده است.",
        "یارتان آماده است.",
        "حریف چپ آماده است.",
    ),
    tea_is_over="چای تمام شد: بازی ادامه دارد.",
    prompt_answer="چای؟ بله یا نه؛ راهنما: ؟",
    prompt_tea="آماده: ادامه بدهیم؛ قصه: همان فصل دوباره؛ راهنما: ؟",
    things={
        Thing.TOMATO: "گوجه",
        Thing.SLIPPER: "دمپایی",
        Thing.ROSE: "گل",
        Thing.POMEGRANATE: "انار",
        Thing.CUSHION: "کوسن",
        Thing.SUGAR_CUBE: "قند",
        Thing.SUNFLOWER_SEEDS: "یک مشت تخمه",
        Thing.PAPER_PLANE: "موشک کاغذی",
        Thing.SNOWBALL: "گلولهٔ برف",
        Thing.SOCK: "جوراب",
        Thing.WATERMELON: "هندوانه",
        Thing.CONFETTI: "یک مشت نقل",
        Thing.AUBERGINE: "بادمجان",
        Thing.RUBBER_DUCK: "اردک پلاستیکی",
    },
    lands=(
        "{thing} خورد به شما!",
        "{thing} خورد به حریف راست!",
        "{thing} خورد به یارتان!",
        "{thing} خورد به حریف چپ!",
    ),
)


def customs(language: Language) -> Customs:
    """The catalogue of a language."""
    return PERSIAN if language is Language.FA else ENGLISH
