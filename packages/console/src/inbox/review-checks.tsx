import type { ReactNode } from 'react'
import { Skeletons } from '../components/states'
import { Markdown } from '../markdown/markdown'
import { Checks } from '../tasks/checks/checks'
import { useTask } from '../tasks/drawer/use-task'
import '../styles/prose.css'

interface ReviewChecksProps {
  taskId: string
  hasKeys: boolean
  /** Call before the row goes; the function that it returns goes on to the next one. */
  leave: () => () => void
}

/** What came out of a task, and its checks to decide. */
export const ReviewChecks = ({ taskId, hasKeys, leave }: ReviewChecksProps): ReactNode => {
  const { task, accept } = useTask(taskId)
  if (!task) return <Skeletons count={1} />
  return (
    <>
      {task.result !== null && (
        <div className="need-text" data-cut="true">
          <Markdown text={task.result} />
        </div>
      )}
      <Checks
        task={task}
        hasKeys={hasKeys}
        isBrief
        accept={(next) => {
          const goOn = leave()
          accept(next)
          if (next.checks.every(({ state }) => state !== 'open')) goOn()
        }}
      />
    </>
  )
}
