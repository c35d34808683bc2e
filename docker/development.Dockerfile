# One service, or the documentation site, compiled on the developer's machine, on top of the shared packages.
# The context contains its program files and those of its libraries (tools/skaffold/build-image.mjs).
ARG PACKAGES
FROM ${PACKAGES}
ARG SERVICE
ARG FOLDER=services
COPY . /app
WORKDIR /app/${FOLDER}/${SERVICE}
EXPOSE 8080 9090
CMD ["node", "--enable-source-maps", "dist/main.js"]
