import type { Value } from '../port.js'

type Row = Record<string, unknown>
type Send = (text: string, params: readonly Value[]) => Promise<Row | undefined>

interface Waiting {
  text: string
  params: readonly Value[]
  row: Promise<Row | undefined>
  settle(row: Promise<Row | undefined>): void
}

/**
 * Sends lookups that are the same once for all who ask in one turn of the event loop, as those who read lists of one
 * project do. None is sent before the turn ends, so that each sees what was committed before it was asked for.
 */
export const createSharedLookups = (send: Send): Send => {
  let waiting = new Map<string, Waiting>()

  const sendAll = (): void => {
    const due = waiting
    waiting = new Map()
    for (const { text, params, settle } of due.values()) settle(send(text, params))
  }

  const add = (name: string, text: string, params: readonly Value[]): Waiting => {
    if (waiting.size === 0) setImmediate(sendAll)
    let settle: Waiting['settle'] = () => {}
    const row = new Promise<Row | undefined>((resolve) => {
      settle = resolve
    })
    const added = { text, params, row, settle }
    waiting.set(name, added)
    return added
  }

  return (text, params) => {
    const name = `${JSON.stringify(params)} ${text}`
    return (waiting.get(name) ?? add(name, text, params)).row
  }
}
