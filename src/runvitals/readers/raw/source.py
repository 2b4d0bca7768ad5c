"""Opening what may be compressed, hostile or still growing; reading on where it was left."""

import codecs
import gzip
import lzma
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from runvitals.model import Gap
from runvitals.model.run import in_place

HEAD_BYTES = 64 * 2**10
MAX_LINE = 8 * 2**20
WIDEST_HEAD = 3 * MAX_LINE
MAX_EXPANDED = 8 * 2**30  # bytes out of a compressed file: more is a bomb, not a log
_CHUNK = 2**20
BLOCK = 16 * 2**20
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # what PowerShell's `>` writes
COMPRESSED = {".gz", ".xz", ".zst", ".lzma"}
_GZIP, _XZ, _ZSTANDARD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
ENCODED = (_GZIP, _XZ, _ZSTANDARD, *UTF16)  # first bytes of what is decoded while it is read
# What reading a file may raise, compressed or not.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)

# What loggers call their file: it stands for the run in its folder.
_LOGGER_FILES = frozenset(
    "progress.csv progress.json progress.txt result.json metrics.csv metrics.jsonl metrics.json "
    "trainer_log.jsonl trainer_state.json training_log.csv training_log.jsonl log.csv log.jsonl "
    "history.csv history.json train_metrics.jsonl train_log.jsonl wandb-history.jsonl".split()
)

# What a captured console is called: beside a logger's file it is the same run once more.
_CONSOLE = re.compile(
    r"(log|logs|console|std|stdout|stderr|output|train|training|run|nohup|slurm-\d+)"
    r"(\.(log|txt|out|err))+"
)


def stamp_of(path: Path) -> tuple[int, int, int]:
    """What changes whenever a file is replaced or written to: inode, size, time of the last change."""
    now = path.stat()
    return now.st_ino, now.st_size, now.st_mtime_ns


def stamp_if_there(path: Path) -> tuple[int, int, int] | None:
    """The same, or None when there is no such file at the moment."""
    try:
        return stamp_of(path)
    except OSError:
        return None


def uncompressed_name(path: Path) -> str:
    """The file name without a compression ending, in lower case.

    >>> uncompressed_name(Path("a/Progress.csv.gz"))
    'progress.csv'
    """
    return (path.stem if path.suffix.lower() in COMPRESSED else path.name).lower()


def is_loggers(path: Path) -> bool:
    """True if a file is called as loggers call theirs."""
    return uncompressed_name(path) in _LOGGER_FILES


def is_console(path: Path) -> bool:
    """True if a file is called as people call a captured console."""
    return _CONSOLE.fullmatch(uncompressed_name(path)) is not None


