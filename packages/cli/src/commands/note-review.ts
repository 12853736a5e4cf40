import type { JudgeKnowledgeBody, KnowledgeItem } from 'worklore-client'
import { type Answer, command, oneAnswer } from '../command.js'
import { usageError } from '../exit-codes.js'
import { countOf, textOf } from '../input.js'
import { findNote, scopeOptions } from '../notes.js'
import { flag, text } from '../option.js'

/** A note that was changed, and what was done to it. */
const changedNote = (item: KnowledgeItem, line: string): Answer =>
  oneAnswer(item, item.key, line, `${item.key}\t${item.version}`)

const verdictCommand = (trust: JudgeKnowledgeBody['trust'], more: string, aboutNote: string) =>
  command({
    words: ['KEY'],
    more,
    options: {
      note: text('TEXT', `${aboutNote}; - reads it from standard input`, 'm'),
      'if-version': text('N', 'Only if the note is at this version, which you read'),
      undo: flag('Take the verdict back'),
      ...scopeOptions,
    },
    run: async (cli, values, [key]) => {
      const wl = cli.client()
      const { projectId, version } = await findNote(cli, wl, key!, values.tenant)
      const seen = values['if-version']
      const item = await wl.knowledge.judge({
        key: key!,
        projectId: projectId ?? undefined,
        version: seen === undefined ? version : countOf('--if-version', seen),
        trust: values.undo ? 'unreviewed' : trust,
        note: await textOf(values.note),
      })
      return changedNote(item, `${item.key} is ${item.trust} (version ${item.version})`)
    },
  })

export const verify = verdictCommand(
  'verified',
  'Says that its text is right. New text is unreviewed again. Exit code 4: whoever wrote the text cannot verify it.',
  'What was checked',
)

export const dispute = verdictCommand(
  'disputed',
  'Says that its text is wrong. Those who relied on it are told.',
  'What is wrong',
)

export const retract = command({
  words: ['KEY'],
  more: 'It stays readable, search leaves it out, and those who relied on it are told. New text takes it back too.',
  options: {
    reason: text('TEXT', 'Why it no longer holds; - reads it from standard input', 'm'),
    undo: flag('Take the retraction back'),
    ...scopeOptions,
  },
  run: async (cli, { reason, undo, tenant }, [key]) => {
    if ((reason === undefined) === (undo !== true)) throw usageError('Say why with --reason TEXT, or use --undo.')
    const wl = cli.client()
    const { projectId } = await findNote(cli, wl, key!, tenant)
    const why = undo ? null : await textOf(reason!)
    const item = await wl.knowledge.retract(key!, why, { projectId: projectId ?? undefined })
    return changedNote(item, undo ? `${item.key} is ${item.state} again.` : `Retracted ${item.key}.`)
  },
})

export const supersede = command({
  words: ['KEY', 'SUCCESSOR'],
  more: 'Both are of one project, or of the whole tenant. Search answers with the successor from then on.',
  options: { undo: flag('Let KEY stand on its own again'), ...scopeOptions },
  run: async (cli, { undo, tenant }, [key, successor]) => {
    const wl = cli.client()
    const { projectId } = await findNote(cli, wl, successor!, tenant)
    const item = await wl.knowledge.update(
      successor!,
      ({ supersedes }) => {
        const others = supersedes.filter((each) => each !== key)
        return { supersedes: undo ? others : [...others, key!] }
      },
      { projectId: projectId ?? undefined },
    )
    return changedNote(item, `${item.key} ${undo ? 'no longer supersedes' : 'supersedes'} ${key}.`)
  },
})

export const acceptStale = command({
  words: ['KEY'],
  more: 'Says that it holds, though notes that it relied on no longer do.',
  options: scopeOptions,
  run: async (cli, { tenant }, [key]) => {
    const wl = cli.client()
    const { projectId } = await findNote(cli, wl, key!, tenant)
    const item = await wl.knowledge.acceptStale(key!, { projectId: projectId ?? undefined })
    return oneAnswer(item, key!, `Accepted ${key}.`)
  },
})
