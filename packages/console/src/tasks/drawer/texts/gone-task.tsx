import { type ReactNode, useState } from 'react'
import type { ChangeEvent } from 'worklore-client'
import { actorOf } from '../../../api/actor'
import { hasScope } from '../../../api/permissions'
import { Button } from '../../../components/button'
import { CopyButton, Empty } from '../../../components/states'
import { Time } from '../../../components/time'
import type { Draft } from '../../../editor/use-draft'
import { useRestore } from '../../../lifecycle/use-restore'
import { useObservable } from '../../../store/base/observable'
import { useConsole } from '../../../store/console'
import type { Drafts } from '../../../store/drafts'
import { useUsers } from '../../../store/records'
import { textDraftName } from './text-field'

interface Unsaved {
  name: string
  title: string
  text: string
}

/** What was written of a task and not saved. */
const unsavedOf = (drafts: Drafts, taskId: string): Unsaved[] => {
  const descriptionName = textDraftName('description', taskId)
  const resultName = textDraftName('result', taskId)
  const commentName = `new-comment.${taskId}`
  return [
    {
      name: descriptionName,
      title: 'Your unsaved description',
      text: drafts.read<Draft>(descriptionName)?.text ?? '',
    },
    { name: resultName, title: 'Your unsaved result', text: drafts.read<Draft>(resultName)?.text ?? '' },
    { name: commentName, title: 'Your unsent comment', text: drafts.read<string>(commentName) ?? '' },
  ].filter(({ text }) => text.trim() !== '')
}

interface GoneTaskProps {
  taskId: string
  /** Where it was seen. */
  deletion: ChangeEvent | undefined
  /** Reads the task again. */
  onRestored: () => void
}

/** A task that was deleted, with what was written of it. */
const GoneTask = ({ taskId, deletion, onRestored }: GoneTaskProps): ReactNode => {
  const { drafts, me } = useConsole()
  const users = useUsers()
  const restore = useRestore()
  const [isRestoring, setIsRestoring] = useState(false)
  useObservable(drafts.revision)
  const unsaved = unsavedOf(drafts, taskId)
  const putBack = async (): Promise<void> => {
    setIsRestoring(true)
    await restore('task', taskId, (entry) => entry.task === taskId)
    setIsRestoring(false)
    onRestored()
  }
  return (
    <div className="drawer-body">
      <Empty icon="trash" title={`${taskId} was deleted`}>
        {deletion && (
          <p>
            By {actorOf(users, deletion.actor).name}, <Time at={deletion.timestamp} />.
          </p>
        )}
        {unsaved.length > 0 && <p role="alert">What you wrote is kept below.</p>}
        {hasScope(useObservable(me), 'tasks:write') && (
          <Button disabled={isRestoring} onClick={() => void putBack()}>
            {unsaved.length > 0 ? 'Restore the task and go on' : 'Restore the task'}
          </Button>
        )}
      </Empty>
      {unsaved.map(({ name, title, text }) => (
        <section key={name} aria-label={title} className="unsaved">
          <header>
            <h3>{title}</h3>
            <CopyButton text={text} label={`Copy ${title.toLowerCase()}`} />
            <Button kind="quiet" small onClick={() => drafts.drop(name)}>
              Discard
            </Button>
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, and the keyboard must reach it */}
          <pre tabIndex={0}>{text}</pre>
        </section>
      ))}
    </div>
  )
}

export default GoneTask
