import type { Actor } from '../../operations/actor.js'
import { isReadable } from './place.js'
import type { StaleMark } from './schema.js'

/** Of marks as JSON, those about items that the actor may read. */
export const visibleMarks = (actor: Actor, marks: string): string =>
  actor.projectIds === null
    ? marks
    : JSON.stringify((JSON.parse(marks) as StaleMark[]).filter(({ projectId }) => isReadable(actor, projectId ?? '')))
