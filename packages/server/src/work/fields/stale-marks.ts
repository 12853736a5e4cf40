import { crc32 } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { AppError } from '../../base/errors.js'
import { nullable, Timestamp } from '../../base/fields.js'
import type { Json } from '../../base/json.js'
import { includesProject, type ProjectSet, withTenantWide } from '../../base/project-set.js'
import { type Actor, holdsScope } from '../../operations/actor.js'

const staleReasons = ['retracted', 'disputed', 'deleted', 'superseded', 'expired'] as const
export type StaleReason = (typeof staleReasons)[number]

const maxShownMarks = 20
/** More marks are kept than are shown, because a caller may be unable to read the items of some of them. */
export const maxKeptMarks = 200

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

/** Returns the marks that events include, as JSON: those about items that every reader of the project can read. */
export const marksOfProject = (marks: string | null, ofProjectId: string): string | null => {
  const shown = (JSON.parse(marks ?? '[]') as StaleMark[])
    .filter(({ projectId }) => projectId === null || projectId === ofProjectId)
    .slice(0, maxShownMarks)
  return shown.length === 0 ? null : JSON.stringify(shown)
}

/** Whether the marks that events include differ. */
export const areShownChanged = (before: string | null, after: string | null, ofProjectId: string): boolean =>
  marksOfProject(before, ofProjectId) !== marksOfProject(after, ofProjectId)

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

const firstMark = '"stale":[{'
const memberOfMark = '"why":"'

/** Whether a record may have more marks than are shown. */
const mayHaveTooMany = (json: string): boolean => json.split(memberOfMark).length > maxShownMarks + 1

/** Returns the JSON of one or more records without marks about items that the actor cannot read. */
export const withVisibleMarks = <T>(actor: Actor, json: Json<T>): Json<T> => {
  if (!json.includes(firstMark)) return json
  if (markProjectsOf(actor) === null && !mayHaveTooMany(json)) return json
  const isVisible = visibleTo(actor)
  const shown = (record: { stale?: StaleMark[] }) => ({
    ...record,
    ...(record.stale && { stale: record.stale.filter(isVisible).slice(0, maxShownMarks) }),
  })
  const parsed = JSON.parse(json) as object | object[]
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(shown) : shown(parsed))
}

/**
 * Returns a checksum of the marks that a record shows, or 0 if it shows none. It is part of the ETag, which must not
 * change with marks that the caller cannot see.
 */
export const marksTag = (shown: Json<{ stale: StaleMark[] }>): number => {
  if (!shown.includes(firstMark)) return 0
  const { stale } = JSON.parse(shown) as { stale: StaleMark[] }
  return stale.length === 0 ? 0 : crc32(JSON.stringify(stale))
}
