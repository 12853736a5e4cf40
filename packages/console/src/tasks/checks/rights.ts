import type { Check, Me, Task } from 'worklore-client'
import { hasScope } from '../../api/permissions'

/** Whether a person may be signed in: of a session without a user, only the service knows how it was opened. */
export const mayBePerson = ({ user }: Me): boolean => user === null || user.kind === 'human'

/** The service alone knows who worked on the task, and refuses those where someone else must decide. */
export const mayDecide = (me: Me, { verifier }: Check): boolean => verifier !== 'human' || mayBePerson(me)

export const mayWaive = (me: Me): boolean => hasScope(me, 'admin') || mayBePerson(me)

/** To remove a check, or change what it says. */
export const mayReplace = (me: Me, { createdBy, attempts }: Task): boolean =>
  mayWaive(me) || (createdBy.keyId === me.key.id && attempts === 0)
