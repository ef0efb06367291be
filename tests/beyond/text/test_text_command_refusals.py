"""The command line loses nothing: not its input, not another file, not half of its output."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nta_beyond import command
from nta_beyond.progress import progress_bar
from nta_beyond.text import command as text_command
from nta_beyond.text import grammar_text

PRECIOUS = grammar_text(1_500, seed=0)
NTA = [sys.executable, "-m", "nta_beyond"]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
run = subprocess.run


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text(PRECIOUS)
    return path


def _main(*arguments):
    """Exit code, output and error output of the command, run here."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = command.main(list(map(str, arguments)))
        except SystemExit as stop:  # argparse
            code = stop.code
    return code, out.getvalue(), err.getvalue()


def _is_one_sentence(said):
    return re.fullmatch(r"nta: [^\n]+\n", said) is not None


# ---- nothing is overwritten ---------------------------------------------------------------------


def _names_of(text):
    """Other ways to name one file."""
    folder = text.parent
    (folder / "link").symlink_to(text)
    (folder / "chain").symlink_to(folder / "link")
    (folder / "hard").hardlink_to(text)
    (folder / "PRECIOUS.TXT").hardlink_to(text)  # as a disk that ignores case answers
    (folder / "deeper").mkdir()
    (folder / "elsewhere").symlink_to(folder)
    return [
        *(text, folder / "link", folder / "chain", folder / "hard", folder / "PRECIOUS.TXT"),
        *(folder / "deeper" / ".." / text.name, folder / "elsewhere" / text.name),
        Path(os.path.relpath(text)),
    ]


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_a_text_is_never_overwritten_whatever_it_is_called(text, force):
    for name in _names_of(text):
        for corpus in (text, name):
            code, out, said = _main("text", corpus, "--window", 4, "--out", name, *force)
            assert (code, out) == (1, ""), name
            assert "this is a text that is read" in said
            assert _is_one_sentence(said)
    assert text.read_text() == PRECIOUS


def test_no_text_of_a_folder_is_overwritten(text):
    (text.parent / "second.md").write_text(PRECIOUS)
    code, _, said = _main("text", text.parent, "--out", text.parent / "second.md", "--force")
    assert code == 1
    assert "this is a text that is read" in said
    assert (text.parent / "second.md").read_text() == PRECIOUS


