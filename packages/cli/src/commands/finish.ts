import { PreconditionFailedError, type ReleaseClaimBody, type Task } from 'worklore-client'
import { type Cli, command } from '../command.js'
import { usageError } from '../exit-codes.js'
import { textOf } from '../input.js'
import { claimOption, text } from '../option.js'
import { ownTokenOf, taskIdOf } from '../task-id.js'
import { changedTask } from '../task-text.js'
import { futureTime } from '../times.js'
import { asIs, noneOr } from './task-fields.js'

type Status = NonNullable<ReleaseClaimBody['status']>

interface Finish {
  status: Status
  comment: string | undefined
  result: string | null | undefined
  notBefore?: string | undefined
}

/** Ends the claim with the new status, fenced by its token. */
const releaseClaim = async (cli: Cli, id: string, token: string, finish: Finish): Promise<Task> => {
  try {
    const task = await cli.client().tasks.release(token, finish)
    cli.claims.forget(id)
    return task
  } catch (error) {
    if (error instanceof PreconditionFailedError && error.reason === 'claim_lost') cli.claims.forget(id)
    throw error
  }
}

/** A task that nobody claims changes its status as any field does, together with the comment. */
const setStatus = async (cli: Cli, id: string, { status, comment, result, notBefore }: Finish): Promise<Task> => {
  const [task] = await cli
    .client()
    .batch((batch) => [
      batch.tasks.update(id, { status, result, notBefore }),
      ...(comment === undefined ? [] : [batch.tasks.comments(id).create({ body: comment })]),
    ])
  return task as Task
}

const common = {
  words: ['[ID]'],
  more: 'Without ID, the one claimed in this folder, and only while the claim is yours. Exit code 5: the claim is lost.',
  options: {
    message: text('TEXT', 'Comment to add; - reads it from standard input', 'm'),
    result: text('TEXT', 'What came out: Markdown, or none; - reads it from standard input'),
    ...claimOption,
  },
}

interface Values {
  message?: string | undefined
  result?: string | undefined
  'claim-token'?: string | undefined
  'not-before'?: string | undefined
}

const finish = async (cli: Cli, values: Values, word: string | undefined, status: Status, what: string) => {
  const id = taskIdOf(cli, word)
  const token = ownTokenOf(cli, id, values['claim-token'])
  const notBefore = futureTime('--not-before', values['not-before'])
  if (values.message === '-' && values.result === '-') throw usageError('Only one text can come from standard input.')
  const [comment, result] = [await textOf(values.message), noneOr(await textOf(values.result), asIs)]
  const change = { status, comment, result, notBefore }
  const task = token === undefined ? await setStatus(cli, id, change) : await releaseClaim(cli, id, token, change)
  return changedTask(task, what)
}

export const done = command({
  ...common,
  run: (cli, values, [word]) => finish(cli, values, word, 'done', 'Done:'),
})

export const submit = command({
  ...common,
  run: (cli, values, [word]) => finish(cli, values, word, 'in_review', 'In review:'),
})

export const release = command({
  ...common,
  options: {
    ...common.options,
    'not-before': text('TIME', 'Not to be taken before: 20m, 2h, or 2026-01-31T09:00:00Z'),
  },
  run: (cli, values, [word]) => finish(cli, values, word, 'todo', 'Released:'),
})
