import { recordPath } from './address.js'
import type { CallOptions, PostOptions } from './options.js'
import { repeatedly } from './repeatedly.js'
import { createInboxRecords, type InboxRecords, inboxPath } from './resources/inbox.js'
import { createQuestionRecords, type QuestionRecords } from './resources/questions.js'
import type { Transport } from './transport.js'
import type { InboxEntry, Question } from './types.gen.js'

export interface AnswerOptions extends PostOptions {
  /** Seconds to wait for the answer; unlimited by default. */
  waitSeconds?: number | undefined
}

export interface Questions extends QuestionRecords {
  /**
   * Waits until a question is answered or withdrawn, across lost connections and restarts of the service. After
   * `waitSeconds` it returns the question, which is then still `open`.
   */
  wait(id: string, options?: AnswerOptions): Promise<Question>
}

export interface Inbox extends InboxRecords {
  /**
   * Yields each unread entry once, oldest first, then each new entry. It reconnects after lost connections and restarts of
   * the service, until the caller stops reading.
   */
  watch(options?: CallOptions): AsyncGenerator<InboxEntry, void, undefined>
}

/** Longest wait that the service accepts in one request. */
const maxWaitSeconds = 30

export const createQuestions = (transport: Transport): Questions => {
  const records = createQuestionRecords(transport)
  return {
    ...records,
    wait: async (id, { waitSeconds = Infinity, ...options } = {}) => {
      const endMs = Date.now() + waitSeconds * 1_000
      const read = (leftMs: number): Promise<Question> => {
        const seconds = Math.min(Math.max(0, Math.ceil(leftMs / 1_000)), maxWaitSeconds)
        return records.get(id, { waitSeconds: seconds }, { ...options, maxRetries: 0 })
      }
      return repeatedly(transport, recordPath('questions', id), read, ({ state }) => state !== 'open', endMs, options)
    },
  }
}

export const createInbox = (transport: Transport): Inbox => {
  const records = createInboxRecords(transport)
  return {
    ...records,
    watch: async function* (options = {}) {
      let after: string | undefined
      const readNew = async (): Promise<InboxEntry[]> => {
        const fresh: InboxEntry[] = []
        const query = { limit: 100, waitSeconds: maxWaitSeconds, ...(after !== undefined && { after }) }
        for await (const entry of records.list(query, { ...options, maxRetries: 0 })) fresh.push(entry)
        return fresh.reverse()
      }
      for (;;) {
        const entries = await repeatedly(transport, inboxPath, readNew, ({ length }) => length > 0, Infinity, options)
        after = entries.at(-1)?.id
        yield* entries
      }
    },
  }
}
