# SPDX-License-Identifier: Apache-2.0
import pytest

from system import Trouble, arguments
from system.arguments import Option

OPTIONS = (
    Option("MEM", "memory", "256M", arguments.memory),
    Option("CARD", "card", "rtl", arguments.one_of("rtl", "model")),
    Option("SMP", "processors", "1", arguments.positive),
    Option("FILES", "files", "", arguments.paths),
    Option("RUN", "script"),
    Option("IOMMU", "iommu", "0", arguments.yes_or_no),
)


def test_arguments_defaults_also_for_empty_values():
    expected = {"MEM": 256, "CARD": "rtl", "SMP": 1, "FILES": (), "RUN": None, "IOMMU": False}
    assert arguments.parse([], OPTIONS) == expected
    assert arguments.parse(["MEM=", "CARD= ", "FILES=", "RUN="], OPTIONS) == expected


def test_arguments_values():
    values = arguments.parse(["MEM=1G", "CARD=model", "SMP=4", "FILES=a  b", "RUN=x=y", "IOMMU=1"], OPTIONS)
    assert arguments.parse(["MEM=96M"], OPTIONS)["MEM"] == 96
    assert values == {"MEM": 1024, "CARD": "model", "SMP": 4, "FILES": ("a", "b"), "RUN": "x=y", "IOMMU": True}


@pytest.mark.parametrize(
    "word",
    ["MEM=256", "MEM=M", "MEM=-1M", "MEM=10M", "MEM=95M", "MEM=1T", "MEM=256MB", "CARD=RTL", "SMP=0", "SMP=1.5", "SMP=x", "IOMMU=yes", "BOGUS=1", "MEM", "--bogus"],
)
def test_arguments_refuses(word):
    with pytest.raises(Trouble) as caught:
        arguments.parse([word], OPTIONS)
    assert word.split("=")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_arguments_usage_names_every_option_and_default():
    text = arguments.usage("program", "Does it.", OPTIONS)
    for option in OPTIONS:
        assert f"  {option.name}=" in text
    assert "(default 256M)" in text
