import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, TestStore } from 'worklore-testing/engines'
import { send, testAdminKey } from 'worklore-testing/harness'
import { inLongRun, isTimedRun } from 'worklore-testing/long-run'
import { startProcess } from 'worklore-testing/real-process'
import { systemClock } from '../../src/base/clock.js'
import { openDb } from '../../src/db/open.js'
import { createTenant } from '../../src/tenancy/tenants/service.js'
import { hasProcessFigures, memoryOf, processorTimeOf } from './process-figures.js'
import { startLoad } from './run-load.js'

export interface Target {
  port: number
  baseUrl: string
  /** Of the hostile tenant. */
  key: string
}

export interface Load {
  name: string
  /** What the service may take in memory under it. */
  memoryCeilingBytes: number
  /** Settings of the service that the load needs. */
  environment?: Record<string, string>
  /** Records that the load needs, made before anything is measured. */
  prepare?(target: Target): Promise<void>
  /** Goes on until the signal; whatever it opened is closed when it returns. */
  run(target: Target, signal: AbortSignal): Promise<void>
}

interface Figures {
  idleP99Ms: number
  p99Ms: number
  gets: number
  failures: number
  memoryBeforeBytes: number
  memoryPeakBytes: number
  /** How many times longer the service's work took because other processes had the processors: 1 on a quiet machine. */
  slowdown: number
}

const idleMs = inLongRun(100, 1_000)
const pauseMs = 2
const sampleEveryMs = 50

const p99 = (durations: readonly number[]): number =>
  durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? Infinity

const slowdownMeter = (pid: number): (() => number) => {
  if (!hasProcessFigures) return () => 1
  const before = processorTimeOf(pid)
  return () => {
    const { ran, waited } = processorTimeOf(pid)
    return 1 + (waited - before.waited) / (ran - before.ran)
  }
}

/** The tenant beside; answers its key. */
const addTenant = async (store: TestStore): Promise<string> => {
  const db = await openDb(store)
  const { key } = await createTenant(db, systemClock, { name: 'Beside', plan: 'self-hosted' })
  await db.close()
  return key.secret
}

/** Runs a hostile load of one tenant while another one reads, and tells what the other saw. */
const measureBeside = async (engine: Engine, load: Load, loadMs: number): Promise<Figures> => {
  const store = await engine.createPreparedStore()
  const node = await startProcess(store, load.environment)
  try {
    const { baseUrl } = node
    const target = { baseUrl, port: Number(new URL(baseUrl).port), key: testAdminKey }
    await load.prepare?.(target)
    const key = await addTenant(store)
    await send(baseUrl, 'POST', '/v1/projects', { key, body: { key: 'ACME', name: 'Acme' } })
    await send(baseUrl, 'POST', '/v1/tasks', { key, body: { projectId: 'ACME', title: 'x' } })

    let failures = 0
    const timedGet = async (): Promise<number> => {
      const startedAt = performance.now()
      const answer = await send(baseUrl, 'GET', '/v1/tasks/ACME-1', { key }).catch(() => undefined)
      if (answer?.status !== 200) failures++
      await sleep(pauseMs)
      return performance.now() - startedAt - pauseMs
    }

    const idle: number[] = []
    for (const endMs = performance.now() + idleMs; performance.now() < endMs; ) idle.push(await timedGet())
    const memoryBeforeBytes = hasProcessFigures ? memoryOf(node.pid) : 0
    let memoryPeakBytes = memoryBeforeBytes
    const sampling = setInterval(() => {
      if (hasProcessFigures) memoryPeakBytes = Math.max(memoryPeakBytes, memoryOf(node.pid))
    }, sampleEveryMs)

    const slowdownSince = slowdownMeter(node.pid)
    const durations: number[] = []
    const running = await startLoad(load, target)
    const endMs = performance.now() + loadMs
    while (performance.now() < endMs) durations.push(await timedGet())
    await running.stop()
    // What the load left behind must not harm either.
    for (let at = 0; at < 50; at++) durations.push(await timedGet())
    clearInterval(sampling)
    const slowdown = slowdownSince()
    return {
      idleP99Ms: p99(idle),
      p99Ms: p99(durations),
      gets: durations.length,
      failures,
      memoryBeforeBytes,
      memoryPeakBytes,
      slowdown,
    }
  } finally {
    await node.end('SIGKILL')
    await store.remove()
  }
}

const describeFigures = (figures: Figures): string =>
  `${figures.gets} gets beside it, ${figures.failures} failed; p99 ${figures.p99Ms.toFixed(1)} ms, ` +
  `${figures.idleP99Ms.toFixed(1)} ms idle; memory ${Math.round(figures.memoryPeakBytes / 1e6)} MB at most, ` +
  `${Math.round(figures.memoryBeforeBytes / 1e6)} MB before; machine ${figures.slowdown.toFixed(1)} times slower than alone`

/** On a machine that is busier than that, times tell of the machine and not of the service. */
const maxSlowdown = 4

/** Whether the other tenant had to wait. Checked in `npm run test:timed` only, on a machine that does nothing else. */
const isSlowed = ({ p99Ms, idleP99Ms, slowdown }: Figures): boolean =>
  isTimedRun && slowdown <= maxSlowdown && p99Ms >= Math.max(5 * idleP99Ms, 100 * slowdown)

const isHarmed = (load: Load, figures: Figures): boolean =>
  figures.failures > 0 || isSlowed(figures) || figures.memoryPeakBytes >= load.memoryCeilingBytes

/** The rule: every get of the other tenant succeeds and stays fast, and the memory stays bounded. */
export const expectUnharmed = async (engine: Engine, load: Load, loadMs: number, attempts: number): Promise<string> => {
  for (let attempt = 1; ; attempt++) {
    const figures = await measureBeside(engine, load, loadMs)
    if (!isHarmed(load, figures)) return describeFigures(figures)
    // A machine that does something else meanwhile may harm once, but not again and again.
    if (attempt === attempts) assert.fail(describeFigures(figures))
  }
}
