import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Icon } from './icons'
import { type ChoiceListProps, isSending } from './menu'
import { Popover, type PopoverAnchor } from './popover'

/** Lists longer than this can be filtered by typing. */
const filterFrom = 7

/** Options to choose from by mouse, keyboard or typing; the focus stays in one place. */
export const ChoiceList = <T,>({ label, choices, selected, onChoose, onCreate }: ChoiceListProps<T>): ReactNode => {
  const [text, setText] = useState('')
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      choices.findIndex(({ value }) => selected.includes(value)),
    ),
  )
  const id = useId()
  const box = useRef<HTMLElement>(null)
  /** The beginning of a label, as far as it was typed into a list without a filter. */
  const begun = useRef('')
  const hasFilter = choices.length >= filterFrom || onCreate !== undefined
  const matching = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    return wanted ? choices.filter((choice) => choice.label.toLowerCase().includes(wanted)) : choices
  }, [choices, text])
  const wanted = text.trim()
  const canCreate = onCreate && wanted !== '' && !choices.some((choice) => choice.label === wanted)
  const count = matching.length + (canCreate ? 1 : 0)

  useEffect(() => box.current?.focus(), [])
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, id])

  const choose = (index: number): void => {
    const choice = matching[index]
    if (choice) {
      if (!choice.isDisabled) onChoose(choice.value)
    } else if (canCreate) onCreate(wanted)
  }

  /** Goes on with what was typed, or begins anew where no label goes on like that. */
  const findTyped = (key: string): boolean => {
    for (const typed of [begun.current + key.toLowerCase(), key.toLowerCase()]) {
      const at = choices.findIndex((choice) => choice.label.toLowerCase().startsWith(typed))
      if (at < 0) continue
      begun.current = typed
      setActive(at)
      return true
    }
    return false
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isTyped = !hasFilter && event.key.length === 1 && !event.metaKey && !event.ctrlKey
    if (step) {
      begun.current = ''
      setActive((index) => (index + step + count) % Math.max(1, count))
    } else if (event.key === 'Enter' || (isTyped && !findTyped(event.key) && event.key === ' ')) {
      if (!isSending(event)) choose(active)
    } else if (!isTyped) return
    event.preventDefault()
    event.stopPropagation()
  }

  const options = (
    <div
      className="popover-list"
      role="listbox"
      id={`${id}-list`}
      aria-label={label}
      aria-multiselectable={selected.length > 1 || undefined}
      {...(!hasFilter && {
        ref: box as React.Ref<HTMLDivElement>,
        tabIndex: 0,
        onKeyDown,
        'aria-activedescendant': `${id}-${active}`,
      })}
    >
      {matching.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keyboard's focus
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the keyboard's focus
        <div
          key={`${choice.label} ${choice.hint ?? ''} ${String(choice.value)}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={selected.includes(choice.value)}
          aria-disabled={choice.isDisabled || undefined}
          data-active={index === active}
          className={choice.isDangerous ? 'option danger' : 'option'}
          onMouseMove={() => setActive(index)}
          onClick={() => choose(index)}
        >
          {choice.icon}
          <span className="truncate">{choice.label}</span>
          {choice.hint && <span className="muted">{choice.hint}</span>}
          {selected.includes(choice.value) && (
            <span className="option-check">
              <Icon name="check" size={14} />
            </span>
          )}
        </div>
      ))}
      {canCreate && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keyboard's focus
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the keyboard's focus
        <div
          id={`${id}-${matching.length}`}
          role="option"
          aria-selected={false}
          data-active={active === matching.length}
          className="option"
          onClick={() => onCreate(wanted)}
        >
          <Icon name="plus" size={14} />
          <span className="truncate">Add “{wanted}”</span>
        </div>
      )}
      {count === 0 && (
        <div role="option" aria-selected={false} aria-disabled="true" tabIndex={-1} className="option">
          {onCreate ? 'Type to add one' : 'Nothing matches'}
        </div>
      )}
    </div>
  )

  return hasFilter ? (
    <>
      <input
        ref={box as React.Ref<HTMLInputElement>}
        className="popover-filter"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={count > 0 ? `${id}-${active}` : undefined}
        placeholder={`${label}…`}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      {options}
    </>
  ) : (
    options
  )
}

/** The list of a picker, below its button. */
export const ChoicePopover = <T,>({
  anchor,
  onClose,
  ...list
}: ChoiceListProps<T> & { anchor: PopoverAnchor; onClose: () => void }): ReactNode => (
  <Popover anchor={anchor} onClose={onClose}>
    <ChoiceList {...list} />
  </Popover>
)
