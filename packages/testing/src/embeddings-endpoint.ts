import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A real server that speaks OpenAI's /embeddings, with a small understanding of its own. */
export interface EmbeddingsEndpoint {
  url: string
  /** Every text it has embedded, in order. */
  texts: string[]
  /** Keys it was called with. */
  keys: Set<string>
  behaviour: 'answer' | 'fail' | 'hang'
  /** What it waits for before it answers. */
  beforeAnswer?: (texts: readonly string[]) => Promise<void>
  stop(): Promise<void>
}

const DIMENSIONS = 384

const concepts = [
  ['cat', 'feline', 'kitten'],
  ['sleeps', 'napping', 'dozing'],
  ['carpet', 'rug', 'mat'],
  ['invoice', 'bill', 'payment'],
  ['reboot', 'restart', 'power-cycle'],
]

const conceptOf = (word: string): string => concepts.find((names) => names.includes(word))?.[0] ?? word

/** The same numbers for the same seed. */
const numbersOf = (seed: string): number[] => {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16777619)
  return Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return state / 2 ** 31
  })
}

const toyVector = (text: string): number[] => {
  const sum = new Array<number>(DIMENSIONS).fill(0)
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().match(/[\p{L}-]+/gu) ?? []) {
    const concept = conceptOf(word)
    counts.set(concept, (counts.get(concept) ?? 0) + 1)
  }
  for (const [concept, count] of counts) {
    const numbers = numbersOf(concept)
    for (let at = 0; at < DIMENSIONS; at++) sum[at]! += count * numbers[at]!
  }
  return sum
}

export const startEmbeddingsEndpoint = async (): Promise<EmbeddingsEndpoint> => {
  const endpoint = { url: '', texts: [] as string[], keys: new Set<string>() } as EmbeddingsEndpoint
  endpoint.behaviour = 'answer'
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      endpoint.keys.add(request.headers.authorization ?? '')
      if (endpoint.behaviour === 'hang') return
      const { input } = JSON.parse(body) as { input: string[] }
      response.statusCode = endpoint.behaviour === 'fail' ? 503 : 200
      if (endpoint.behaviour === 'answer') endpoint.texts.push(...input)
      await endpoint.beforeAnswer?.(input)
      const data = input.map((text, index) => ({ index, embedding: toyVector(text) }))
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
    })
  })
  // It never closes a connection that the service is about to use.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  endpoint.stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return endpoint
}
