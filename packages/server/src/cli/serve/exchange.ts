/** A question has no text; the answer to it has the same id. */
interface Message {
  id: number
  text?: string
}

/** One end of the channel between the supervisor and a process. */
interface Peer {
  send(message: Message, onSent: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: Message) => void): unknown
}

/**
 * Answers what the peer asks for. The result asks the peer, and is undefined where that is gone or does not answer
 * in time.
 */
export const createExchange = (
  peer: Peer,
  maxWaitMs: number,
  answer: () => Promise<string>,
): (() => Promise<string | undefined>) => {
  const waiting = new Map<number, (text?: string) => void>()
  let lastId = 0
  const reply = (id: number, text: string): void => void peer.send({ id, text }, () => {})

  peer.on('message', ({ id, text }) => {
    if (text !== undefined) waiting.get(id)?.(text)
    else
      answer().then(
        (text) => reply(id, text),
        () => {},
      )
  })
  return () =>
    new Promise((resolve) => {
      const id = ++lastId
      const settle = (text?: string): void => {
        clearTimeout(timer)
        waiting.delete(id)
        resolve(text)
      }
      const timer = setTimeout(settle, maxWaitMs)
      waiting.set(id, settle)
      peer.send({ id }, (error) => error && settle())
    })
}
