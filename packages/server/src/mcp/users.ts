import type { Call } from '../operations/call.js'
import { idOfHandle } from '../tenancy/users/service.js'

/** The id of the user that an argument names by id or handle; what names nobody stays, and is refused by its operation. */
export const userRef = async (call: Call, text: string): Promise<string> =>
  text.startsWith('usr_') ? text : ((await idOfHandle(call, text.replace(/^@/, '').toLowerCase())) ?? text)
