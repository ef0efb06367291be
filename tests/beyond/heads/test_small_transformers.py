"""The networks of chapter 17 and what is measured of their heads, against other ways to compute it.

The text is the book's own grammar: the published corpus is not needed.
"""

import math

import numpy as np
import pytest
import torch
from scipy.special import softmax
from scipy.stats import pearsonr, spearmanr

from experiments import head_measures as measures
from experiments import heads_on_text, kept_heads
from experiments import small_transformers as networks
from nta_beyond.heads import Head, agreement
from nta_beyond.text import (
    Corpus,
    Vocabulary,
    Windows,
    fit_strengths,
    grammar_text,
    text_windows,
    window_edges,
)
from nta_book.results import RESULTS, stored_result

Shape, GAP, CONTEXT = networks.Shape, networks.GAP, networks.CONTEXT
BOOK = Shape(heads=1, copies=True, values=False, residual=False)
PLACES = Shape(layers=2, heads=2, positions=True, mlp=True)


@pytest.fixture(scope="module")
def text():
    learnt = Corpus.from_text(*(grammar_text(1_500, seed=seed) for seed in range(3)))
    unread = Corpus.from_text(grammar_text(1_000, seed=9))
    words = Vocabulary.of(learnt, 60)
    windows = text_windows(learnt, words, window=CONTEXT)
    found = window_edges(windows, words.names)
    return measures.Text(
        documents=[words.encode(tokens) for tokens in learnt.tokens()],
        unread=[words.encode(tokens) for tokens in unread.tokens()],
        names=words.names,
        windows=windows,
        found=found,
        strengths=fit_strengths(found, windows),
        some=windows,
        some_found=found,
        asked=text_windows(unread, words, window=CONTEXT),
    )


def untrained(shape, text, seed=0):
    network = networks.SmallTransformer(shape, text.K, seed=seed)
    with torch.no_grad():  # scores of some size, and a decoder that says something
        for parameter in network.parameters():
            parameter.mul_(3).add_(0.1 * torch.randn(parameter.shape))
    return network.eval()


def heads_of(network, text):
    return {
        (layer, number): measures.head_of(network, layer, number, text.names)
        for layer in range(network.shape.layers)
        for number in range(network.shape.heads)
    }


def some_contexts(text, count=20):
    tokens = networks.stretches(text.unread)[:count, :-1]
    assert (tokens == GAP).any()
    return tokens


# ---- the networks ---------------------------------------------------------------------------


def test_the_attention_of_a_first_layer_is_the_softmax_of_its_table(text):
    network, tokens = untrained(Shape(), text), some_contexts(text)
    with torch.no_grad():
        look = network.blocks[0].attention(network.inputs(tokens)[0], networks.visible(tokens))
    for number in range(4):
        head = measures.head_of(network, 0, number, text.names)
        for row, context in enumerate(tokens.numpy()):
            for place in (CONTEXT - 1, 11):
                if context[place] == GAP:
                    continue
                words = context[: place + 1]
                scores = head.window_scores(Windows(words[None], np.array([0])))[0]
                expected = softmax(scores)
                assert look[row, number, place, : place + 1].numpy() == pytest.approx(
                    expected, abs=1e-5
                )
                assert not look[row, number, place, place + 1 :].any()


def test_no_head_looks_at_a_gap_and_nothing_depends_on_it(text):
    network, tokens = untrained(PLACES, text), some_contexts(text)
    with torch.no_grad():
        for x, block in zip(network.inputs(tokens), network.blocks, strict=False):
            look = block.attention(x, networks.visible(tokens))
            gaps = (tokens == GAP)[:, None, None, :].expand_as(look)
            itself = torch.eye(CONTEXT, dtype=torch.bool).expand_as(look)
            assert not look[gaps & ~itself].any()
            assert torch.allclose(look.sum(dim=-1), torch.ones(()))


def test_the_books_layer_gives_a_word_its_attention(text):
    network, rows = untrained(BOOK, text), networks.stretches(text.unread)[:10]
    tokens, following = rows[:, :-1], rows[:, 1:]
    asked = network.answerable(tokens, following)
    with torch.no_grad():
        losses = network.losses(tokens, following, asked)
    head = measures.head_of(network, 0, 0, text.names)
    expected = []
    for context, label in zip(tokens.numpy(), following.numpy(), strict=True):
        for place in range(CONTEXT):
            words = context[: place + 1]
            if GAP in (words[-1], label[place]) or label[place] not in words:
                continue
            attention = softmax(head.window_scores(Windows(words[None], np.array([0])))[0])
            expected.append(-math.log(attention[words == label[place]].sum()))
    assert losses.numpy() == pytest.approx(expected, abs=1e-4)