def open_binary(path: Path) -> BinaryIO:
    """The file, decompressed or brought to UTF-8 on the fly when its first bytes ask for it."""
    file = open(path, "rb")  # noqa: SIM115 - handed to the caller
    magic = file.read(6)
    file.seek(0)
    if magic[:2] in UTF16 and magic[2:4] != b"\0\0":
        return cast(BinaryIO, codecs.EncodedFile(file, "utf-8", "utf-16", errors="replace"))
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=file))
    if magic == _XZ:
        return cast(BinaryIO, lzma.LZMAFile(file))
    if magic.startswith(_ZSTANDARD):
        import pyarrow as pa

        file.close()
        return cast(BinaryIO, pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    return file


def head(path: Path, size: int = HEAD_BYTES) -> bytes:
    """The first bytes, decompressed; what cannot be read is left out. Never raises."""
    data = b""
    try:
        with open_binary(path) as file:
            while len(data) < size:
                piece = file.read(size - len(data))
                if not piece:
                    break
                data += piece
            data = _with_whole_lines(file, data) if len(data) >= HEAD_BYTES else data
    except DAMAGED:
        return data
    return data


def _with_whole_lines(file: BinaryIO, data: bytes) -> bytes:
    """The head of a table of many thousand columns up to the end of its third line.

    A text that begins with a bracket is one document, unless its second line begins like the first.
    """
    if b"\n" in data or b"\0" in data:
        return data
    wide = data
    while wide.count(b"\n") < 3 and len(wide) < WIDEST_HEAD:
        piece = file.read(_CHUNK)
        if not piece:
            break
        wide += piece
    first, newline, rest = wide.partition(b"\n")
    one_document = first[:1] in b"{[" and rest[:1] != first[:1]
    return data if not newline or one_document else wide


def line_blocks(file: BinaryIO, warnings: list[str]) -> Iterator[bytes]:
    """The text in blocks of whole lines (UTF-8); the last block lacks its end if the file does."""
    carry = b""
    skipping = False
    skipped = total = 0
    decoder: codecs.IncrementalDecoder | None = None
    while True:
        piece = _read_block(file, warnings)
        if total == 0:
            if piece.startswith(UTF16):
                decoder = codecs.getincrementaldecoder("utf-16")("replace")
            piece = piece.removeprefix(codecs.BOM_UTF8)
        total += len(piece)
        if total > MAX_EXPANDED:
            warnings.append(Gap(f"larger than {MAX_EXPANDED >> 30} GiB; the rest was not read"))
            piece = b""
        if not piece:
            break
        if decoder is not None:
            piece = decoder.decode(piece).encode("utf-8", "replace")
        if b"\r" in piece and b"\n" not in piece:
            piece = piece.replace(b"\r", b"\n")
        if skipping:
            end = piece.find(b"\n")
            if end < 0:
                continue
            piece, skipping = piece[end + 1 :], False
        end = piece.rfind(b"\n") + 1
        if end:
            block = carry + piece[:end] if carry else piece[:end]
            carry = piece[end:]
            yield block
        else:
            carry += piece
        if len(carry) > MAX_LINE:
            carry, skipping = b"", True
            skipped += 1
    if carry:
        yield carry
    if skipped:
        warnings.append(Gap(f"{skipped} lines longer than {MAX_LINE >> 20} MiB were passed over"))


def _read_block(file: BinaryIO, warnings: list[str]) -> bytes:
    """Up to a block; of damaged compressed data, what came before the damage."""
    read = getattr(file, "read1", file.read)
    pieces: list[bytes] = []
    size = 0
    while size < BLOCK:
        try:
            piece = read(BLOCK - size if read is not file.read else 2**20)
        except DAMAGED as error:
            warnings.append(Gap(f"the compressed data is damaged ({error}); read up to there"))
            break
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def read_lines(path: Path, warnings: list[str]) -> Iterator[bytes]:
    """The lines of a text file without their ends, CR and CRLF included, in bounded memory.

    Lines beyond `MAX_LINE` are passed over, damaged compressed data ends the reading; both are
    noted in `warnings`. A last line without an end is given too: the writer may be at it.
    """
    noted: list[str] = []
    with open_binary(path) as file:
        for block in line_blocks(file, noted):
            lines = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
            yield from lines.split(b"\n")
    warnings += [in_place(warning, path.name) for warning in noted]


_FIRST_BYTES = 128  # first bytes by which a file rewritten in place is known


class LineSplitter:
    """Complete lines out of pieces of text as they come.

    Lines end with LF, CR or CRLF; a line without an end is kept until its end arrives (`rest`). Lines
    beyond `MAX_LINE` are passed over and counted in `passed_over`.
    """

    def __init__(self) -> None:
        self.passed_over = 0
        self.rest = b""
        self._skipping = False

    def split(self, piece: bytes) -> Iterator[bytes]:
        """The lines that end in this piece."""
        if self._skipping:
            ends = [place for mark in (b"\n", b"\r") if (place := piece.find(mark)) >= 0]
            if not ends:
                return
            self._skipping = False
            piece = piece[min(ends) + 1 :]
        lines = (self.rest + piece).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self.rest = lines.pop()
        for line in lines:
            if len(line) > MAX_LINE:
                self.passed_over += 1
            else:
                yield line
        if len(self.rest) > MAX_LINE:
            self.passed_over += 1
            self.rest, self._skipping = b"", True

    def take_rest(self) -> bytes:
        """The line that has no end yet; it will not be given again."""
        rest, self.rest = self.rest, b""
        return b"" if self._skipping else rest


class LineFollower(LineSplitter):
    """The complete lines that were added to a file since the last call, by its name.

    A file that shrank, was replaced by another or begins with other bytes than before is read from its
    start, and `restarts` counts that. A file that is gone gives nothing. Memory stays bounded by one
    line and one chunk.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.offset = 0  # bytes taken in so far
        self.restarts = 0
        self._inode: tuple[int, int] | None = None
        self._start = b""

    def iter_lines(self) -> Iterator[bytes]:
        """The same one by one, for files too large to hold."""
        try:
            file = open(self.path, "rb")  # noqa: SIM115 - closed below, also when not exhausted
        except OSError:
            return
        try:
            self._settle(file.fileno())
            file.seek(self.offset)
            while piece := file.read(_CHUNK):
                if self.offset == 0 and piece.startswith(b"\xef\xbb\xbf"):
                    self.offset, piece = 3, piece[3:]
                self.offset += len(piece)
                yield from self.split(piece)
        except OSError:
            return
        finally:
            file.close()

    def _settle(self, handle: int) -> None:
        """Go back to the start when this is no longer the file that was read."""
        state = os.fstat(handle)
        inode = (state.st_dev, state.st_ino)
        start = os.pread(handle, _FIRST_BYTES, 0)
        replaced = self._inode is not None and (
            inode != self._inode
            or state.st_size < self.offset
            or not start.startswith(self._start[: self.offset])
        )
        if replaced:
            self.restarts += 1
            self.offset, self.rest, self._skipping = 0, b"", False
        self._inode, self._start = inode, start
