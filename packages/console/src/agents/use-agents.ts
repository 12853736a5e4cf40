import { useEffect, useMemo } from 'react'
import { hasScope } from '../api/permissions'
import { useNow } from '../components/time'
import { useConsole } from '../store/console'
import { useActivity, useCardView, useKeyRecords, useMe, useUsers } from '../store/records'
import { type Agent, deriveAgents } from './derive'
import { followClaims } from './follow-claims'
import { type Period, useUsage } from './use-usage'

/** Everyone who works or worked lately, kept up to date, with what they did in a period. */
export const useAgents = (period: Period = '24h'): Agent[] => {
  const console = useConsole()
  const keys = useKeyRecords()
  const users = useUsers()
  const seesClaims = hasScope(useMe(), 'tasks:read')
  const tasks = useCardView()
  const activity = useActivity()
  const { rows: usage } = useUsage(period)
  const nowMs = useNow()

  useEffect(() => console.activity.load(), [console])

  const agents = useMemo(
    () =>
      deriveAgents({
        cards: tasks.cards(),
        activity,
        keys: keys.list,
        usage,
        userOf: users.get,
        nowMs,
      }),
    [tasks, activity, keys, users, usage, nowMs],
  )

  useEffect(() => (seesClaims ? followClaims(console) : undefined), [console, seesClaims])

  return agents
}
