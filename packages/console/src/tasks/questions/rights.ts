import type { Me, Question } from 'worklore-client'
import { hasScope } from '../../api/permissions'
import { mayBePerson } from '../checks/rights'

/** Whether a question is meant for who is signed in: for this user, or for any person. */
export const isForMe = (me: Me, { to }: Question): boolean => (to === null ? mayBePerson(me) : to === me.user?.id)

export const mayAnswer = (me: Me, question: Question): boolean =>
  hasScope(me, 'tasks:write') && (hasScope(me, 'admin') || isForMe(me, question))

export const mayWithdraw = (me: Me, { createdBy }: Question): boolean =>
  hasScope(me, 'admin') || (hasScope(me, 'tasks:write') && createdBy.keyId === me.key.id)
