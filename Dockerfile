# One image for every process: the server by default, any other command of the program by its name
# (`docker run ... fanfold doctor`). docs/guides/deploy.md says how to run it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
# What only tests need stays out, and so does the packaged Node: the image has its own.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-*
# llama.cpp with CUDA or Vulkan is 600 MB; `--build-arg GPU=keep` keeps it.
ARG GPU=drop
RUN if [ "$GPU" = drop ]; then rm -rf node_modules/@node-llama-cpp/*-cuda* node_modules/@node-llama-cpp/*-vulkan*; fi
COPY . .
RUN node src/main.ts prepare

FROM ${NODE_IMAGE} AS server
ENV NODE_ENV=production HOST=0.0.0.0 FANFOLD_DATA_DIR=/data HOME=/data
RUN groupadd --gid 10001 fanfold && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home fanfold \
 && mkdir /data && chown fanfold:fanfold /data
COPY --from=build /app /app
RUN ln -s /app/deploy/fanfold /usr/local/bin/fanfold
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
# The first start of a release brings the database up to it, which takes its time where tables are large.
HEALTHCHECK --interval=10s --start-period=30m CMD ["node", "/app/deploy/healthy.mjs"]
ENTRYPOINT ["fanfold"]
CMD ["serve"]

# The server and what trains beside it: `docker build --target trainer`. Clusters train with Ray instead (docs/guides/ray.md).
FROM server AS trainer
USER root
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
ENV FANFOLD_VENV=/opt/trainer FANFOLD_TRAINING_PYTHON=/opt/trainer/bin/python
ARG GPU=drop
# No GPU is seen while an image is built: the argument says which build of torch is wanted.
RUN TORCH_BUILD=$([ "$GPU" = drop ] && echo cpu || echo gpu) HOME=/tmp PIP_NO_CACHE_DIR=1 sh /app/trainer/setup.sh
USER 10001:10001

# What is built when nobody names a target.
FROM server
