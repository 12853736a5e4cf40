import type { ReactNode } from 'react'
import type { Context, Task } from 'worklore-client'
import { readErrorText } from '../../api/error-text'
import { Button } from '../../components/button'
import { Skeletons } from '../../components/states'
import { ItemAnchor } from '../../lifecycle/item-anchor'
import { useConsole } from '../../store/console'
import { useLoaded } from '../../store/use-loaded'
import { TaskAnchor } from '../views/task-anchor'
import '../../styles/lifecycle.css'

interface PartProps<T> {
  title: string
  entries: readonly T[]
  omitted: number | undefined
  children: (entry: T) => ReactNode
}

/** A part of a context; nothing where it has nothing. */
const Part = <T,>({ title, entries, omitted = 0, children }: PartProps<T>): ReactNode => {
  if (entries.length + omitted === 0) return null
  return (
    <section className="related" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is read as a whole, and a note may be in it twice
          <li key={at}>{children(entry)}</li>
        ))}
      </ul>
      {omitted > 0 && <p className="muted">{omitted} more did not fit.</p>}
    </section>
  )
}

const Excerpt = ({ text }: { text: string | null | undefined }): ReactNode =>
  text ? <p className="muted agent-view-text">{text}</p> : null

const Linked = ({ id, title, text }: { id: string; title: string; text?: string | null | undefined }): ReactNode => (
  <>
    <TaskAnchor id={id} className="mono">
      {id}
    </TaskAnchor>{' '}
    {title}
    <Excerpt text={text} />
  </>
)

const Parts = ({ context }: { context: Context }): ReactNode => {
  const { omitted } = context
  return (
    <>
      <Part title="Part of" entries={context.ancestors} omitted={omitted.ancestors}>
        {({ id, title, result, description }) => <Linked id={id} title={title} text={result || description} />}
      </Part>
      <Part title="Waited for" entries={context.blockers} omitted={omitted.blockers}>
        {({ id, title, result }) => <Linked id={id} title={title} text={result} />}
      </Part>
      <Part title="Answers" entries={context.answers} omitted={omitted.answers}>
        {({ question, answer }) => (
          <>
            {question}
            <Excerpt text={answer} />
          </>
        )}
      </Part>
      <Part title="Earlier attempts" entries={context.attempts} omitted={omitted.attempts}>
        {({ by, ended, comment }) => (
          <>
            {by}, {ended}
            <Excerpt text={comment} />
          </>
        )}
      </Part>
      <Part title="Notes" entries={context.knowledge} omitted={omitted.knowledge}>
        {({ key, projectId = null, heading, passage }) => (
          <>
            <ItemAnchor itemKey={key} projectId={projectId} /> {heading && <span className="muted">{heading}</span>}
            <Excerpt text={passage} />
          </>
        )}
      </Part>
      <Part title="Done before" entries={context.similarDone} omitted={omitted.similarDone}>
        {({ id, title, result }) => <Linked id={id} title={title} text={result} />}
      </Part>
      <Part title="Others at work" entries={context.neighbours} omitted={omitted.neighbours}>
        {({ id, title, by, worker }) => <Linked id={id} title={title} text={worker ?? by} />}
      </Part>
    </>
  )
}

/** What an agent that claims the task is told about it. */
const AgentView = ({ task }: { task: Task }): ReactNode => {
  const { client } = useConsole()
  const { data, error, reload } = useLoaded(
    (signal) => client.tasks.context(task.id, {}, { signal }),
    ['context', task.id, task.version],
  )
  if (!data && error) {
    return (
      <p className="muted">
        {readErrorText(error)}{' '}
        <Button small onClick={reload}>
          Try again
        </Button>
      </p>
    )
  }
  if (!data) return <Skeletons count={3} />
  const parts = [
    data.ancestors,
    data.blockers,
    data.answers,
    data.attempts,
    data.knowledge,
    data.similarDone,
    data.neighbours,
  ]
  return (
    <>
      <p className="muted">
        {parts.every(({ length }) => length === 0)
          ? 'Nothing is known about it besides the task itself.'
          : `About ${data.tokens.toLocaleString('en')} tokens, with the task itself.`}
      </p>
      <Parts context={data} />
    </>
  )
}

export default AgentView
