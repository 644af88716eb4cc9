# SPDX-License-Identifier: Apache-2.0
"""The tables: durable signed moves of real games, over real sockets, against a server in a process of its own.

    moves      one Play stream for each player; the simple Act and Watch; many tables on one stream
    floors     a bare stream with the primitives of a move (`bare`), and the same moves without a network (`pipeline`)
    a move     how long it takes at a steady pace
    memory     what a table with four connections takes

The players live in this process and share the processors with the server, so beside moves in a second stands the
processor time of the server for each move, which is the measure of it: the ratios are of these.
`--quick` sees that all of it works, with figures of no meaning.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from bench import pipeline
from bench.bare import BareCrowd
from bench.crowd import Crowd, Line, Measured, Simple, Stream, Table, measure, seat_bots, seat_persons
from bench.loops import new_loop
from bench.report import Row, is_quick, tell
from bench.served import Served, house_of, keys_of, running, server


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    tables: int = 32
    many_tables: int = 64
    paced_tables: int = 100
    pace: int = 1000
    """Moves in a second."""
    warm_seconds: float = 1.0
    seconds: float = 6.0
    script_moves: int = 200
    memory_moves: int = 40


QUICK = Size(2, 2, 2, 20, 0.1, 0.3, 20, 20)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure everything."""
    size = QUICK if is_quick(__doc__, arguments) else Size()
    sys.setswitchinterval(0.0002)  # as in the server, for the pipeline in this process
    with (
        tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", ".")) as folder,
        asyncio.Runner(loop_factory=new_loop) as runner,
    ):
        runner.run(_Bench(Path(folder), size).run())


