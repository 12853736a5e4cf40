import { type ReactNode, useState } from 'react'
import type { Task } from 'worklore-client'
import { Confirm } from '../../components/confirm'
import { useKeys } from '../../keyboard/use-keys'
import StaleNotice from '../../lifecycle/stale-notice'
import { useConsole } from '../../store/console'
import type { OpenTask } from './use-task'

interface StaleTaskProps {
  task: Task
  canWrite: boolean
  accept: OpenTask['accept']
}

/** What the task relied on that no longer holds, until a person accepts it. */
export const StaleTask = ({ task, canWrite, accept }: StaleTaskProps): ReactNode => {
  const { client } = useConsole()
  const [isAsking, setIsAsking] = useState(false)
  useKeys({ x: () => setIsAsking(true) }, canWrite && task.stale.length > 0)
  const acceptStale = async (): Promise<void> => accept(await client.tasks.acceptStale(task.id))
  return (
    <>
      <StaleNotice marks={task.stale} onAccept={canWrite ? acceptStale : undefined} />
      {isAsking && (
        <Confirm title="Accept what is stale?" action="Accept" run={acceptStale} onClose={() => setIsAsking(false)}>
          {task.id} stays as it is, and the marks are removed.
        </Confirm>
      )}
    </>
  )
}
