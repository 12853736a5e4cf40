import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import type { User } from 'worklore-client'
import { Avatar } from '../components/avatar'
import { Popover } from '../components/popover'
import { useConsole } from '../store/console'
import { useObservable } from '../store/observable'
import type { TextBoxProps } from './composer'
import { type Mention, matchingUsers, mentionAt } from './mentions'

/** A text box that offers users after an @. The list never has the focus: the box says which option is active. */
export const MentionBox = ({ element, text, onText, onKeyDown, ...rest }: TextBoxProps): ReactNode => {
  const users = useObservable(useConsole().users.list)
  const [mention, setMention] = useState<Mention | null>(null)
  const [active, setActive] = useState(0)
  /** Where a list was closed, so that it stays closed while the same handle is written. */
  const dismissed = useRef(-1)
  const caret = useRef<number>(null)
  const id = useId()
  const matching = mention ? matchingUsers(users, mention.typed) : []
  const isOpen = matching.length > 0
  const at = Math.min(active, matching.length - 1)

  // A text that is set from outside moves the caret to its end.
  useLayoutEffect(() => {
    if (caret.current === null) return
    element.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })

  const look = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void => {
    const found = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : null
    if (!found) dismissed.current = -1
    if (found?.start !== mention?.start || found?.typed !== mention?.typed) setActive(0)
    setMention(found && found.start !== dismissed.current ? found : null)
  }
  const close = (): void => {
    dismissed.current = mention?.start ?? -1
    setMention(null)
  }
  const choose = ({ handle }: User): void => {
    if (!mention) return
    const rest = text.slice(mention.start + mention.typed.length)
    const written = `${handle}${/^\s/.test(rest) ? '' : ' '}`
    caret.current = mention.start + handle.length + 1
    setMention(null)
    onText(text.slice(0, mention.start) + written + rest)
  }

  /** Whether the list took the key. */
  const takesKey = (event: KeyboardEvent): boolean => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey
    if (!isOpen || !isPlain || event.nativeEvent.isComposing) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((at + step + matching.length) % matching.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(matching[at]!)
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  return (
    <>
      <textarea
        {...rest}
        ref={element}
        value={text}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen ? `${id}-${at}` : undefined}
        onChange={(event) => {
          onText(event.target.value)
          look(event.target)
        }}
        onSelect={(event) => look(event.currentTarget)}
        onBlur={() => setMention(null)}
        onKeyDown={(event) => takesKey(event) || onKeyDown?.(event)}
      />
      {isOpen && (
        <Popover anchor={element} onClose={close}>
          <div className="popover-list" role="listbox" id={`${id}-list`} aria-label="People to mention">
            {matching.map((user, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the box has the keyboard's focus
              <div
                key={user.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === at}
                data-active={index === at}
                className="option"
                onMouseMove={() => setActive(index)}
                // Before the box loses the focus.
                onMouseDown={(event) => {
                  event.preventDefault()
                  choose(user)
                }}
              >
                <Avatar name={user.name} isAgent={user.kind === 'agent'} />
                <span className="truncate">{user.name}</span>
                <span className="muted">@{user.handle}</span>
              </div>
            ))}
          </div>
        </Popover>
      )}
    </>
  )
}
