"""What sampled bridging says of itself, beside the exact scores of networkx."""

import networkx as nx
import numpy as np
import pytest
from graph_harness import chain, net_of

from glassmind.links import ranks
from glassmind.links.graph import Floats
from glassmind.links.ranks import bridging

NOTES, GRAPHS, BEST = 150, 20, 3


def deviations(seed: int) -> tuple[Floats, float]:
    """Return how far the best notes' scores are off, and the most any note's is.

    In stated errors. The graph has a few notes that most ways lead through, so that
    the best ones are also those whose scores the drawn roots sway most.
    """
    graph = nx.barabasi_albert_graph(NOTES, 2, seed=seed)
    exact = nx.betweenness_centrality(graph, normalized=False)
    pairs = NOTES * (NOTES - 1) / 2
    scores = np.array([exact[note] / pairs for note in range(NOTES)])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ranks, "SEED", seed)
        found = bridging(net_of(graph.edges, NOTES), most_work=30_000)
    assert 64 <= found.samples < NOTES
    off = np.abs(scores - found.scores) / found.error
    return off[np.argsort(-scores)[:BEST]], float(off.max())


def test_sampled_bridging_is_as_near_as_it_says_and_says_no_more() -> None:
    found = [deviations(seed) for seed in range(GRAPHS)]

    best = np.concatenate([off for off, _ in found])
    assert (best <= 1.0).mean() >= 0.9
    assert (best <= 0.5).mean() < 0.9, "half the stated error would do"
    assert all(most > 0.2 for _, most in found), "five times what any note is off by"


def test_what_bridges_most_is_among_the_first_of_a_sample() -> None:
    chance = np.random.default_rng(3)
    ends = chance.integers(0, 600, (900, 2)).tolist()
    net = net_of([*chain(600), *((a, b) for a, b in ends)])

    exact, sampled = bridging(net), bridging(net, most_work=200_000)

    assert (exact.error, exact.samples) == (0.0, 600)
    assert 64 <= sampled.samples < 200
    assert 0 < sampled.error < 0.02
    assert exact.scores.argmax() in np.argsort(-sampled.scores)[:5]


def test_a_single_root_says_nothing_of_the_others() -> None:
    found = bridging(net_of(chain(400)), most_work=1)

    assert (found.samples, found.error) == (1, 1.0)


def test_scores_are_never_said_to_be_off_by_more_than_all_there_is() -> None:
    found = bridging(net_of(chain(400)), most_work=3_000)

    assert found.samples == 2
    assert found.error <= 1.0


def test_bridging_in_a_long_chain_is_bounded_by_its_rings_too() -> None:
    net = net_of(chain(2_000))

    found = bridging(net, most_work=8_000_000)

    assert found.samples == 1_000  # by nodes and links alone it would be 1,500
    assert 0 < found.error < 0.02
    assert abs(found.scores[1_000] - 0.5) < found.error
