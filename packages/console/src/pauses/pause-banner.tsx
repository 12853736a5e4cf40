import { useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { isChangeOf } from 'worklore-client'
import { actorOf } from '../api/actor'
import { hasScope } from '../api/permissions'
import { Button } from '../components/button'
import { Icon } from '../components/icons'
import { Time } from '../components/time'
import { useConsole } from '../store/console'
import { useMe, useProjects, useUsers } from '../store/records'
import { type PauseTarget, showTenant } from './set-paused'
import { usePause } from './use-pause'
import '../styles/pauses.css'

/** Says, live, that everything, or the project that is open, is paused: by whom, since when and why. */
const PauseBanner = (): ReactNode => {
  const app = useConsole()
  const { client, onEvent, onResync } = app
  const users = useUsers()
  const projects = useProjects()
  const me = useMe()
  const { toggle } = usePause()
  const { project: key } = useParams({ strict: false }) as { project?: string }
  const project = projects.list.find((each) => each.key === key)
  useEffect(() => {
    const read = (): void => {
      client.tenant.get().then(
        (tenant) => showTenant(app.me, tenant),
        () => undefined,
      )
    }
    read()
    const stops = [
      onResync(read),
      onEvent((event) => {
        if (isChangeOf(event, 'tenant')) showTenant(app.me, event.data)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [app, client, onEvent, onResync])
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
