"""What makes tokens of texts, for a model of random weights: nothing is to be installed."""

from attention_separation.head_model.model.loading import encoder
from attention_separation.head_model.settings.section import RandomModel


def test_the_tokens_of_a_random_model_are_bytes():
    model = RandomModel(layers=1, heads=2, key_heads=1, head_dimension=8, vocabulary=1024)
    encoded, vocabulary = encoder(model)
    assert encoded("aé").tolist() == [97, 195, 169]
    assert vocabulary == 1024
