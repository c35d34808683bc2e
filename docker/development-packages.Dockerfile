# The packages of all services and the documentation site. Development images (tools/skaffold/build-image.mjs) share these
# layers, which change only with a manifest or the lock file. The context is what `turbo prune --docker` selects.
ARG BUILD_IMAGE=docker.io/library/node:24-slim
ARG RUN_IMAGE=docker.io/library/node:24-slim

FROM ${BUILD_IMAGE} AS packages
WORKDIR /app
ENV NODE_ENV=production
COPY . ./
RUN npm ci --omit=dev --no-progress --no-update-notifier

FROM ${RUN_IMAGE}
ENV NODE_ENV=production
# The same as in docker/Dockerfile.
ENV NODE_OPTIONS=--max-semi-space-size=32
COPY --from=packages /app /app
# Any service's folder: the program that initiates MongoDB's replica set resolves packages from here.
WORKDIR /app/services/passportsvc
USER 10001:10001
ENTRYPOINT []
CMD ["node", "--version"]
