import type { NextFilters } from 'worklore-client'
import { type Cli, command } from '../command.js'
import { exitNothing, usageError } from '../exit-codes.js'
import { failureOf } from '../failure.js'
import { listOf } from '../input.js'
import { claimOption, flag, text, texts } from '../option.js'
import { asTaskId, ownTokenOf, taskIdOf } from '../task-id.js'
import { changedTask, claimedAnswer, taskAnswer } from '../task-text.js'
import { localTime, relative, secondsOf } from '../times.js'
import { nextTask } from './next-task.js'

const leaseOptions = {
  lease: text('TIME', 'How long the claim lasts unless renewed; 30m if not given'),
  worker: text('NAME', 'Name of the process that works on it'),
  note: text('TEXT', 'What the claim is for'),
  tokens: text('N', 'Show what is known about it in so many tokens; 1500 if not given, 0 for nothing'),
}

const defaultTokens = 1_500

/** What a claim brings is shown to people; programs ask for it. */
const contextTokensOf = (cli: Cli, tokens: string | undefined): number | undefined => {
  const count = tokens === undefined ? (cli.isText ? defaultTokens : 0) : Number(tokens)
  if (!Number.isInteger(count) || count < 0) throw usageError('--tokens takes a whole number.')
  return count === 0 ? undefined : count
}

export const claim = command({
  words: ['ID'],
  more: 'Exit code 5: it is claimed by another, blocked or closed.',
  options: {
    ...leaseOptions,
    takeover: flag('Replace a claim of the same key; with an admin key any claim'),
  },
  run: async (cli, { lease, worker, note, takeover, tokens }, [word]) => {
    const contextTokens = contextTokensOf(cli, tokens)
    const request = { leaseSeconds: secondsOf('--lease', lease), worker, note, takeover, contextTokens }
    const { task, context } = await cli.client().tasks.claim(taskIdOf(cli, word), request)
    cli.claims.remember(task)
    return claimedAnswer(task, context)
  },
})

export const renew = command({
  words: ['[ID]'],
  more: 'By its own length, or by --lease.',
  options: { lease: text('TIME', 'Such as 30m or 2h'), ...claimOption },
  run: async (cli, { lease, 'claim-token': named }, [word]) => {
    const id = taskIdOf(cli, word)
    const token = ownTokenOf(cli, id, named)
    if (token === undefined) throw usageError(`${id} is not claimed in this folder. Use --claim-token TOKEN.`)
    const task = await cli.client().tasks.renew(token, { leaseSeconds: secondsOf('--lease', lease) })
    cli.claims.remember(task)
    return changedTask(task, `Renewed until ${localTime(task.claim!.expiresAt)}:`)
  },
})

export const next = command({
  more: `Commands that follow in this folder need no id for a task that was claimed: show, edit, comment, done, submit, release and renew. Exit code 3: no task is ready.`,
  options: {
    claim: flag('Claim it', 'c'),
    wait: text('TIME', 'Wait until a task is ready, at most so long: 30s, 10m, 2h'),
    label: texts('LABEL', 'With one of these labels', 'l'),
    priority: texts('PRIORITY'),
    parent: text('ID', 'Only direct subtasks of this task'),
    ...leaseOptions,
  },
  run: async (cli, values) => {
    const { worker, note } = values
    const filters: NextFilters = {
      projectId: cli.settings.project,
      label: listOf(values.label),
      priority: listOf(values.priority) as NextFilters['priority'],
      parentId: values.parent && asTaskId(values.parent),
    }
    const contextTokens = contextTokensOf(cli, values.tokens)
    const lease = { leaseSeconds: secondsOf('--lease', values.lease), worker, note, contextTokens }
    const request = { ...filters, ...(values.claim ? lease : { peek: true }) }
    const endMs = Date.now() + (secondsOf('--wait', values.wait) ?? 0) * 1_000
    const onOutage = (error: Error): void =>
      cli.note(
        `${failureOf(error, cli.settings.url).line} Trying again for ${relative(new Date(endMs).toISOString())}.`,
      )
    const answer = await nextTask(cli.client(), request, endMs, onOutage)
    const { data: task, context = null, message = 'No task is ready.' } = answer
    if (task && !values.claim) return taskAnswer(task)
    if (task) {
      cli.claims.remember(task)
      return claimedAnswer(task, context)
    }
    if (!cli.isJson) cli.note(message)
    return { body: answer, ids: [], text: () => '', exitCode: exitNothing }
  },
})
