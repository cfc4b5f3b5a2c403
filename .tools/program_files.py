# SPDX-License-Identifier: Apache-2.0
"""Programs of the tree whose names end in no .py, as modules."""
import importlib.machinery
import importlib.util


def loaded(path):
    """The module that the program is; it does not run."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
