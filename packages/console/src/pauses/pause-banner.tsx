import { useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { isChangeOf } from 'worklore-client'
import { actorOf } from '../api/actor'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Icon } from '../components/icons'
import { Time } from '../components/time'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import { type PauseTarget, showTenant } from './set-paused'
import { usePause } from './use-pause'
import '../styles/pauses.css'

/** Says, live, that everything, or the project that is open, is paused: by whom, since when and why. */
const PauseBanner = (): ReactNode => {
  const { client, me: meNow, users, projects, generation: generationNow, onEvent } = useConsole()
  const me = useObservable(meNow)
  const generation = useObservable(generationNow)
  const { toggle } = usePause()
  const { project: key } = useParams({ strict: false }) as { project?: string }
  const project = useObservable(projects.list).find((each) => each.key === key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again where changes were missed
  useEffect(() => {
    client.tenant.get().then(
      (tenant) => showTenant(meNow, tenant),
      () => undefined,
    )
    return onEvent((event) => {
      if (isChangeOf(event, 'tenant')) showTenant(meNow, event.data)
    })
  }, [client, meNow, onEvent, generation])
  const targets: PauseTarget[] = [
    { what: 'tenant', id: me.tenant.id, name: 'Everything', paused: me.tenant.paused },
    ...(project ? [{ ...project, what: 'project' as const }] : []),
  ]
  return targets.map((target) => {
    const { what, name, paused } = target
    if (!paused) return null
    const { by, at, reason } = paused
    return (
      <div key={what} className="notice pause-banner" role="status">
        <Icon name="pause" />
        <span>
          <b>{name} is paused</b> by {actorOf(users, by).name}, <Time at={at} />: {reason}
        </span>
        {hasScope(me, 'admin') && (
          <Button small icon="play" onClick={() => toggle(target)} aria-label={`Resume ${name}`}>
            Resume
          </Button>
        )}
      </div>
    )
  })
}

export default PauseBanner
