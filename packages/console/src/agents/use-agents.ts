import { useEffect, useMemo, useRef } from 'react'
import { hasScope } from '../api/permissions'
import { useNow } from '../components/time'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { type Agent, deriveAgents } from './derive'

/** Renewals are no events, so claims are read again this often. */
const rereadEveryMs = 30_000
const maxClaims = 1_000

/** Everyone who works or worked lately, kept up to date. */
export const useAgents = (): Agent[] => {
  const { client, tasks, activity, keys, users, me: meNow } = useConsole()
  const me = useObservable(meNow)
  const isAdmin = hasScope(me, 'admin')
  const seesClaims = hasScope(me, 'tasks:read')
  const taskRevision = useObservable(tasks.revision)
  const activityRevision = useObservable(activity.revision)
  const keyList = useObservable(keys.list)
  const userList = useObservable(users.list)
  const nowMs = useNow()
  const lastReadMs = useRef(0)

  useEffect(() => {
    activity.load()
    if (isAdmin && !keys.isLoaded.get()) keys.load().catch(() => undefined)
  }, [activity, keys, isAdmin])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the revisions stand for the records
  const agents = useMemo(
    () => deriveAgents({ cards: tasks.cards(), activity: activity.list(), keys: keyList, userOf: users.get, nowMs }),
    [tasks, taskRevision, activity, activityRevision, keyList, userList, users, nowMs],
  )

  useEffect(() => {
    if (!seesClaims || nowMs - lastReadMs.current < rereadEveryMs) return
    lastReadMs.current = nowMs
    client.tasks.cards({ claimed: true, limit: maxClaims }).then(
      (page) => tasks.add(page.data),
      () => undefined,
    )
  }, [client, tasks, nowMs, seesClaims])

  return agents
}
