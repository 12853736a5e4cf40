import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minilmModel } from './minilm-model.js'
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

type Minilm = (text: string) => Promise<Float32Array>

const importRuntime = async (): Promise<Ort> => {
  const name = 'onnxruntime-node'
  try {
    return ((await import(name)) as { default: Ort }).default
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`onnxruntime-node cannot be loaded on ${process.platform}-${process.arch}: ${reason}`)
  }
}

const readModelFile = (path: string): Promise<Buffer> =>
  readFile(path).catch((error) => {
    throw new Error(`The embedding model is not built: run "npm run build" (${error.message})`)
  })

/** Numbers by token. */
export const readVocabulary = async (folder: string): Promise<Map<string, number>> => {
  const tokens = (await readModelFile(join(folder, minilmModel.vocabularyFile))).toString('utf8').split('\n')
  return new Map(tokens.map((token, id) => [token, id]))
}

/** A shorter text, such as a query, costs less on one thread than the others take to wake. */
const MIN_SHARED_TOKENS = 64

/** Loads the model into this thread, which every call then keeps busy until its answer is there. */
export const loadMinilm = async (threads: number): Promise<Minilm> => {
  const { folder, graphFile, maxTokens } = minilmModel
  const ort = await importRuntime()
  const tokenizer = createTokenizer(await readVocabulary(folder))
  const graph = await readModelFile(join(folder, graphFile))
  const createSession = (intraOpNumThreads: number) =>
    ort.InferenceSession.create(graph, {
      intraOpNumThreads,
      interOpNumThreads: 1,
      // The command gives freed blocks back to the system at once (MALLOC_MMAP_THRESHOLD_): without the arena, every
      // value between two operators is mapped and unmapped, which doubles the cost of a text. It takes 15 MB.
      enableCpuMemArena: true,
      enableMemPattern: false,
    })
  const single = await createSession(1)
  const shared = threads > 1 ? await createSession(threads) : single
  return async (text) => {
    const ids = Int32Array.from(tokenizer.encode(text, maxTokens))
    const session = ids.length < MIN_SHARED_TOKENS ? single : shared
    const { vector } = await session.run({ ids: new ort.Tensor('int32', ids, [1, ids.length]) })
    return vector!.data
  }
}
