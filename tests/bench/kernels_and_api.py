"""Any attention: every kernel's exact values, and what people ask of the API."""

import subprocess
import sys
import tracemalloc

import numpy as np
from making import CONFIG, ROOT
from timing import at_most, seconds

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import best_probabilities
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.figures import spaced_multiples

DATA = CONFIG.any_attention.data


def kernels() -> None:
    """Every kernel at about 60 n up to 10^9 in three layers, one at one point, and memory."""
    data = DATA
    sizes = spaced_multiples(data.classes, 60, least=data.classes, most=1e9)
    every = [(kernel, layer) for kernel in KERNELS.values() for layer in LAYERS]
    took = seconds(lambda: [best_probabilities(*each, data, sizes) for each in every], 3)
    print("any attention, one core, at the own best threshold")
    print(f"  {len(every)} kernels in layers x {len(sizes)} n: {took:.2f} s {at_most(took, 3)}")
    slowest = max(
        seconds(lambda each=each: best_probabilities(*each, data, [2000])) for each in every
    )
    print(
        f"  one kernel at one point, the slowest of all: {1e3 * slowest:.1f} ms "
        f"{at_most(1e3 * slowest, 3)}"
    )
    for n in (2000, 10**12):
        tracemalloc.start()
        best_probabilities(KERNELS["hedgehog"], LAYERS[0], data, [n])
        print(f"  memory at n = {n:,}: {tracemalloc.get_traced_memory()[1] / 1e6:.2f} MB")
        tracemalloc.stop()


def api() -> None:
    """The API's questions: one kernel at one point, several at several n, and the first import."""
    print("API, one core")
    names = list(KERNELS)
    slowest = max(seconds(lambda name=name: asep.separate(name, n=2000)) for name in names)
    own = asep.features(lambda z: np.maximum(z, 0.0) ** 2)
    print(
        f"  separate, the slowest of {len(names)} kernels: {1e3 * slowest:.1f} ms "
        f"{at_most(1e3 * slowest, 3)}"
    )
    took = seconds(lambda: asep.separate(own, n=2000))
    print(f"  separate, a feature map of one's own: {1e3 * took:.1f} ms {at_most(1e3 * took, 3)}")
    margins = seconds(lambda: asep.separate("linear", n=2000).margin)
    print(f"  separate with its margin: {1e3 * margins:.1f} ms")
    sizes = spaced_multiples(DATA.classes, 50)
    took = seconds(lambda: asep.compare(names[:25], sizes), 3)
    print(f"  compare, 25 kernels at {len(sizes)} n: {took:.2f} s {at_most(took, 2)}")
    for code in ("import attention_separation", "import attention_separation as a; a.separate"):
        command = [sys.executable, "-c", code]
        took = seconds(lambda: subprocess.run(command, cwd=ROOT / "src", check=True))  # noqa: B023
        print(f"  python -c '{code}': {took:.2f} s {at_most(took, 0.4)}")
