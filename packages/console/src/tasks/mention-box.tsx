import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Avatar } from '../components/avatar'
import { useUsers } from '../store/records'
import { SuggestionList, useSuggestions } from '../suggestions/suggestions'
import type { TextBoxProps } from './composer'
import { matchingUsers, mentionAt } from './mentions'

/** A text box that offers users after an @. */
export const MentionBox = ({ element, text, onText, onKeyDown, ...rest }: TextBoxProps): ReactNode => {
  const users = useUsers().list
  const caret = useRef<number>(null)
  const suggestions = useSuggestions({
    find: mentionAt,
    matching: (typed) => matchingUsers(users, typed),
    onChoose: ({ handle }, { start, typed }) => {
      const after = text.slice(start + typed.length)
      caret.current = start + handle.length + 1
      onText(`${text.slice(0, start)}${handle}${/^\s/.test(after) ? '' : ' '}${after}`)
    },
  })
  const { id, isOpen, at } = suggestions

  // A text that is set from outside moves the caret to its end.
  useLayoutEffect(() => {
    if (caret.current === null) return
    element.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })

  const look = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void =>
    suggestions.look(value, selectionStart === selectionEnd ? selectionStart : null)

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
        onBlur={suggestions.leave}
        onKeyDown={(event) => {
          if (!suggestions.takesKey(event.nativeEvent)) return onKeyDown?.(event)
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {isOpen && (
        <SuggestionList
          label="People to mention"
          anchor={element}
          suggestions={suggestions}
          keyOf={({ id: userId }) => userId}
        >
          {(user) => (
            <>
              <Avatar name={user.name} isAgent={user.kind === 'agent'} />
              <span className="truncate">{user.name}</span>
              <span className="muted">@{user.handle}</span>
            </>
          )}
        </SuggestionList>
      )}
    </>
  )
}
