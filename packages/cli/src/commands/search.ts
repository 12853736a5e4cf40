import type { KnowledgeHit } from 'worklore-client'
import { command } from '../command.js'
import { exitDone, exitNothing, usageError } from '../exit-codes.js'
import { countOf } from '../input.js'
import { flag, limitOption } from '../option.js'
import { statusCell } from '../task-text.js'
import { listAnswer } from '../terminal/table.js'

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** A snippet is HTML with its matches marked. */
const plainSnippet = (html: string): string =>
  html.replaceAll(/<\/?mark>/g, '').replaceAll(/&([a-z]+|#39);/g, (_, name: string) => entities[name] ?? '')

/** Where the best passage of a note stands, if that is not its beginning. */
const passageText = ({ passages: [best] = [] }: Pick<KnowledgeHit, 'passages'>): string => {
  if (!best || (best.heading === null && best.start === 0)) return ''
  return `[${[best.heading, `line ${best.line}`].filter(Boolean).join(', ')}] `
}

const trustText = (trust: 'unreviewed' | 'verified' | 'disputed'): string => (trust === 'unreviewed' ? '' : trust)

export const search = command({
  words: ['QUERY...'],
  more: 'By words and meaning, the best first. Exit code 3: nothing was found.',
  options: {
    tasks: flag('Only tasks'),
    notes: flag('Only notes'),
    limit: limitOption(10),
  },
  run: async (cli, values, words) => {
    if (values.tasks && values.notes) throw usageError('--tasks cannot be combined with --notes.')
    const projectId = cli.settings.project
    const body = await cli.client().search(words.join(' '), {
      in: values.tasks ? 'tasks' : values.notes ? 'knowledge' : undefined,
      projectId,
      includeTenant: projectId === undefined || values.tasks ? undefined : true,
      passages: 1,
      limit: countOf('--limit', values.limit ?? '10', 100),
    })
    const hits = body.data.map((hit) =>
      hit.kind === 'task'
        ? { ...hit, status: statusCell(hit), text: hit.title }
        : {
            ...hit,
            kind: 'note',
            id: hit.key,
            status: trustText(hit.trust),
            text: passageText(hit) + plainSnippet(hit.snippet),
          },
    )
    if (hits.length === 0 && !cli.isJson) cli.note('Nothing found.')
    const answer = listAnswer({ data: hits }, 'id', [
      ['SCORE', ({ score }) => score.toFixed(2)],
      ['KIND', 'kind'],
      ['ID', 'id', 'cyan'],
      ['STATUS', ({ status }) => status],
      ['TEXT', 'text'],
    ])
    return { ...answer, body, exitCode: hits.length === 0 ? exitNothing : exitDone }
  },
})
