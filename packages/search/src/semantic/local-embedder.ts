import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { stemOf } from '../text/porter2.js'
import type { EmbedAnswer } from './embed-process.js'
import type { Embedder, EmbeddingPriority } from './embedder.js'
import { readVocabulary } from './minilm.js'
import { minilmModel } from './minilm-model.js'

interface LocalEmbedderOptions {
  threads?: number
  /** How long a model that could not be loaded is left alone. */
  retryAfterMs?: number
  /** How long the process is kept without a text to embed: it takes 0.3 s and 130 MB to have it. */
  idleMs?: number
  /** How long the process may take to load the model, or to embed one text, before it is replaced. */
  maxAnswerMs?: number
}

interface Job {
  text: string
  resolve(vector: Float32Array): void
  reject(error: Error): void
}

const WORD = /^[a-z]+$/

const readStems = async (): Promise<ReadonlySet<string>> => {
  const vocabulary = await readVocabulary(minilmModel.folder)
  return new Set([...vocabulary.keys()].filter((token) => WORD.test(token)).map(stemOf))
}

const PROGRAM = new URL('./embed-process.js', import.meta.url)

/**
 * all-MiniLM-L6-v2 in a process of its own, started by the first text. Not a thread: the runtime can be loaded once in
 * a process only, and what goes wrong in native code should not end the service.
 */
export const createLocalEmbedder = (options: LocalEmbedderOptions = {}): Embedder => {
  const { threads = 1, retryAfterMs = 60_000, idleMs = 600_000, maxAnswerMs = 120_000 } = options
  const waiting: Record<EmbeddingPriority, Job[]> = { query: [], background: [] }
  let child: ChildProcess | undefined
  let isReady = false
  let current: Job | undefined
  let failure: { reason: string; until: number } | undefined
  let idle: NodeJS.Timeout | undefined
  let watchdog: NodeJS.Timeout | undefined
  let isClosed = false
  let stems: Promise<ReadonlySet<string>> | undefined

  const release = (): ChildProcess | undefined => {
    const released = child
    child = undefined
    isReady = false
    clearTimeout(idle)
    clearTimeout(watchdog)
    return released
  }

  const rejectAll = (reason: string): void => {
    const jobs = [...(current ? [current] : []), ...waiting.query.splice(0), ...waiting.background.splice(0)]
    current = undefined
    for (const job of jobs) job.reject(new Error(reason))
  }

  const fail = (reason: string): void => {
    failure = { reason, until: Date.now() + retryAfterMs }
    release()?.kill('SIGKILL')
    rejectAll(reason)
  }

  const expectAnswer = (): void => {
    clearTimeout(watchdog)
    watchdog = setTimeout(onHang, maxAnswerMs).unref()
  }

  /** Gives up the text that the process hangs on, so that the texts behind it are embedded by another process. */
  const onHang = (): void => {
    if (!current) {
      fail(`the embedding process did not start within ${maxAnswerMs} ms`)
      return
    }
    release()?.kill('SIGKILL')
    settle({ state: 'refused', reason: `the model did not embed a text within ${maxAnswerMs} ms` })
    if (waiting.query.length + waiting.background.length > 0) start()
  }

  // One text at a time is with the process, so that a query waits for one text at most.
  const next = (): void => {
    if (!isReady || current) return
    clearTimeout(idle)
    current = waiting.query.shift() ?? waiting.background.shift()
    if (current) {
      holdOpen(true)
      expectAnswer()
      child!.send(current.text)
    } else {
      holdOpen(false)
      idle = setTimeout(() => release()?.disconnect(), idleMs).unref()
    }
  }

  /** Only a process that works keeps the service from ending by itself. */
  const holdOpen = (isBusy: boolean): void => {
    const change = isBusy ? 'ref' : 'unref'
    child![change]()
    child!.channel?.[change]()
  }

  const settle = (message: EmbedAnswer): void => {
    const job = current
    current = undefined
    if (message.state === 'done') job?.resolve(message.vector)
    else job?.reject(new Error('reason' in message ? message.reason : 'no answer'))
  }

  const receive = (message: EmbedAnswer): void => {
    clearTimeout(watchdog)
    if (message.state === 'failed') {
      fail(message.reason)
      return
    }
    if (message.state === 'ready') isReady = true
    else settle(message)
    next()
  }

  const start = (): void => {
    const started = fork(PROGRAM, [String(threads)], {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ifCurrent = (then: () => void) => {
      if (child === started) then()
    }
    started.on('message', (message: EmbedAnswer) => ifCurrent(() => receive(message)))
    started.on('error', (error) => ifCurrent(() => fail(`the embedding process failed: ${error.message}`)))
    started.on('exit', (code, signal) => ifCurrent(() => fail(`the embedding process ended by ${signal ?? code}`)))
    child = started
    expectAnswer()
  }

  const enqueue = (text: string, priority: EmbeddingPriority): Promise<Float32Array> => {
    return new Promise((resolve, reject) => waiting[priority].push({ text, resolve, reject }))
  }

  return {
    model: minilmModel.name,
    isEnglishOnly: true,
    batchSize: 1,
    readStems: () => {
      stems ??= readStems()
      return stems
    },
    dimensions: minilmModel.dimensions,
    async embed(texts, priority = 'background') {
      if (isClosed) throw new Error('the embedder is closed')
      if (texts.length === 0) return []
      if (failure && Date.now() < failure.until) throw new Error(failure.reason)
      failure = undefined
      const vectors = Promise.all(texts.map((text) => enqueue(text, priority)))
      if (!child) start()
      next()
      return vectors
    },
    async close() {
      isClosed = true
      const ending = release()
      rejectAll('the embedder is closed')
      if (!ending || ending.exitCode !== null) return
      const ended = once(ending, 'exit')
      ending.ref()
      ending.kill('SIGKILL')
      await ended
    },
  }
}
