# One image for every process: the server by default, any other command of the program by its name
# (`docker run ... fanfold doctor`). docs/guides/deploy.md says how to run it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
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
HEALTHCHECK --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 8787) + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["fanfold"]
CMD ["serve"]

# The server and what trains beside it: `docker build --target trainer`. Clusters train with Ray instead (docs/guides/ray.md).
FROM server AS trainer
USER root
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
ENV FANFOLD_VENV=/opt/trainer FANFOLD_TRAINING_PYTHON=/opt/trainer/bin/python
RUN sh /app/trainer/setup.sh
USER 10001:10001
