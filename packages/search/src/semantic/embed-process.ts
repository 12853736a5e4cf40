import { loadMinilm } from './minilm.js'

export type EmbedAnswer =
  | { state: 'ready' }
  | { state: 'failed'; reason: string }
  | { state: 'done'; vector: Float32Array }
  | { state: 'refused'; reason: string }

const [threads = '1'] = process.argv.slice(2)
const answer = (message: EmbedAnswer) => process.send?.(message)
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

// The service stops us; a Ctrl-C in its terminal reaches us too, and comes too early while it drains.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())

try {
  const minilm = await loadMinilm(Number(threads))
  process.on('message', async (text: string) => {
    try {
      answer({ state: 'done', vector: await minilm(text) })
    } catch (error) {
      answer({ state: 'refused', reason: reasonOf(error) })
    }
  })
  answer({ state: 'ready' })
} catch (error) {
  answer({ state: 'failed', reason: reasonOf(error) })
}
