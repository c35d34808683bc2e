# One service, or the documentation site, as it was compiled on the developer's machine, on top of the packages of all of them.
# The context holds its program files and those of the libraries that it uses (tools/skaffold/build-image.mjs).
ARG PACKAGES
FROM ${PACKAGES}
ARG SERVICE
ARG FOLDER=services
COPY . /app
WORKDIR /app/${FOLDER}/${SERVICE}
EXPOSE 8080 9090
CMD ["node", "--enable-source-maps", "dist/main.js"]
