"""
Runs llama.cpp's HTTP server: serve.py MODEL PORT [embedding | ADAPTER...]. Ends when its standard input does. Listens on HOST, or
on loopback.
"""

import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.hostnames = [os.environ.get("HOST", "127.0.0.1")]
params.n_parallel = 2
params.n_ctx = 8192
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.use_jinja = True
if sys.argv[3:] == ["embedding"]:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_LAST
    params.n_ubatch = 2048
    params.n_batch = 2048
else:
    adapters = []
    for path in sys.argv[3:]:
        adapter = xllamacpp.CommonAdapterLoraInfo()
        adapter.path, adapter.scale = path, 1.0
        adapters.append(adapter)
    params.lora_adapters = adapters
server = xllamacpp.Server(params)
sys.stdin.read()