class _Bench:
    def __init__(self, folder: Path, size: Size) -> None:
        self._folder = folder
        self._size = size

    async def run(self) -> None:
        """All measurements, one after the other."""
        size = self._size
        print(f"The tables: {size.seconds:g} s for each figure; SQLite in {self._folder.parent.resolve()}", flush=True)
        scripts = await pipeline.record(self._folder / "recorded", size.many_tables, size.script_moves)
        bare_before = await self._bare("bare-1")
        with server(self._folder / "house") as served:
            streams = await self._persons(served, Stream, size.tables)
            bare = bare_before + await self._bare("bare-2")
            simple = await self._persons(served, Simple, size.tables)
            free_before = await pipeline.replay(self._folder / "replayed-1", scripts)
            many = await self._bots(served)
            free = free_before + await pipeline.replay(self._folder / "replayed-2", scripts)
            paced = await self._persons(served, Stream, size.paced_tables, size.pace / size.paced_tables)
        few, several = f"{size.tables} tables", f"{size.many_tables} tables"
        tell(
            "Durable signed moves in a second of the server's processor time, all its threads",
            [
                Row(
                    f"{few}, a stream for each player",
                    streams.rate_of_server,
                    "/s",
                    bare.rate_of_server,
                    "bare stream",
                    "must 1800, goal 2600; 0.85 x",
                ),
                Row(f"{few}, Act and Watch", simple.rate_of_server, "/s"),
                Row(
                    f"{several} on one stream",
                    many.rate_of_server,
                    "/s",
                    free.rate_of_processor,
                    "no network",
                    "must 5000, goal 8000; 0.75 x",
                ),
            ],
            f"no network: {free.moves:,} moves; durability read back: {free.durability}",
        )
        tell(
            "The same in a second of time, beside players who take their share of the same processors",
            [
                Row(f"{few}, a stream for each player", streams.rate, "/s", bare.rate, "bare stream"),
                Row(f"{few}, Act and Watch", simple.rate, "/s"),
                Row(f"{several} on one stream", many.rate, "/s", free.rate, "no network"),
            ],
            *(
                f"{what}: {_shares(each)}"
                for what, each in (
                    ("bare stream", bare),
                    ("a stream for each player", streams),
                    ("Act and Watch", simple),
                    ("one stream", many),
                )
            ),
            f"the players limit whatever leaves the server with less than a processor of {os.cpu_count()}",
        )
        tell(
            f"From sending a move to its own entry, {size.paced_tables} tables, {size.pace:,} moves in a second",
            [
                Row("half of them within", paced.percentile(0.50), "ms"),
                Row("99 of 100 within", paced.percentile(0.99), "ms", goal="must 15, goal 7"),
            ],
            f"{paced.rate:,.0f} moves/s came; {_shares(paced)}",
            "the players' own waiting for a processor is in these figures",
        )
        tell(
            f"Memory of a table with 4 connections: {size.paced_tables} more in their first round",
            [
                Row("plain text", await self._memory("plain"), "KiB", goal="must 250, goal 170"),
                Row("TLS", await self._memory("secure", certificate(self._folder)), "KiB", goal="must 400, goal 310"),
            ],
        )

    async def _bare(self, name: str) -> Measured:
        """The floor of a move over streams."""
        folder = self._folder / name
        folder.mkdir()
        with running(["-m", "bench.bare", str(folder)]) as served:
            crowd = BareCrowd(served.address)
            await crowd.play(self._size.tables)
            return await self._look(crowd, served)

    async def _persons(self, served: Served, kind: type[Line], tables: int, each: float = 0.0) -> Measured:
        """Persons at so many tables, as fast as it goes or `each` table at its pace."""
        crowd = Crowd(served.address, house_of(keys_of(self._folder / "house")))
        found = await seat_persons(crowd, kind, tables)
        for place, table in enumerate(found):
            table.pace(each, place / tables)
        await begin(found)
        return await self._look(crowd, served)

    async def _bots(self, served: Served) -> Measured:
        """The operator's bots, at many tables over one stream."""
        keys = keys_of(self._folder / "house")
        crowd = Crowd(served.address, house_of(keys))
        await begin(await seat_bots(crowd, keys.operator, self._size.many_tables))
        return await self._look(crowd, served)

    async def _look(self, crowd: Crowd, served: Served) -> Measured:
        try:
            return await measure(crowd, served, self._size.warm_seconds, self._size.seconds)
        finally:
            await crowd.leave()

    async def _memory(self, name: str, pair: tuple[Path, Path] | None = None) -> float:
        """KiB of a table whose cards are played, each seat with a connection; a certificate and its key mean TLS."""
        var = self._folder / name
        arguments = ["--tls-certificate", str(pair[0]), "--tls-key", str(pair[1])] if pair else []
        with server(var, *arguments) as served:
            crowd = Crowd(served.address, house_of(keys_of(var)), pair[0].read_bytes() if pair else b"")
            try:
                return await self._memory_of(crowd, served)
            finally:
                await crowd.leave()

    async def _memory_of(self, crowd: Crowd, served: Served) -> float:
        tables = self._size.paced_tables
        # What is made once for however many tables, as SQLite's cache, is made before.
        await _play_some(crowd, tables // 2, 4 * self._size.memory_moves)
        before = served.resident_bytes()
        await _play_some(crowd, tables, self._size.memory_moves)
        return (served.resident_bytes() - before) / tables / 1024


async def _play_some(crowd: Crowd, tables: int, moves: int) -> None:
    """Some more tables, so many moves at each, and then they stand."""
    found = await seat_persons(crowd, Stream, tables)
    for table in found:
        table.stop_after(moves)
    await begin(found)
    while not all(table.has_stopped for table in found):
        await crowd.wait(0.1)


def _shares(measured: Measured) -> str:
    server_share, crowd_share = (
        seconds / measured.seconds for seconds in (measured.server_seconds, measured.crowd_seconds)
    )
    return f"the server used {server_share:.2f} of a processor, the players {crowd_share:.2f}"


async def begin(tables: Sequence[Table]) -> None:
    """Let all of them play."""
    await asyncio.gather(*(table.begin() for table in tables))


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(made.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return chain, secret


if __name__ == "__main__":
    main()
