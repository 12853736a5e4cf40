import { type ReactNode, useState } from 'react'
import type { Question, Task } from 'worklore-client'
import { actorOf } from '../../api/actor'
import { hasScope } from '../../api/permissions'
import { IconButton } from '../../components/button'
import { numberText } from '../../components/count'
import { Time } from '../../components/time'
import { useKeys } from '../../keyboard/use-keys'
import { Markdown } from '../../markdown/markdown'
import { isOpen } from '../../store/cards/task-card'
import { useMe, useUsers } from '../../store/records'
import { AskForm } from './ask-form'
import { AskedBy } from './asked-by'
import type { TaskQuestions } from './use-questions'
import '../../styles/questions.css'

const Answer = ({ question: { answer } }: { question: Question }): ReactNode => {
  const users = useUsers()
  if (!answer) return <p className="muted">Withdrawn without an answer.</p>
  return (
    <div className="question-answer">
      <p>
        <b>{actorOf(users, answer.by).name}</b> {answer.option === null ? 'answered' : <>chose “{answer.option}”</>}{' '}
        <span className="muted">
          <Time at={answer.at} />
        </span>
      </p>
      {answer.body !== null && <Markdown text={answer.body} />}
    </div>
  )
}

/** Questions that were answered or withdrawn, and a form to ask another. */
export const ClosedQuestions = ({ task, questions, put }: TaskQuestions & { task: Task }): ReactNode => {
  const me = useMe()
  const [isAsking, setIsAsking] = useState(false)
  const closed = questions.filter(({ state }) => state !== 'open')
  const canAsk = hasScope(me, 'tasks:write') && isOpen(task.statusCategory)
  useKeys({ q: () => setIsAsking(true) }, canAsk && !isAsking)
  if (closed.length === 0 && !canAsk) return null
  return (
    <section className="links" aria-label="Questions">
      <div className="links-head">
        <h3>Questions</h3>
        {closed.length > 0 && <span className="muted num">{numberText(closed.length)} answered</span>}
        {canAsk && <IconButton icon="plus" label="Ask a question" onClick={() => setIsAsking(true)} />}
      </div>
      {closed.map((question) => (
        <article key={question.id} className="question closed">
          <AskedBy question={question} />
          <Markdown text={question.body} />
          <Answer question={question} />
        </article>
      ))}
      {isAsking && <AskForm taskId={task.id} onAsked={put} onClose={() => setIsAsking(false)} />}
    </section>
  )
}
