# One service as it was compiled on the developer's machine, on top of the packages of all services. The context holds the
# program files of the service and of the libraries that it uses (tools/skaffold/build-image.mjs).
ARG PACKAGES
FROM ${PACKAGES}
ARG SERVICE
COPY . /app
WORKDIR /app/services/${SERVICE}
EXPOSE 8080 9090
CMD ["node", "--enable-source-maps", "dist/main.js"]
