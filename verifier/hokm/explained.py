# SPDX-License-Identifier: Apache-2.0
"""What a verification proves and does not prove, in plain words: the text of `hokm-verify --explain`, by language."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = """\
What is proved when a proof is VERIFIED

  The deal. Each of the four seats and the house chose a secret number and, before any number was known, gave a
  commitment to it: a fingerprint that fits no other number. All five numbers together decide the order of the pack.
  Nobody could choose it, not the house alone and not a player alone. If your own number is in (--mine KEY), it does
  not matter what all the others did: you know that the pack could not be chosen.

  The moves. Every card was played, and every suit named, by whoever holds the key of that seat; the signature says so,
  and says also what the player had seen until then. Nobody else can have made it, and it fits nowhere else.

  The rules. Every card was legal, every trick went to whom it belongs, the points and the score are right, and where
  time ran out the house did what its fixed rule says. All of it was computed again from the cards.

  The history. The entries are one chain without a gap, and they are in a public log that can only grow. Witnesses that
  you chose (in your policy) have seen that log; so nobody can be shown another history than you.

What is not proved

  That the house kept the hands to itself. It must know them to deal.
  That a number or a move that the log calls missing was really not sent. Voids and missed deadlines are listed; if they
  are often those of one seat, or come when a deal would have suited somebody, ask why.
  Who sits behind a key, and whether it is a person. One person may hold two keys; friends may talk.
  That the house had not revoked its own key by then, if it leaves that out of the proof. Its log shows it.
  Anything about a deal in which no person's own number took part. Bots and stand-ins belong to the operator.
  Of the proof of one round: the score before it, and that other rounds exist or are right. A game proof shows them.
  With `quorum none` in your policy: that there is no second history.

The verdicts

  VERIFIED                every step holds.
  VERIFIED WITH WARNINGS  every step holds, and there is something that you should know.
  INCOMPLETE              what is there is true; only the end is missing.
  REJECTED                something is wrong: the step, the code and the entry say what. Keep the file: it is evidence.
  UNREADABLE              this is no proof, or one of a kind that this verifier does not know.
"""

_PERSIAN: Final = """\
وقتی گواهی VERIFIED است چه چیزی ثابت شده است

  پخش. هر چهار صندلی و خانه یک عدد پنهان برداشتند و پیش از آنکه عددی معلوم شود تعهدی به آن دادند: اثر انگشتی که به هیچ
  عدد دیگری نمی‌خورد. ترتیب برگ‌ها را پنج عدد با هم تعیین می‌کنند. هیچ کس نمی‌توانست آن را انتخاب کند، نه خانه به تنهایی
  و نه یک بازیکن به تنهایی. اگر عدد خود شما در آن باشد (--mine KEY)، فرقی نمی‌کند که دیگران چه کرده‌اند: می‌دانید که
  ترتیب برگ‌ها انتخابی نبوده است.

  حرکت‌ها. هر برگ را کسی بازی کرده و هر حکم را کسی گفته است که کلید آن صندلی را دارد؛ امضا این را می‌گوید، و این را هم که
  بازیکن تا آن وقت چه دیده بود. کس دیگری نمی‌توانسته آن را بسازد و جای دیگری به کار نمی‌آید.

  قانون‌ها. هر برگ مجاز بوده، هر دست به صاحبش رسیده، امتیازها درست است و جایی که وقت تمام شده، خانه همان کاری را کرده که
  قاعدهٔ ثابتش می‌گوید. همهٔ این‌ها دوباره از روی برگ‌ها حساب شده است.

  تاریخچه. ثبت‌ها یک زنجیر بی‌شکاف‌اند و در دفتری همگانی نشسته‌اند که فقط بزرگ می‌شود. شاهدانی که شما برگزیده‌اید (در
  سیاست اعتمادتان) آن دفتر را دیده‌اند؛ پس به هیچ کس نمی‌شود تاریخچه‌ای جز آنِ شما نشان داد.

چه چیزی ثابت نشده است

  اینکه خانه برگ‌ها را به کسی نگفته است. برای پخش کردن باید آن‌ها را بداند.
  اینکه عدد یا حرکتی که دفتر می‌گوید نرسیده، واقعاً فرستاده نشده بود. پخش‌های دورریخته و مهلت‌های ازدست‌رفته فهرست
  می‌شوند؛ اگر بیشترِ آن‌ها از یک صندلی است، یا جایی می‌آید که پخش به سود کسی بوده، بپرسید چرا.
  اینکه پشت هر کلید کیست، و آیا آدم است. یک نفر می‌تواند دو کلید داشته باشد و دوستان می‌توانند با هم حرف بزنند.
  اینکه خانه کلید خودش را پیش از آن باطل نکرده بود، اگر این را در گواهی نیاورده باشد. دفترش آن را نشان می‌دهد.
  هیچ چیز دربارهٔ پخشی که عدد خودِ هیچ آدمی در آن نیست. ربات‌ها و جانشین‌ها از آنِ گردانندهٔ خانه‌اند.
  در گواهِ یک دور: امتیاز پیش از آن، و اینکه دورهای دیگر هست یا درست است. گواه بازی این‌ها را نشان می‌دهد.
  با «quorum none» در سیاست اعتماد شما: اینکه تاریخچهٔ دومی نیست.

رأی‌ها

  VERIFIED                همهٔ گام‌ها درست است.
  VERIFIED WITH WARNINGS  همهٔ گام‌ها درست است، و چیزی هست که باید بدانید.
  INCOMPLETE              آنچه هست درست است؛ فقط پایانش نیست.
  REJECTED                چیزی نادرست است: گام، کد و ثبت می‌گویند چه چیزی. فایل را نگه دارید: مدرک است.
  UNREADABLE              این گواه نیست، یا از نوعی است که این برنامه نمی‌شناسد.
"""

EXPLAINED: Final = {"en": _ENGLISH, "fa": _PERSIAN}
