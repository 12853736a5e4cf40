import type { Call } from '../operations/call.js'
import { idOfHandle } from '../tenancy/users/service.js'

const taskForm = /^[a-z][a-z0-9]{1,9}-[1-9]\d{0,14}(\.[1-9]\d{0,14})?$/i
const projectForm = /^[a-z][a-z0-9]{1,9}$/i

/** The id of a task, or the token of a claim, whatever its case. */
export const taskRef = (text: string): string => (taskForm.test(text) ? text.toUpperCase() : text)

/** A project by its key, whatever its case, or by its id. */
const projectRef = (text: string): string => (projectForm.test(text) ? text.toUpperCase() : text)

const refs: Readonly<Record<string, (text: string) => string>> = {
  ...{ id: taskRef, claim: taskRef, parent: taskRef, blocked_by: taskRef, block: taskRef, unblock: taskRef },
  project: projectRef,
}

const applied = (ref: (text: string) => string, value: unknown): unknown => {
  if (typeof value === 'string') return ref(value)
  return Array.isArray(value) ? value.map((each) => applied(ref, each)) : value
}

/** Arguments whose ids and project keys are as they are stored: models write them in any case. */
export const withStoredRefs = (args: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, refs[name] ? applied(refs[name], value) : value]),
  )

/** The id of the user that an argument names by id or handle; what names nobody stays, and is refused by its operation. */
export const userRef = async (call: Call, text: string): Promise<string> =>
  text.startsWith('usr_') ? text : ((await idOfHandle(call, text.replace(/^@/, '').toLowerCase())) ?? text)
