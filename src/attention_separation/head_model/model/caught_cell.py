"""One context: the model runs on a probe, and scores of its last queries are caught."""

from pathlib import Path

import numpy as np
from scipy.special import softmax

from ...results.provenance import record
from ...results.tables import write_parquet
from ..cells import CaughtHead, cell_table
from ..probes import Probe, probe_of
from ..settings.section import ProbeJob
from ..words import read_words
from .loading import load_model


def caught_heads(layers: list[np.ndarray], probe: Probe, job: ProbeJob) -> list[CaughtHead]:
    """Returns every head with each kind of target of a probe.

    `layers` are scores, (heads, Q, n) each. They are kept with the first kind of target alone, of
    heads whose median share is large enough.
    """
    heads = []
    first_kind = next(iter(probe.targets))
    rows = np.arange(len(probe.queries))
    for layer, scores_by_head in enumerate(layers):
        for head, scores in enumerate(scores_by_head):
            weights = softmax(scores.astype(np.float64), axis=1)
            for kind, targets in probe.targets.items():
                shares = weights[rows, targets]
                is_kept = (
                    kind == first_kind
                    and job.least_share is not None
                    and np.median(shares) >= job.least_share
                )
                heads.append(
                    CaughtHead(
                        target=kind,
                        layer=layer,
                        head=head,
                        queries=probe.queries,
                        keys=targets,
                        shares=shares,
                        scores=scores if is_kept else None,
                    )
                )
    return heads


def run(job: ProbeJob, texts: Path, output: Path) -> None:
    # PyTorch and transformers: where they are missing, a job that begins says so.
    from ...head.catching import catch_scores

    probe = probe_of(job, read_words(texts))
    caught = catch_scores(load_model(job.model, job.seed), probe.tokens, probe.queries.tolist())
    if caught.sinks is not None:
        raise ValueError("the model has sinks that are no tokens; allowed: models without")
    heads = caught_heads(caught.layers, probe, job)
    write_parquet(cell_table(heads), output, record(job.canonical(), __name__))
