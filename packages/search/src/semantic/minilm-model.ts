import { fileURLToPath } from 'node:url'

/** all-MiniLM-L6-v2, named by the hash of its weights. Its files are written when the package is built. */
export const minilmModel = {
  name: 'all-MiniLM-L6-v2@6638f625a0a6',
  dimensions: 384,
  maxTokens: 256,
  folder: fileURLToPath(new URL('../../model/', import.meta.url)),
  graphFile: 'minilm.onnx',
  /** One token a line, in the order of their numbers. */
  vocabularyFile: 'vocabulary.txt',
} as const
