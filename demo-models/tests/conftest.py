from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def models() -> Path:
    return Path(__file__).parents[2] / "models"
