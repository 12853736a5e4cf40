import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { AnswerQuestionBody, Question } from 'worklore-client'
import { Button, Kbd } from '../../components/button'
import { useKeys } from '../../keyboard/use-keys'
import { useKept } from '../../store/use-kept'
import { Composer } from '../composer'
import '../../styles/questions.css'

interface AnswerFormProps {
  question: Question
  /** The digits choose an option, and r goes to the text. */
  hasKeys: boolean
  /** Resolves with whether the service accepted it. */
  onAnswer: (answer: AnswerQuestionBody) => Promise<boolean>
}

/** `1` to `9`, then `0`. */
const keyOf = (index: number): string => String((index + 1) % 10)

/** Options as buttons, with a note where there is more to say; a text where there are no options. */
export const AnswerForm = ({ question, hasKeys, onAnswer }: AnswerFormProps): ReactNode => {
  const { id, options } = question
  const text = useKept(`answer.${id}`, '', (value) => value.trim() !== '')
  const [isSending, setIsSending] = useState(false)
  const [hasNote, setHasNote] = useState(text.isRestored)
  const box = useRef<HTMLDivElement>(null)
  const body = text.value.trim() === '' ? {} : { body: text.value }
  const send = async (answer: AnswerQuestionBody): Promise<void> => {
    if (isSending) return
    setIsSending(true)
    if (await onAnswer(answer)) text.clear()
    setIsSending(false)
  }
  const choose = (option: string): void => void send({ option, ...body })

  const reply = (): void => {
    // What is typed next belongs into the box.
    flushSync(() => setHasNote(true))
    box.current?.querySelector('textarea')?.focus()
  }
  const digits = (options ?? []).map((option, index): [string, (event: KeyboardEvent) => void] => [
    keyOf(index),
    // A key that is held down must not answer the next question as well.
    (event) => !event.repeat && choose(option),
  ])
  useKeys({ ...Object.fromEntries(digits), r: reply }, hasKeys)

  return (
    <div className="answer-form" ref={box}>
      {options && (
        <div className="answer-options" role="group" aria-label="Options">
          {options.map((option, index) => (
            <Button key={option} disabled={isSending} onClick={() => choose(option)}>
              {hasKeys && <Kbd>{keyOf(index)}</Kbd>}
              <span className="option-text">{option}</span>
            </Button>
          ))}
          {!hasNote && (
            <Button kind="quiet" onClick={reply}>
              Add a note {hasKeys && <Kbd>r</Kbd>}
            </Button>
          )}
        </div>
      )}
      {options && hasNote && (
        <textarea
          className="textarea"
          aria-label="Note for the answer"
          placeholder="A note, in Markdown; then choose an option"
          value={text.value}
          onChange={(event) => text.set(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
      )}
      {!options && (
        <Composer
          label="Write an answer"
          text={text.value}
          onText={text.set}
          action="Answer"
          isSending={isSending}
          onSend={() => void send(body)}
        />
      )}
    </div>
  )
}
