import type { Token } from 'marked'
import { createContext } from 'react'
import type { CodeRequest } from './code-part'
import workerUrl from './lexer-worker?worker&url'

/** Texts that take longer are shown as plain text. Lexing can take quadratic time, and other texts wait meanwhile. */
const maxLexMs = 2_000
/** Longer texts are shown as plain text: laying out megabytes of elements would stop the page. */
const maxTextLength = 300_000

/** What a text consists of; null where it is to be shown as plain text. */
export type Lexed = readonly Token[] | null

interface MarkdownLexer {
  /** Lexes a text, or highlights a code. Resolves with undefined where the signal ended it first. */
  ask(work: string | CodeRequest, signal: AbortSignal): Promise<unknown>
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The page's Content-Security-Policy lets this one policy alone name scripts, and it knows one. */
const createWorkerFactory = (): (() => Worker) => {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const url = trustedTypes
    ? trustedTypes.createPolicy('worklore-worker', { createScriptURL: () => workerUrl }).createScriptURL('')
    : workerUrl
  return () => new Worker(url, { type: 'module' })
}

/** Next message of a worker; undefined where it fails or takes too long. */
const answerOf = (worker: Worker, timeoutMs: number): Promise<unknown> =>
  new Promise((resolve) => {
    const end = new AbortController()
    const settle = (answer: unknown): void => {
      end.abort()
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = setTimeout(() => settle(undefined), timeoutMs)
    worker.addEventListener('message', ({ data }) => settle(data), end)
    worker.addEventListener('error', () => settle(undefined), end)
  })

/** A worker's script may come over a slow connection. */
const maxStartMs = 30_000

/** Lexes Markdown in a worker, one text at a time, and replaces the worker where a text takes too long. */
export const createMarkdownLexer = (): MarkdownLexer => {
  const createWorker = createWorkerFactory()
  let started: Promise<Worker | undefined> | undefined
  let last: Promise<unknown> = Promise.resolve()

  const start = async (): Promise<Worker | undefined> => {
    const worker = createWorker()
    if ((await answerOf(worker, maxStartMs)) === 'ready') return worker
    worker.terminate()
    return undefined
  }

  const askNow = async (work: string | CodeRequest): Promise<unknown> => {
    started ??= start()
    const worker = await started
    worker?.postMessage(work)
    const answer = worker && (await answerOf(worker, maxLexMs))
    if (answer !== undefined) return answer
    worker?.terminate()
    started = undefined
    return null
  }

  return {
    ask: (work, signal) => {
      if (typeof work === 'string' && work.length > maxTextLength) return Promise.resolve(null)
      const answer = last.then(() => (signal.aborted ? undefined : askNow(work)))
      last = answer
      return answer
    },
  }
}

export const MarkdownLexerContext = createContext<MarkdownLexer | null>(null)
