import { useEffect, useMemo } from 'react'
import { hasScope } from '../api/permissions'
import { useNow } from '../components/time'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { type Agent, deriveAgents } from './derive'
import { followClaims } from './follow-claims'
import { type Period, useUsage } from './use-usage'

/** Everyone who works or worked lately, kept up to date, with what they did in a period. */
export const useAgents = (period: Period = '24h'): Agent[] => {
  const console = useConsole()
  const { tasks, activity, keys, users, me: meNow } = console
  const me = useObservable(meNow)
  const isAdmin = hasScope(me, 'admin')
  const seesClaims = hasScope(me, 'tasks:read')
  const taskRevision = useObservable(tasks.revision)
  const activityRevision = useObservable(activity.revision)
  const keyList = useObservable(keys.list)
  const userList = useObservable(users.list)
  const { rows: usage } = useUsage(period)
  const nowMs = useNow()

  useEffect(() => {
    activity.load()
    if (isAdmin && !keys.isLoaded.get()) keys.load().catch(() => undefined)
  }, [activity, keys, isAdmin])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the revisions stand for the records
  const agents = useMemo(
    () =>
      deriveAgents({
        cards: tasks.cards(),
        activity: activity.list(),
        keys: keyList,
        usage,
        userOf: users.get,
        nowMs,
      }),
    [tasks, taskRevision, activity, activityRevision, keyList, userList, users, usage, nowMs],
  )

  useEffect(() => (seesClaims ? followClaims(console) : undefined), [console, seesClaims])

  return agents
}
