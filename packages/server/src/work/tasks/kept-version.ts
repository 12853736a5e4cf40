import { initialFields } from './fields.js'
import type { TaskVersion } from './schema.js'

/** A kept version of a task. One from before a field existed has the field's initial value. */
export const parseVersion = (json: string): TaskVersion => ({ ...initialFields, ...(JSON.parse(json) as TaskVersion) })
