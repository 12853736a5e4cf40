FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.base.json ./
COPY packages packages
COPY tools tools
RUN npm ci --ignore-scripts && npx tsc -b packages/server packages/client && npm run build:model && npm run bundle --workspace worklore && npm run build:console && npm prune --omit=dev --ignore-scripts && npm run prune:platforms

FROM node:22-bookworm-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 HOST=0.0.0.0 PORT=8787 WORKLORE_DATA=/data
WORKDIR /app
COPY --from=build /app /app
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||8787)+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--v8-pool-size=1", "packages/server/bin/worklore.js", "serve"]
