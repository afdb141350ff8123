from __future__ import annotations

import os
from pathlib import Path

import pytest

# Runs are forked (`runs.py`), and torch trains in no fork of a process that has trained beside a GPU.
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def models() -> Path:
    return Path(__file__).parents[2] / "models"
