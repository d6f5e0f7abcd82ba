"""The section `head_model` of the configuration: a model, its texts, contexts and probes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ...settings.faults import fault
from ...settings.strict_model import (
    Count,
    Distinct,
    Integer,
    Job,
    Name,
    Scaled,
    ScaleName,
    StrictModel,
    one_of,
)

RANDOM = "random"
"""The filler that is no text: tokens drawn at random."""

NEEDLE = "needle"
"""The sentence of needle probes, among the texts."""

TEXT = "text"
"""The filler that is any text."""

Text = Literal["topics", "docstrings", "source", "random"]
Context = Annotated[Integer, Field(ge=8, le=2**20)]
Token = Annotated[Integer, Field(ge=0, le=2**24)]
Depth = Annotated[float, Field(ge=0, le=0.95)]


def filler_of(text: str) -> str:
    """Of what the filler of a context is: text, or random tokens."""
    return RANDOM if text == RANDOM else TEXT


class PackagedModel(StrictModel):
    """A trained model that a package of Python carries, as a GGUF file."""

    package: Annotated[str, Field(pattern=r"^[a-z]\w*$")] = Field(
        description="name under which Python imports the package"
    )
    file: Annotated[str, Field(pattern=r"^[\w.-]+\.gguf$")] = Field(description="file in it")
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] = Field(
        description="of the file; another is refused"
    )
    first_token: Token = Field(description="token before every text")
    first_word: Token = Field(
        description="first token that is no sign of the model's own; random tokens begin there"
    )


class RandomModel(StrictModel):
    """A Llama of random weights, whose tokens are bytes: that everything works."""

    layers: Annotated[Count, Field(le=64)] = Field(description="layers")
    heads: Annotated[Count, Field(le=64)] = Field(description="heads of a layer")
    key_heads: Annotated[Count, Field(le=64)] = Field(description="heads of keys and values")
    head_dimension: Annotated[Integer, Field(ge=2, le=256, multiple_of=2)] = Field(
        description="dimension of a head"
    )
    vocabulary: Annotated[Integer, Field(ge=257, le=10**6)] = Field(
        description="tokens: 256 bytes, and others that are drawn at random"
    )

    @model_validator(mode="after")
    def _shares_key_heads(self) -> Self:
        if self.heads % self.key_heads:
            raise fault(f"has {self.heads} heads on {self.key_heads}; allowed: a multiple")
        return self


def _kind_of_model(value: Any) -> str:
    """The kind whose keys most of a mapping's are: a key may be missing, or mistyped."""
    if isinstance(value, PackagedModel):
        return "packaged"
    keys = set(value) if isinstance(value, dict) else set()
    packaged = len(keys & PackagedModel.model_fields.keys())
    random = len(keys & RandomModel.model_fields.keys())
    return "packaged" if packaged > random else "random"


if TYPE_CHECKING:
    AnyModel = PackagedModel | RandomModel
else:
    AnyModel = one_of({"packaged": PackagedModel, "random": RandomModel}, _kind_of_model)


class RepeatProbe(StrictModel):
    """Random tokens that come again: what induction heads find."""

    tokens: Annotated[Integer, Field(ge=2, le=1024)] = Field(
        description="random tokens, and as many queries"
    )
    distance: Annotated[Integer, Field(ge=4, le=10**5)] = Field(
        description="tokens from one of them to its repetition"
    )

    @model_validator(mode="after")
    def _does_not_overlap(self) -> Self:
        if self.distance < self.tokens:
            raise fault(
                f"repeats {self.tokens} tokens after {self.distance}; allowed: after "
                f"{self.tokens} or more"
            )
        return self


class NeedleProbe(StrictModel):
    """A sentence in a text that is said again at its end: what retrieval heads find."""

    context: Context = Field(description="tokens in all")
    depths: Distinct[Depth] = Field(
        description="where the sentence stands: 0 at the beginning of the text, 1 at its end"
    )


class Measured(StrictModel):
    """What is asked of every context that a model has run on."""

    least_share: Annotated[float, Field(ge=0, lt=1)] = Field(
        description="median weight of the target from which on a head is measured"
    )
    horizons: Distinct[Annotated[Integer, Field(ge=10**4, le=10**9)]] = Field(
        description="numbers of tokens, far beyond every context, at which weights are foretold"
    )


class TextsJob(Job):
    """What the tokens of all texts depend on beside the version of Python."""

    model: AnyModel
    texts: list[Text]
    tokens: Count
    seed: int


class ProbeJob(Job):
    """What the scores of one context depend on beside its text.

    `depth` is of a needle; without one, random tokens come again. Scores are kept of heads whose
    median share is `least_share` or more, of none if there is none.
    """

    name: Name
    model: AnyModel
    text: Text
    segment: Count
    segments: Count
    n: Context
    longest: Context
    repeat: RepeatProbe
    depth: float | None = None
    least_share: float | None = None
    seed: int


class TablesJob(Job):
    """What the tables of heads depend on beside what was caught."""

    cells: list[ProbeJob]
    horizons: list[int]


class HeadModelScale(StrictModel):
    """A size of this study."""

    model: AnyModel = Field(description="a packaged model, or one of random weights")
    texts: Distinct[Text] = Field(description="what stands in front of a probe")
    segments: Annotated[Count, Field(le=20)] = Field(description="probes in each text")
    contexts: Distinct[Context] = Field(description="tokens of a context, each of them run")
    repeat: RepeatProbe = Field(description="random tokens that come again")
    needle: NeedleProbe = Field(description="a sentence in each text")
    measured: Measured = Field(description="what is asked of every context")

    @model_validator(mode="after")
    def _has_room_for_probes(self) -> Self:
        least = self.repeat.distance + self.repeat.tokens + 1
        for n in self.contexts:
            if n < least:
                raise fault(
                    f"has a context of {n} tokens; allowed: {least} or more, as many as the probe"
                )
        return self

    @property
    def longest(self) -> int:
        """The longest context."""
        return max(self.contexts)

    def texts_job(self, seed: int) -> TextsJob:
        """The job of the tokens of all texts."""
        tokens = self.longest * self.segments
        return TextsJob(model=self.model, texts=self.texts, tokens=tokens, seed=seed)

    def cells(self, seed: int) -> Iterator[ProbeJob]:
        """A job for each text, segment and context, and for each needle."""
        for text in self.texts:
            for segment in range(1, self.segments + 1):
                for n in self.contexts:
                    yield self._repeat_job(text, segment, n, seed)
            for depth in self.needle.depths:
                yield self._needle_job(text, depth, seed)

    def _repeat_job(self, text: Text, segment: int, n: int, seed: int) -> ProbeJob:
        return ProbeJob(
            name=f"{text}_{segment}_{n}",
            model=self.model,
            text=text,
            segment=segment,
            segments=self.segments,
            n=n,
            longest=self.longest,
            repeat=self.repeat,
            least_share=self.measured.least_share,
            seed=seed,
        )

    def _needle_job(self, text: Text, depth: float, seed: int) -> ProbeJob:
        return ProbeJob(
            name=f"{NEEDLE}_{text}_{round(100 * depth)}",
            model=self.model,
            text=text,
            segment=1,
            segments=self.segments,
            n=self.needle.context,
            longest=self.longest,
            repeat=self.repeat,
            depth=depth,
            seed=seed,
        )


class HeadModelSection(Scaled):
    """Heads of a trained model, measured, and held against longer contexts."""

    scale: str = Field(
        description="which of its scales; every one but desk writes to results/head_model/SCALE"
    )
    scales: dict[ScaleName, HeadModelScale] = Field(description="sizes of this study")