def test_standard_input_is_not_overwritten(text):
    with text.open() as file:
        line = [*NTA, "text", "-", "--window", "4", "--out", text, "--force"]
        done = run(line, stdin=file, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "this is a text that is read" in done.stderr
    assert text.read_text() == PRECIOUS


def test_an_existing_file_needs_force(text):
    out = text.with_name("graphs.parquet")
    out.write_text("somebody's work")
    code, printed, said = _main("text", text, "--window", 4, "--out", out)
    assert (code, printed) == (1, "")
    assert "it is there already: choose another name, or add --force" in said
    assert out.read_text() == "somebody's work"
    assert _main("text", text, "--window", 4, "--out", out, "--force", "--quiet")[0] == 0
    assert pq.read_table(out).num_rows > 100
    assert sorted(os.listdir(text.parent)) == ["graphs.parquet", "precious.txt"]


def test_a_file_that_appears_while_the_text_is_read_is_not_overwritten(text, monkeypatch):
    out = text.with_name("graphs.parquet")
    read = text_command.read_edges

    def somebody_else(*arguments, **options):
        out.write_text("somebody's work")
        return read(*arguments, **options)

    monkeypatch.setattr(text_command, "read_edges", somebody_else)
    code, _, said = _main("text", text, "--window", 4, "--out", out, "--quiet")
    assert code == 1
    assert _is_one_sentence(said)
    assert out.read_text() == "somebody's work"


def test_what_is_no_file_is_not_replaced(text):
    pipe = text.with_name("pipe")  # like a device, without the danger
    os.mkfifo(pipe)
    code, _, said = _main("text", text, "--window", 4, "--out", pipe, "--force", "--quiet")
    assert code == 1
    assert "this is no regular file" in said
    assert _is_one_sentence(said)
    assert pipe.is_fifo()


# ---- nothing is left behind ---------------------------------------------------------------------

# The command, stopped while it writes: the first table is out, the second never comes.
WRITES_SLOWLY = """
import sys, time
from nta_beyond.text import parquet
from nta_beyond.command import main
tables = parquet._tables
def slowly(found):
    yield from tables(found)
    print("now", flush=True)
    time.sleep(60)
parquet._tables = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)],
)
@pytest.mark.parametrize("before", [None, "what was there"])
def test_a_stopped_command_leaves_what_was_there_and_nothing_else(text, number, code, before):
    out = text.with_name("graphs.parquet")
    if before:
        out.write_text(before)
    line = [sys.executable, "-c", WRITES_SLOWLY, "text", text, "--window", "4", "--quiet"]
    with subprocess.Popen(
        [*line, "--out", out, "--force"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as command_:
        while "now" not in command_.stdout.readline():
            assert command_.poll() is None
        command_.send_signal(number)
        _, said = command_.communicate(timeout=30)
    assert command_.returncode == code
    assert out.exists() == bool(before)
    assert not before or out.read_text() == before
    if number != signal.SIGKILL:  # nobody can tidy up after that
        assert said == "nta: interrupted, nothing was written\n"
        assert sorted(os.listdir(text.parent)) == sorted(
            [text.name, *([out.name] if before else [])]
        )


def test_an_interruption_after_writing_says_that_the_file_is_complete(text, monkeypatch):
    out = text.with_name("graphs.parquet")

    def stop(options, _run=text_command.run):
        _run(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(text_command, "run", stop)
    code, _, said = _main("text", text, "--window", 4, "--out", out, "--quiet")
    assert (code, said) == (130, f"nta: interrupted, {out} is complete\n")


def _limited():
    """A disk on which no file grows beyond 200 bytes."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


def _unmeasured():
    """The environment without coverage, which would write on the full disk and complain as well."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}


@pytest.mark.parametrize("before", [None, "what was there"])
def test_a_full_disk_is_a_sentence_and_leaves_what_was_there(text, before):
    out = text.with_name("graphs.parquet")
    if before:
        out.write_text(before)
    line = [*NTA, "text", text, "--window", "4", "--quiet", "--out", out, "--force"]
    kept = {"capture_output": True, "text": True, "check": False}
    done = run(line, **kept, preexec_fn=_limited, env=_unmeasured())
    assert done.returncode == 1
    assert done.stderr == f"nta: {out}: it cannot be written: File too large\n"
    assert "windows" in done.stdout  # what was read for hours is shown all the same
    assert out.exists() == bool(before)
    assert not before or out.read_text() == before
    assert not [name for name in os.listdir(text.parent) if name.startswith(".")]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["text", "{text}", "--quiet"]])
def test_an_output_on_a_full_disk_is_a_sentence(text, arguments):
    line = [*NTA, *(part.format(text=text) for part in arguments)]
    with open("/dev/full", "w") as full:
        done = run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=BUFFERED)
    assert done.returncode == 1
    assert done.stderr == "nta: standard output: No space left on device\n"


@pytest.mark.parametrize("environment", [BUFFERED, BUFFERED | {"PYTHONUNBUFFERED": "1"}])
def test_a_closed_pipe_is_a_sentence_and_the_edges_are_written_all_the_same(text, environment):
    out = text.with_name("graphs.parquet")
    reader, writer = os.pipe()
    os.close(reader)
    line = [*NTA, "text", text, "--window", "4", "--quiet", "--out", out]
    with os.fdopen(writer) as closed:
        done = run(
            line, stdout=closed, stderr=subprocess.PIPE, text=True, check=False, env=environment
        )
    assert done.returncode == 141
    assert done.stderr == "nta: the output was closed before its end\n"
    assert pq.read_table(out).num_rows > 100


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_reason_to_fail(text, closed):
    line = f"{sys.executable} -m nta_beyond text {text} --window 4 {closed}"
    done = run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert ("windows" in done.stdout) == (closed != ">&-")
    assert "Traceback" not in done.stderr


def test_progress_comes_with_an_estimate(text, monkeypatch):
    monkeypatch.setattr("nta_beyond.progress.IN_A_LOG", 0.0)  # every step is shown
    monkeypatch.setattr("nta_beyond.text.corpus.CHUNK", 100)
    monkeypatch.setattr(text_command.Corpus.chunks, "__defaults__", (100,))
    said = _main("text", text, "--window", 4)[2]
    for pass_ in ("counting words", "collecting edges", "asking the tables"):
        assert re.search(rf"{pass_}: +\d\d?%.*\[\d\d:\d\d<\d\d:\d\d, ", said), pass_


def test_without_an_error_output_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar("nothing", total=1) as bar:
        assert bar.disable


# ---- standard input and pipes -------------------------------------------------------------------


def _without_time(printed):
    return re.sub(r"\n[\d.]+ s\n", "", printed)


def test_a_dash_reads_standard_input_and_a_named_pipe_is_read_too(text):
    whole = run([*NTA, "text", text, "--quiet"], capture_output=True, text=True, check=True)
    line = [*NTA, "text", "-", "--quiet"]
    piped = run(line, input=PRECIOUS, capture_output=True, text=True, check=True)
    assert _without_time(piped.stdout) == _without_time(whole.stdout)
    fifo = text.with_name("fifo")
    os.mkfifo(fifo)
    writer = subprocess.Popen(["cp", text, fifo])
    named = run([*NTA, "text", fifo, "--quiet"], capture_output=True, text=True, check=True)
    assert writer.wait() == 0
    assert _without_time(named.stdout) == _without_time(whole.stdout)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b"", "the file is empty"),
        (b"a\0b", "it holds zero bytes"),
        (b"caf\xe9 caf\xe9", "line 1 cannot be read as utf-8"),
        (b" \n", "it holds white space and no word"),
        (b"one two", "2 tokens are too few"),
    ],
)
def test_standard_input_is_called_by_its_name(given, words, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    line = [*NTA, "text", "-", "--quiet"]
    done = run(line, input=given, capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"nta: standard input: " + words.encode())
    assert not os.listdir(tmp_path)  # the copy is gone


def test_standard_input_that_fits_on_no_disk_is_a_sentence(tmp_path):
    line = [*NTA, "text", "-", "--quiet"]
    done = run(
        line,
        input=PRECIOUS,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_limited,
        env=_unmeasured() | {"TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 1
    assert re.match("nta: standard input: .* not be kept in .*: File too large", done.stderr)
    assert _is_one_sentence(done.stderr)
    assert not os.listdir(tmp_path)


def test_standard_input_that_is_closed_is_a_sentence():
    done = run(
        f"{sys.executable} -m nta_beyond text - <&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "nta: standard input: it is closed\n")


# ---- texts that nobody chose --------------------------------------------------------------------


def test_a_text_without_edges_is_a_sentence_and_no_nan(tmp_path):
    path, out = tmp_path / "a.txt", tmp_path / "graphs.parquet"
    path.write_text("a b c d e f")
    code, printed, said = _main("text", path, "--window", 2, "--out", out, "--quiet")
    assert code == 1
    assert "no window holds its next token, so there is no edge" in said
    assert _is_one_sentence(said)
    assert "tokens in the largest league  none" in printed
    assert "nan" not in printed
    assert not out.exists()


WORDS = st.lists(st.sampled_from(["a", "b", "c", ".", "\n", "é", "\u2028"]), max_size=30)


@settings(max_examples=150, deadline=None)
@given(
    content=st.binary(max_size=60) | WORDS.map(lambda words: " ".join(words).encode()),
    window=st.integers(1, 5),
    encoding=st.sampled_from(["utf-8", "latin-1", "ascii", "utf-16", "cp1252"]),
)
def test_any_file_gets_numbers_or_one_sentence(content, window, encoding):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        path.write_bytes(content)
        out = Path(folder) / "graphs.parquet"
        options = ("--window", window, "--encoding", encoding, "--quiet", "--out", out)
        code, printed, said = _main("text", path, *options)
        assert path.read_bytes() == content
        assert set(os.listdir(folder)) == ({"text", out.name} if code == 0 else {"text"})
    assert code in (0, 1)
    assert not re.search(r"\bnan\b|\binf\b", printed.partition("last token ")[0])
    assert said == "" if code == 0 else _is_one_sentence(said)


OPTIONS = st.sampled_from(
    ["text", "-", "--out", "--window", "--force", "--quiet", "--version", "-h", "--", "0", "3", ""]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(OPTIONS | st.text(max_size=8), max_size=6))
def test_any_line_gets_an_answer_or_a_sentence(tmp_path_factory, arguments):
    sys.stdin, before = io.TextIOWrapper(io.BytesIO(b"a b a b a c")), sys.stdin
    with contextlib.chdir(tmp_path_factory.mktemp("empty")):
        try:
            code, printed, said = _main(*arguments)
        finally:
            sys.stdin = before
    assert code in (0, 1, 2)
    assert "Traceback" not in said
    assert said if code else printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/dev/zero"], "neither a file nor a folder"),
        (["{folder}/" + "n" * 300], "File name too long"),
        (["{folder}/precious.txt/deeper.txt"], "no such file"),
        (["{folder}/precious.txt", "--encoding", "rot13"], "unknown"),
        (["{folder}/precious.txt", "--out", "{folder}/precious.txt/x"], "does not exist"),
        (["{folder}/precious.txt", "--out", "{folder}/" + "n" * 300], "File name too long"),
    ],
)
def test_impossible_files_get_a_sentence(text, arguments, words):
    filled = [part.format(folder=text.parent) for part in arguments]
    code, printed, said = _main("text", *filled, "--quiet")
    assert (code, printed) == (1, "")
    assert words in said
    assert _is_one_sentence(said)


def test_a_full_memory_is_a_sentence(text, monkeypatch):
    def too_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr(text_command, "read_edges", too_much)
    code, _, said = _main("text", text, "--quiet")
    assert code == 1
    assert said == "nta: the memory is full: keep fewer words, or choose a smaller window\n"


def test_a_count_of_many_digits_is_refused(text):
    code, _, said = _main("text", text, "--window", "9" * 5000)
    assert code == 2
    assert "at most 9 digits" in said
    assert len(said) < 1000


def test_a_word_that_the_terminal_cannot_show_is_shown_otherwise(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("é a é a é a é a", encoding="utf-8")
    line = [*NTA, "text", path, "--window", "2", "--quiet"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = run(line, capture_output=True, text=True, check=False, env=ascii_only)
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\xe9" in done.stdout


def test_the_exit_codes_are_documented():
    shown = _main("--help")[1]
    for code in (0, 1, 2, 129, 130, 141, 143):
        assert re.search(rf"\b{code}\b", shown.partition("exit codes")[2]), code
