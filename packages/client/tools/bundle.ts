import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Bundles the client into one file, prints how large it is and fails where it is too large. */
const maxBytes = 12_000
const dist = new URL('../', import.meta.url)
const target = fileURLToPath(new URL('worklore-client.min.js', dist))

await build({
  entryPoints: [fileURLToPath(new URL('src/index.js', dist))],
  outfile: target,
  bundle: true,
  minify: true,
  format: 'esm',
  // Neither Node's modules nor its globals: anything of them in the bundle is an error here.
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
})

const bundle = readFileSync(target)
const gzippedBytes = gzipSync(bundle, { level: 9 }).length
console.log(
  `worklore-client: ${(bundle.length / 1000).toFixed(2)} kB minified, ${(gzippedBytes / 1000).toFixed(2)} kB gzipped (at most ${maxBytes / 1000} kB)`,
)
if (gzippedBytes >= maxBytes) process.exit(1)
