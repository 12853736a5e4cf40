import { type Static, Type } from 'typebox'
import { AppError } from '../../base/errors.js'
import { nullable, Timestamp } from '../../base/fields.js'
import type { Json } from '../../base/json.js'
import { includesProject, type ProjectSet, withTenantWide } from '../../base/project-set.js'
import { type Actor, holdsScope } from '../../operations/actor.js'

const staleReasons = ['retracted', 'disputed', 'deleted', 'superseded', 'expired'] as const
export type StaleReason = (typeof staleReasons)[number]

export const maxShownMarks = 20

export const StaleMark = Type.Object(
  {
    key: Type.String({ examples: ['guides/setup/linux'] }),
    projectId: nullable(Type.String({ description: 'Null if the item is tenant-wide.' })),
    version: Type.Integer({ minimum: 1, description: 'The version that was relied on.' }),
    why: Type.Enum([...staleReasons], { description: 'What happened to the item.' }),
    at: Timestamp,
  },
  { $id: 'StaleMark', description: 'An item that was relied on and no longer holds.' },
)
export type StaleMark = Static<typeof StaleMark>

export const Stale = Type.Array(StaleMark, {
  description: `Items that it relied on and that no longer hold, the newest ${maxShownMarks}. Accepting, new content or a new claim clears it.`,
})

/** Of marks as JSON, those about items that whoever may read the project may read too: events show no others. */
export const marksOfProject = (marks: string | null, ofProjectId: string): string | null => {
  const shown = (JSON.parse(marks ?? '[]') as StaleMark[]).filter(
    ({ projectId }) => projectId === null || projectId === ofProjectId,
  )
  return shown.length === 0 ? null : JSON.stringify(shown)
}

/** Returns the projects whose items the actor sees in marks; the empty id is for tenant-wide items. */
export const markProjectsOf = (actor: Actor): ProjectSet =>
  holdsScope(actor, 'knowledge:read') ? withTenantWide(actor.projectIds) : []

const visibleTo = (actor: Actor) => {
  const projects = markProjectsOf(actor)
  return ({ projectId }: StaleMark): boolean => includesProject(projects, projectId ?? '')
}

/** Nobody accepts what they cannot see. */
export const requireVisibleMarks = (actor: Actor, marks: string): void => {
  if ((JSON.parse(marks) as StaleMark[]).every(visibleTo(actor))) return
  throw new AppError(
    'unreadable',
    'It also relied on knowledge that this key may not read. Ask someone who may to accept it.',
  )
}

/** The JSON of a record or of several, without marks about items that the actor may not read. */
export const withVisibleMarks = <T>(actor: Actor, json: Json<T>): Json<T> => {
  if (markProjectsOf(actor) === null || !json.includes('"stale":[{')) return json
  const isVisible = visibleTo(actor)
  const shown = (record: { stale?: StaleMark[] }) => ({
    ...record,
    ...(record.stale && { stale: record.stale.filter(isVisible) }),
  })
  const parsed = JSON.parse(json) as object | object[]
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(shown) : shown(parsed))
}
