"""
Runs llama.cpp's HTTP server: serve.py MODEL PORT [OPTION...]. Ends when its standard input does. Listens on HOST, or on loopback.
"""

import argparse
import os
import sys

import xllamacpp

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("port", type=int)
parser.add_argument("--embedding", action="store_true")
parser.add_argument("--adapter", action="append", default=[])
parser.add_argument("--parallel", type=int, default=2)
parser.add_argument("--context", type=int, default=8192, help="tokens of all slots together")
parser.add_argument("--threads", type=int, default=1)
options = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path = options.model
params.port = options.port
params.hostnames = [os.environ.get("HOST", "127.0.0.1")]
params.n_parallel = options.parallel
params.n_ctx = options.context
params.cpuparams.n_threads = options.threads
params.cpuparams_batch.n_threads = options.threads
params.use_jinja = True
if options.embedding:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_LAST
    params.n_ubatch = 2048
    params.n_batch = 2048
adapters = []
for path in options.adapter:
    adapter = xllamacpp.CommonAdapterLoraInfo()
    adapter.path, adapter.scale = path, 1.0
    adapters.append(adapter)
params.lora_adapters = adapters
server = xllamacpp.Server(params)
sys.stdin.read()
