import { setTimeout as pause } from 'node:timers/promises'
import { Worklore, type WorkloreOptions } from 'worklore-client'
import {
  type Cli,
  CommandError,
  command,
  exitConflict,
  exitDone,
  exitInterrupted,
  exitUnavailable,
  exitUsage,
  runCommand,
  version,
} from '#command-line'
import { type Arguments, options, readArguments } from './arguments.js'
import { type Bridge, createBridge } from './bridge.js'
import { failureOf } from './failure.js'
import { createGitHub } from './github/client.js'
import { createReport, type PrintedReport, summaryOf } from './printed-report.js'
import { createWatch } from './watch.js'
import { startWebhookServer } from './webhook.js'

/** Long work waits for limits to open again, and some 12 s for a server that restarts. */
const patience = { maxRetries: 6, maxWaitMs: 3_700_000 }
/** Below this nobody wonders. */
const minNotedMs = 3_000
/** GitHub asks for a second between two writes. */
const writeSpacingMs = 1_000
const settleMs = 15_000
const leaseMs = 120_000
/** Renewing the lease is a write of knowledge, of which a plan allows 60 an hour. */
const watchLeaseMs = 300_000
const maxHeldPauseMs = 5_000
const watchRetryMs = 10_000

const printSummary = (
  report: PrintedReport,
  { isJson, isDryRun }: { isJson: boolean; isDryRun: boolean },
  isInterrupted = false,
): void => {
  const counts = report.counts()
  const { actions: summary, refused, outstanding } = counts
  const told = { summary, refused, outstanding, ...(isInterrupted && { interrupted: true }) }
  process.stdout.write(`${isJson ? JSON.stringify(told) : summaryOf(counts, isDryRun, isInterrupted)}\n`)
}

/** What a signal ends a run with. */
interface Ends {
  /** Ends a watch in order. */
  stopWatching?: () => void
  release?: () => Promise<void>
  /** Whether a watch has seen that nothing is left to do, and nothing has failed since. */
  isInStep?: boolean
}

/** A watch that begins while one side is away waits for it, as it does later. */
const whenReachable = async <T>(step: () => Promise<T>, note: (line: string) => void): Promise<T> => {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      const { line, exitCode } = failureOf(error)
      if (exitCode !== exitUnavailable) throw error
      note(`${line} Trying again in ${watchRetryMs / 1_000} s.`)
      await pause(watchRetryMs)
    }
  }
}

const sync = async (cli: Cli, asked: Arguments, report: PrintedReport, ends: Ends): Promise<number> => {
  const userAgent = `worklore-github/${version} node/${process.versions.node}`
  const noteWait = (message: string, waitMs: number): void => {
    if (waitMs >= minNotedMs) report.note(`Waiting ${Math.ceil(waitMs / 1_000)} s: ${message}`)
  }
  const worklore: WorkloreOptions = {
    baseUrl: cli.settings.url,
    apiKey: cli.key(),
    userAgent,
    ...patience,
    onRetry: ({ error, waitMs }) => noteWait(error.message, waitMs),
  }
  const { owner, repo, token, githubUrl: baseUrl } = asked
  const github = createGitHub({ owner, repo, token, baseUrl, userAgent, writeSpacingMs, onWait: noteWait })
  const { direction, labels, onMerge, withDeletions, isDryRun, project, people } = asked
  const settings = { direction, labels, onMerge, withDeletions, isDryRun, settleMs }
  const named = { repo: `${owner}/${repo}`, formerName: asked.formerName }
  let isHeldNoted = false
  const waitForOther = async (message: string, waitMs: number): Promise<void> => {
    if (!isHeldNoted) report.note(`${message} Waiting for its end.`)
    isHeldNoted = true
    await pause(Math.min(waitMs, maxHeldPauseMs))
  }
  const lease = asked.isWatch ? { leaseMs: watchLeaseMs, onHeld: waitForOther } : { leaseMs }
  const startBridge = (): Promise<Bridge> =>
    createBridge({ worklore, github, project, people, report, ...lease, ...named, ...settings })
  const bridge = asked.isWatch ? await whenReachable(startBridge, report.note) : await startBridge()
  ends.release = bridge.release
  if (!asked.isWatch) {
    await bridge.settle({ isFull: asked.isFull })
    report.left(bridge.outstanding())
    const { refused, outstanding } = report.counts()
    return refused + outstanding > 0 ? exitConflict : exitDone
  }
  const stop = new AbortController()
  const onIdle = (): void => {
    ends.isInStep = true
    report.progress('In step. Ctrl-C ends.', 0)
  }
  const noteFailure = (line: string): void => {
    ends.isInStep = false
    report.note(line)
  }
  const watch = createWatch({
    wl: new Worklore(worklore),
    bridge,
    intervalMs: asked.intervalMs,
    retryMs: watchRetryMs,
    signal: stop.signal,
    onIdle,
    note: noteFailure,
  })
  ends.stopWatching = () => stop.abort()
  const server =
    asked.webhook && (await startWebhookServer({ ...asked.webhook, repo: bridge.repo, onIssue: watch.lookAt }))
  const address = server?.address()
  if (address && typeof address === 'object')
    report.note(`Listening for webhooks on ${address.address}:${address.port}`)
  await watch.run(asked.isFull)
  server?.close()
  server?.closeAllConnections()
  return exitDone
}

