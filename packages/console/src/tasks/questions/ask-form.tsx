import { type ReactNode, useState } from 'react'
import type { Question } from 'worklore-client'
import { errorText } from '../../api/error-text'
import { Avatar } from '../../components/avatar'
import { IconButton } from '../../components/button'
import { Picker } from '../../components/menu'
import { useConsole } from '../../store/console'
import { useUsers } from '../../store/records'
import { useKept } from '../../store/use-kept'
import { Composer } from '../composer'
import { MentionBox } from '../mention-box'

const maxOptions = 10

interface Fields {
  body: string
  options: string[]
  /** The user who is asked; any person where it is empty. */
  to: string
}

const noFields: Fields = { body: '', options: [''], to: '' }

/** An empty field at the end, for one more. */
const withSpare = (options: string[]): string[] =>
  options.at(-1) === '' || options.length === maxOptions ? options : [...options, '']

interface AskFormProps {
  taskId: string
  onAsked: (question: Question) => void
  onClose: () => void
}

/** Asks a question about a task, with options to choose from or without. */
export const AskForm = ({ taskId, onAsked, onClose }: AskFormProps): ReactNode => {
  const { client, toasts } = useConsole()
  const users = useUsers()
  const kept = useKept<Fields>(`question.${taskId}`, noFields, ({ body }) => body.trim() !== '')
  const [isSending, setIsSending] = useState(false)
  const { body, options, to } = kept.value
  const set = (changes: Partial<Fields>): void => kept.set({ ...kept.value, ...changes })
  const asked = users.get(to)
  const given = options.map((option) => option.trim()).filter(Boolean)

  const setOption = (at: number, text: string): void =>
    set({ options: withSpare(options.map((option, index) => (index === at ? text : option))) })

  const send = async (): Promise<void> => {
    setIsSending(true)
    try {
      onAsked(
        await client.questions.create(taskId, { body, ...(given.length > 0 && { options: given }), ...(to && { to }) }),
      )
      kept.clear()
      onClose()
    } catch (error) {
      toasts.error(`The question was not asked. ${errorText(error)}`)
      setIsSending(false)
    }
  }

  return (
    <div className="ask-form">
      <Composer
        box={MentionBox}
        label="Write a question"
        text={body}
        onText={(text) => set({ body: text })}
        action="Ask"
        isSending={isSending || given.length === 1}
        isFocused
        onSend={() => void send()}
        onCancel={onClose}
        onEscape={onClose}
      >
        <div className="ask-options">
          {options.map((option, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: options have no identity but their place
            <div key={index} className="ask-option">
              <input
                className="input"
                aria-label={`Option ${index + 1}`}
                placeholder={index === 0 ? 'An option to choose, if there are any' : 'Another option'}
                value={option}
                maxLength={500}
                onChange={(event) => setOption(index, event.target.value)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || event.metaKey || event.ctrlKey) return
                  event.preventDefault()
                  event.currentTarget.closest('.ask-option')?.nextElementSibling?.querySelector('input')?.focus()
                }}
              />
              {option !== '' && (
                <IconButton
                  icon="close"
                  label={`Remove option ${index + 1}`}
                  onClick={() => set({ options: withSpare(options.filter((_, at) => at !== index)) })}
                />
              )}
            </div>
          ))}
        </div>
        <Picker
          label="Ask"
          choices={() => [
            { value: '', label: 'Anyone', icon: <Avatar name={null} /> },
            ...users.list.map(({ id, name, kind }) => ({
              value: id,
              label: name,
              icon: <Avatar name={name} isAgent={kind === 'agent'} />,
            })),
          ]}
          selected={[to]}
          onChoose={(id) => set({ to: id })}
          className="bordered ask-to"
        >
          <Avatar name={asked?.name ?? null} isAgent={asked?.kind === 'agent'} />
          <span className="truncate">To {asked?.name ?? 'anyone'}</span>
        </Picker>
      </Composer>
    </div>
  )
}
