# Images of the development backends for machines without access to an image registry; charts/dev-backends uses public
# images by default. `npm run images -- --local` copies the programs that `npm start` uses into the build context.
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${BASE_IMAGE} AS mongodb
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4 libssl3 && rm -rf /var/lib/apt/lists/*
COPY mongod /usr/local/bin/mongod
USER 10001:10001
CMD ["mongod"]

FROM ${BASE_IMAGE} AS redis
COPY redis-server /usr/local/bin/redis-server
USER 10001:10001
CMD ["redis-server"]

FROM ${BASE_IMAGE} AS s3
COPY versitygw /usr/local/bin/versitygw
USER 10001:10001
CMD ["versitygw"]

FROM ${BASE_IMAGE} AS gateway
RUN apt-get update && apt-get install -y --no-install-recommends nginx-light && rm -rf /var/lib/apt/lists/*
USER 10001:10001
CMD ["nginx", "-g", "daemon off;"]
