/** Somebody waits for a query; a background text waits for every query. */
export type EmbeddingPriority = 'query' | 'background'

export interface Embedder {
  /** Vectors of different models cannot be compared: keep it beside them. */
  readonly model: string
  /** Texts of scripts that it cannot read are left to the words. */
  readonly isEnglishOnly: boolean
  /** Stems of the words in its vocabulary, where that is English. */
  readStems?(): Promise<ReadonlySet<string>>
  /** How many texts it embeds at once; more are divided into batches. */
  readonly batchSize: number
  /** Unknown until a remote model has answered once. */
  readonly dimensions: number | undefined
  /** One unit vector a text, in their order. Rejects with a reason that may be shown to an operator. */
  embed(texts: string[], priority?: EmbeddingPriority): Promise<Float32Array[]>
  close(): Promise<void>
}