def test_a_network_may_be_asked_only_for_words_in_sight(text):
    rows = networks.stretches(text.unread)[:10]
    tokens, following = rows[:, :-1], rows[:, 1:]
    book, every, seen = (
        networks.SmallTransformer(shape, text.K, seed=0).answerable(tokens, following)
        for shape in (BOOK, Shape(), Shape(in_sight=True))
    )
    assert torch.equal(seen, book)
    for row, place in (every & ~seen).nonzero().tolist():
        assert following[row, place] not in tokens[row, : place + 1]
    assert 0 < seen.sum() < every.sum()


@pytest.fixture
def one_thread():
    """Sums over several threads are not the same bit for bit."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("shape", [BOOK, PLACES])
def test_training_that_was_stopped_goes_on_as_if_it_had_not_been(
    shape, text, tmp_path, monkeypatch, one_thread
):
    monkeypatch.setattr(networks, "EVERY", 4)
    settings = {"seed": 3, "steps": 10}
    whole = networks.trained(shape, text.documents, text.K, folder=tmp_path / "a", **settings)
    loss, calls = networks.SmallTransformer.losses, []

    def stops(self, *args):
        calls.append(args)
        if len(calls) == 7:
            raise KeyboardInterrupt
        return loss(self, *args)

    monkeypatch.setattr(networks.SmallTransformer, "losses", stops)
    with pytest.raises(KeyboardInterrupt):
        networks.trained(shape, text.documents, text.K, folder=tmp_path / "b", **settings)
    again = networks.trained(shape, text.documents, text.K, folder=tmp_path / "b", **settings)
    assert len(calls) == 7 + 10 - 4  # from the checkpoint on
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    networks.trained(shape, text.documents, text.K, folder=tmp_path / "b", **settings)
    assert len(calls) == 13  # nothing is trained twice


def test_a_checkpoint_belongs_to_its_text_and_settings(text):
    def key(documents=text.documents, seed=0):
        return networks._key(BOOK, documents, text.K, seed, 5)

    changed = [document.copy() for document in text.documents]
    changed[1][7] = changed[1][7] + 1
    assert key() == key([document.copy() for document in text.documents])
    assert len({key(), key(changed), key(seed=1), key(text.documents[:-1])}) == 4


@pytest.fixture(scope="module")
def learnt(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints")
    return networks.trained(BOOK, text.documents, text.K, seed=0, steps=120, folder=folder)


def test_the_books_layer_learns_the_tables_of_its_text(learnt, text):
    head = measures.head_of(learnt, 0, 0, text.names)
    assert agreement(head, text.found).share > 0.9
    assert agreement(head.shuffled(0), text.found).share < 0.7
    uniform = measures.bits_of_counts(measures.followers(text.documents, text.K), text.unread)
    assert measures.bits(learnt, text.unread)["in_sight"] < uniform["in_sight"]["copying"] - 0.5


# ---- the measures ---------------------------------------------------------------------------


def centred_by_hand(head, network, layer, number, text):
    """Real and predicted scores, place by place, each less its mean over the words in sight."""
    tokens = networks.stretches(text.unread)[:, :-1]
    with torch.no_grad():
        scores = network.blocks[layer].scores(network.inputs(tokens)[layer])[:, number].numpy()
    real, guess = [], []
    for row, context in enumerate(tokens.numpy()):
        for place in range(measures.EARLIEST, CONTEXT):
            if context[place] == GAP:
                continue
            seen = [s for s in range(place + 1) if context[s] != GAP]
            one = scores[row, place, seen].astype(float)
            other = head.scores(int(context[place]))[context[seen]]
            real.append(one - one.mean())
            guess.append(other - other.mean())
    return np.concatenate(real), np.concatenate(guess)


def test_fits_are_squared_correlations(text):
    network = untrained(PLACES, text)
    heads = heads_of(network, text)
    done = measures.in_text(network, heads, text)
    for at in ((0, 1), (1, 0)):
        expected = pearsonr(*centred_by_hand(heads[at], network, *at, text)).statistic ** 2
        assert done[at]["fit_table"] == pytest.approx(expected, abs=1e-4)
        assert done[at]["fit_table"] < 0.99
        assert done[at]["fit_sum"] > max(done[at]["fit_table"], done[at]["fit_place"])
    assert done[0, 0]["fit_sum"] > 0.95  # words and places are all that a first layer reads


def test_without_places_the_first_table_is_exact(text):
    network = untrained(Shape(layers=2), text)
    done = measures.in_text(network, heads_of(network, text), text)
    assert min(done[0, number]["fit_table"] for number in range(4)) > 1 - 1e-6
    assert max(done[1, number]["fit_table"] for number in range(4)) < 0.999
    # the planted fault: another head's table does not pass
    wrong = heads_of(network, text)
    wrong[0, 0], wrong[0, 1] = wrong[0, 1], wrong[0, 0]
    assert measures.in_text(network, wrong, text)[0, 0]["fit_table"] < 0.9


def test_where_heads_look_is_counted_place_by_place(text):
    network = untrained(Shape(heads=1), text)
    found = measures.in_text(network, heads_of(network, text), text)[0, 0]
    tokens = networks.stretches(text.unread)[:, :-1]
    with torch.no_grad():
        look = network.blocks[0].attention(network.inputs(tokens)[0], networks.visible(tokens))
    itself, previous, behind, equal = [], [], [], []
    for row, context in enumerate(tokens.numpy()):
        for place in range(measures.EARLIEST, CONTEXT):
            if context[place] == GAP:
                continue
            weights = look[row, 0, place].numpy()
            itself.append(weights[place])
            previous.append(weights[place - 1])
            after = [
                s + 1
                for s in range(place)
                if context[s] == context[place] and context[s + 1] != GAP
            ]
            if after:
                behind.append(weights[after].sum())
                equal.append(len(after) / (context[: place + 1] != GAP).sum())
    assert found["on_itself"] == pytest.approx(np.mean(itself), abs=1e-5)
    assert found["on_previous"] == pytest.approx(np.mean(previous), abs=1e-5)
    assert found["behind_copies"] == pytest.approx(np.mean(behind) / np.mean(equal), abs=1e-4)


def test_kin_have_the_same_followers():
    a, b, c, d, e = range(5)
    counts = np.zeros((5, 5))
    counts[[a, b], d] = 3, 6  # a and b: always d
    counts[c, e] = 4
    table = measures.kinship(counts)
    assert table[a, b] == pytest.approx(1)
    assert table[a, c] == 0
    assert not table[d].any()  # nothing follows d: it is kin to nobody
    assert measures.followers([np.array([0, 1, GAP, 1, 0]), np.array([0, 1])], 2).tolist() == [
        [0, 2],
        [1, 0],
    ]


def test_rank_correlation_is_spearmans_without_the_last_token():
    rng = np.random.default_rng(0)
    scores, table = rng.normal(size=(3, 9)), rng.integers(0, 4, size=(3, 9)).astype(float)
    expected = [
        spearmanr(np.delete(scores[k], k), np.delete(table[k], k)).statistic for k in range(3)
    ]
    assert measures.rank_correlation(scores, table) == pytest.approx(np.mean(expected))
    assert measures.rank_correlation(np.zeros((3, 9)), table) == 0


def test_favourites_are_what_no_last_token_changes():
    same = np.tile(np.arange(6.0), (4, 1))
    assert measures.favourites(same + np.arange(4)[:, None]) == pytest.approx(1)
    assert measures.favourites(np.kron([[1.0], [-1.0]], np.arange(6.0))) == pytest.approx(0)
    assert measures.favourites(np.zeros((2, 6))) == 0


def test_bits_of_counts_add_up_place_by_place(text):
    counts = measures.followers(text.documents, text.K)
    found = measures.bits_of_counts(counts, text.unread)
    unigram = (counts.sum(axis=0) + 1) / (counts.sum() + text.K)
    bits, copies = [], []
    for row in networks.stretches(text.unread).numpy():
        for place in range(CONTEXT):
            last, following, seen = row[place], row[place + 1], row[: place + 1]
            if GAP in (last, following):
                continue
            total = counts[last].sum() + measures.ADDED
            chance = (counts[last, following] + measures.ADDED * unigram[following]) / total
            bits.append(-math.log2(chance))
            if following in seen:
                copies.append(-math.log2((seen == following).sum() / (seen != GAP).sum()))
    assert found["all"]["bigram"] == pytest.approx(np.mean(bits))
    assert found["all"]["places"] == len(bits)
    assert found["in_sight"]["copying"] == pytest.approx(np.mean(copies), abs=1e-6)


def test_a_head_that_writes_what_it_reads_copies(text):
    network = untrained(Shape(heads=1, values=False), text)
    with torch.no_grad():
        network.tokens.copy_(torch.eye(text.K, networks.WIDTH))
        network.decoder.copy_(network.tokens)
        assert measures.copying(network, 0, 0) == pytest.approx(1)
        network.decoder.zero_()
        assert measures.copying(network, 0, 0) == pytest.approx(0.5)  # all words alike


def test_what_is_said_after_one_word_is_the_output_at_the_first_place(text):
    network = untrained(PLACES, text)
    said = measures.after_one_word(network)
    tokens = torch.tensor([[5, 2, 7]])
    with torch.no_grad():
        logits = network.inputs(tokens)[-1] @ network.decoder.T + network.bias
    assert said[5] == pytest.approx(logits[0, 0].numpy(), rel=1e-4, abs=1e-2)
    head = measures.table_head(said, text.names)
    assert head.scores(5) == pytest.approx(said[5])


def test_the_table_after_a_word_counts_its_wins(text):
    last = text.names[0]
    table = measures.table_after(text, last)
    races = text.windows.races()
    for token, wins in zip(table["tokens"], table["wins"], strict=True):
        assert wins == ((races.lasts == 0) & (races.labels == token)).sum()
    assert list(table["level"]) == sorted(table["level"], reverse=True)
    assert set(table["tokens"]) == set(text.found.after(last).nodes)


def test_a_head_beside_the_tables_pair_by_pair(learnt, text, monkeypatch):
    monkeypatch.setattr(measures, "ASKED", 40)
    head = measures.head_of(learnt, 0, 0, text.names)
    kin = measures.kinship(measures.followers(text.documents, text.K))
    found = measures.beside_tables(head, text, kin)
    right = []
    for last in (name for k, name in enumerate(text.names[:40]) if text.found.races[k]):
        scores = head.scores(last)
        right += [scores[winner] > scores[loser] for winner, loser in text.found.after(last).strict]
    assert found["right"] == pytest.approx(np.mean(right))
    kin_of = [
        spearmanr(np.delete(head.scores(k), k), np.delete(kin[k], k)).statistic for k in range(40)
    ]
    assert found["kin"] == pytest.approx(np.nanmean(kin_of))
    assert found["right"] > 0.9 > 0.7 > found["right_renamed"]


@pytest.fixture
def on_toy_text(text, monkeypatch):
    """The experiment of chapter 17 on the toy text, with networks that nobody trained."""
    kin = measures.kinship(measures.followers(text.documents, text.K))
    for name, value in (("wikitext", text), ("kin", kin)):
        monkeypatch.setattr(heads_on_text, name, lambda value=value: value)
    monkeypatch.setattr(heads_on_text, "SHOWN", text.names[:3])
    monkeypatch.setattr(measures, "ASKED", 40)
    shapes = heads_on_text.SHAPES
    untaught = {shape: untrained(shapes[shape], text) for shape in heads_on_text.BRIEFLY}
    monkeypatch.setattr(heads_on_text, "network", lambda shape, *_: untaught[shape])
    return untaught


@pytest.mark.parametrize("shape", heads_on_text.BRIEFLY)
def test_cells_that_are_computed_again_hold_nothing_that_rounding_turns(shape, on_toy_text):
    """Two neighbours of a ranking change places when a weight moves by its last digit."""
    cells, again = heads_on_text.CELLS, heads_on_text.EXPERIMENT.spot
    assert {cells[cell]["steps"] for cell in again} == {0, heads_on_text.FEW}
    settings = {"shape": shape, "text": "as written", "seed": 0}
    few = heads_on_text.measure(**settings, steps=heads_on_text.FEW)
    for row in few["heads"]:
        exact = {key for key, value in row.items() if not isinstance(value, float)}
        assert exact <= {"layer", "head"}
    kept = heads_on_text.measure(**settings, steps=heads_on_text.STEPS)
    assert all(len(row["top"]) == 3 for row in kept["heads"])


# ---- what the book keeps --------------------------------------------------------------------


def test_heads_are_kept_in_the_layout_of_pytorch(text):
    network = untrained(Shape(), text)
    kept = kept_heads.tensors("net", network)
    for number in range(4):
        read = Head.from_state(
            kept,
            query="net.query.weight",
            key="net.key.weight",
            embedding="net.tokens.weight",
            head=number,
            heads=4,
        )
        exact = measures.head_of(network, 0, number, text.names).score_matrix()
        assert read.kind == "float16"
        assert read.score_matrix() == pytest.approx(exact, abs=0.02 * np.abs(exact).max())


def test_the_kept_heads_are_those_that_were_measured():
    stored = stored_result("heads_on_text")
    text = stored.one(shape="the text")
    file = RESULTS / "heads_on_text.safetensors"
    assert len(file.read_bytes()) < 300_000
    for name, shape, heads in (("book", "the book's layer", 1), ("transformer", "one layer", 4)):
        rows = stored.one(shape=shape, seed=0, steps=1500, text="as written")["heads"]
        for number, row in enumerate(rows):
            head = Head.from_safetensors(
                str(file),
                query=f"{name}.query.weight",
                key=f"{name}.key.weight",
                embedding=f"{name}.tokens.weight",
                head=number,
                heads=heads,
                names=text["names"],
                positions="none",
            )
            for last, top in zip(text["shown"], row["top"], strict=True):
                # half precision may swap neighbours at the edge of the list
                assert len(set(np.argsort(-head.scores(last))[: len(top)]) & set(top)) >= 11
