import type { ReactNode } from 'react'
import { ActionMenu } from '../../components/menu'
import { Pending } from '../../lifecycle/related'
import { Markdown } from '../../markdown/markdown'
import { useMe } from '../../store/records'
import { AnswerForm } from './answer-form'
import { AskedBy } from './asked-by'
import { mayAnswer, mayWithdraw } from './rights'
import { useAnswer } from './use-answer'
import type { TaskQuestions } from './use-questions'
import '../../styles/questions.css'

/** Questions that wait for an answer; the keys answer the first. */
export const OpenQuestions = ({ isLoading, questions, put }: TaskQuestions): ReactNode => {
  const me = useMe()
  const { answer, withdraw } = useAnswer(put)
  const open = questions.filter(({ state }) => state === 'open')
  if (isLoading) return <Pending />
  if (open.length === 0) return null
  const first = open.find((question) => mayAnswer(me, question))
  return (
    <section className="open-questions" aria-label="Open questions">
      {open.map((question) => (
        <article key={question.id} className="question">
          <header className="question-head">
            <AskedBy question={question} />
            {mayWithdraw(me, question) && (
              <ActionMenu
                label="Actions on this question"
                actions={[{ value: () => void withdraw(question), label: 'Withdraw' }]}
              />
            )}
          </header>
          <Markdown text={question.body} />
          {mayAnswer(me, question) && (
            <AnswerForm
              question={question}
              hasKeys={question === first}
              onAnswer={(given) => answer(question, given)}
            />
          )}
        </article>
      ))}
    </section>
  )
}
