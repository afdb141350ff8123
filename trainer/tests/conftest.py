import os

# Runs are forked (`runs.py`), and torch trains in no fork of a process that has trained beside a GPU.
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

torch.set_num_threads(1)
