import { initialFields } from './fields.js'
import type { TaskVersion } from './schema.js'

/** What a version lacks that is from before a field existed. */
const initial: Partial<TaskVersion> = { ...initialFields, checks: [] }

/** A kept version of a task, with all of its fields. */
export const parseVersion = (json: string): TaskVersion => ({ ...initial, ...(JSON.parse(json) as TaskVersion) })