const maxStopMs = 5_000

const runSync = async (cli: Cli, asked: Arguments): Promise<number> => {
  const { isJson, isQuiet } = cli
  const { isDryRun, isWatch } = asked
  const shown = { isJson, isDryRun }
  const report = createReport({ ...shown, isQuiet, out: process.stdout, err: process.stderr })
  const ends: Ends = {}
  let isInterrupted = false
  const exit = (): never => {
    printSummary(report, shown, !ends.isInStep)
    process.exit(isWatch ? exitDone : exitInterrupted)
  }
  // Every step can be the last: the next run goes on from what both sides have.
  const end = (): void => {
    if (ends.stopWatching) {
      ends.stopWatching()
      delete ends.stopWatching
      setTimeout(end, maxStopMs).unref()
      return
    }
    if (isInterrupted || !ends.release) exit()
    isInterrupted = true
    setTimeout(exit, maxStopMs).unref()
    ends.release!().then(exit)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
  try {
    const exitCode = await sync(cli, asked, report, ends)
    if (!isInterrupted) printSummary(report, shown, isWatch && !ends.isInStep)
    return isInterrupted ? exitInterrupted : exitCode
  } catch (error) {
    // Without its lease a run that was interrupted fails.
    if (isInterrupted) return new Promise(() => {})
    const { actions, refused } = report.counts()
    if (Object.keys(actions).length + refused > 0) printSummary(report, shown)
    throw error
  }
}

const syncCommand = command({
  words: ['OWNER/REPO'],
  more: `GITHUB_TOKEN (or GH_TOKEN) is the credential of GitHub, GITHUB_API_URL the address of a GitHub Enterprise server, and
GITHUB_WEBHOOK_SECRET the secret of its webhooks. --json prints a line for each action and one for the summary, --quiet the
summary only.`,
  options,
  run: async (cli, values, [name]) => {
    try {
      const exitCode = await runSync(cli, readArguments(cli, values, name!, process.env))
      return { body: undefined, ids: [], text: () => '', exitCode }
    } catch (error) {
      const { line, exitCode } = failureOf(error)
      if (cli.isJson) process.stdout.write(`${JSON.stringify({ error: line, exitCode })}\n`)
      throw new CommandError(line, exitCode)
    }
  },
})

const named = {
  name: 'github sync',
  about: 'Keep the issues of a GitHub repository and the tasks of a project in step',
  command: syncCommand,
  actions: '',
  loadExamples: async () => [
    'wl github sync acme/site --project ACME --dry-run',
    'wl github sync acme/site --project ACME --watch --on-merge done',
  ],
}

/** Runs `wl github`, or `wl-github`, and ends the process. */
export const run = async (words: string[]): Promise<never> => {
  const [action, ...rest] = words
  if (action !== 'sync' && action !== undefined && !['help', '--help', '-h'].includes(action)) {
    process.stderr.write(`wl: Unknown command "github ${action}". Use wl github sync OWNER/REPO.\n`)
    process.exit(exitUsage)
  }
  process.exit(await runCommand(named, action === 'sync' ? rest : ['--help']))
}
