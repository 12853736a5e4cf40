import { Type } from 'typebox'
import { plainSnippet } from 'worklore-search'
import { type Actor, holdsScope } from '../../operations/actor.js'
import type { OperationCall } from '../../operations/operation.js'
import { searchKnowledge } from '../../work/knowledge/operations.js'
import { noiseScore } from '../../work/search/schema.js'
import { searchTasks } from '../../work/tasks/operations.js'
import { countFitting, listBudget } from '../budget.js'
import { createProjectNames } from '../projects.js'
import { run } from '../run.js'
import { quoted, totalText, word } from '../text/text.js'
import { type SentArguments, tool } from '../tool.js'
import { endOfRanking, foundTasks, relaxedText, type SearchPage, searchPage } from './search-page.js'

const maxSnippetLength = 240

/** No more are ranked; whoever wants others says more. */
const rankedNotes = 100

const foundNotes = async (
  call: OperationCall,
  query: { q: string; projectId?: string },
  { start, limit, budget, cursorAt }: SearchPage,
): Promise<string> => {
  const wanted = {
    ...query,
    // One more tells whether there are more.
    limit: Math.min(rankedNotes, start + limit + 1),
    includeTenant: query.projectId !== undefined,
    minScore: noiseScore,
    passages: 1,
    fields: 'key' as const,
  }
  const { data: items, relaxed } = await run(call, searchKnowledge, wanted)
  const nameOf = createProjectNames(call)
  const lines: string[] = []
  for (const { key, projectId, snippet, passages } of items.slice(start, start + limit)) {
    const place = projectId === null ? '' : ` project ${await nameOf(projectId)}`
    const { heading, line = 1 } = passages?.[0] ?? {}
    const at = line > 1 ? ` line ${line}` : ''
    const section = heading ? ` section ${quoted(heading)}` : ''
    const text = plainSnippet(snippet).replaceAll(/\s+/g, ' ')
    lines.push(`${word(key)}${place}${at}${section} ${quoted(text, maxSnippetLength)}`)
  }
  if (lines.length === 0) return 'No notes match.'
  const shown = lines.slice(0, countFitting(lines, budget))
  const next = start + shown.length
  const isMore = next < items.length
  const end = next === rankedNotes ? endOfRanking : ''
  const total = totalText({ total: items.length, ...((isMore || end !== '') && { totalIsCapped: true }) })
  const heading = relaxed ? [relaxedText('note')] : []
  return [...heading, ...shown, `${shown.length} of ${total}${isMore ? `, more: cursor ${cursorAt(next)}` : end}`].join(
    '\n',
  )
}

const kinds = ['tasks', 'knowledge'] as const
type Kind = (typeof kinds)[number]

/** A cursor of a search begins with what it searched. */
const cursorForm = /^(tasks|knowledge)-(.+)$/
const kindOfCursor = (cursor: unknown): Kind | undefined =>
  typeof cursor === 'string' ? (cursorForm.exec(cursor)?.[1] as Kind | undefined) : undefined

/** What is searched: of both kinds, those that the key may read. */
const kindsOf = ({ in: wanted, cursor }: SentArguments, actor: Actor): readonly Kind[] => {
  const kind = kindOfCursor(cursor) ?? wanted
  if (kind === 'tasks' || kind === 'knowledge') return [kind]
  return kinds.filter((kind) => holdsScope(actor, `${kind}:read`))
}

export const search = tool({
  name: 'search',
  title: 'Search',
  description: 'Search by words and meaning',
  annotations: { readOnlyHint: true },
  scopes: ['tasks:read', 'knowledge:read'],
  operations: (sent, actor) => kindsOf(sent, actor).map((kind) => (kind === 'tasks' ? searchTasks : searchKnowledge)),
  input: Type.Object({
    query: Type.String({ minLength: 1 }),
    in: Type.Optional(Type.Enum(['tasks', 'knowledge', 'both'], { default: 'both' })),
    project: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  }),
  run: async (call, args) => {
    const { query: q, project, limit = 10 } = args
    const searched = kindsOf(args, call.actor)
    const cursor = args.cursor?.replace(cursorForm, '$2')
    const budget = listBudget / searched.length
    const parts: string[] = []
    for (const kind of searched) {
      const page = searchPage(call, { kind, q, project }, { cursor, limit, budget })
      const marked = { ...page, cursorAt: (next: number) => `${kind}-${page.cursorAt(next)}` }
      const text =
        kind === 'tasks'
          ? await foundTasks(call, { q, ...(project !== undefined && { projectId: [project] }) }, marked)
          : await foundNotes(call, { q, ...(project !== undefined && { projectId: project }) }, marked)
      parts.push(searched.length === 1 ? text : `${kind}:\n${text}`)
    }
    return parts.join('\n')
  },
})
