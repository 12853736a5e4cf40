import { type KeyboardEvent, type ReactNode, Suspense, useRef, useState } from 'react'
import { Icon } from './icons'
import { preloaded } from './on-demand'

const choiceList = preloaded(() => import('./choice-list').then(({ ChoicePopover }) => ({ default: ChoicePopover })))

export interface Choice<T> {
  value: T
  label: string
  icon?: ReactNode
  isDangerous?: boolean
  isDisabled?: boolean
  hint?: string
}

export interface ChoiceListProps<T> {
  label: string
  choices: readonly Choice<T>[]
  selected: readonly T[]
  onChoose: (value: T) => void
  /** Offers what was typed, where no choice has that label. */
  onCreate?: (text: string) => void
}

/** The keys that send a text: pressed where no text is, they do nothing. */
export const isSending = (event: KeyboardEvent): boolean => event.key === 'Enter' && (event.metaKey || event.ctrlKey)

interface PickerProps<T> extends Omit<ChoiceListProps<T>, 'onChoose' | 'choices'> {
  /** A function is called when the list opens. */
  choices: readonly Choice<T>[] | (() => readonly Choice<T>[])
  /** What the button shows. */
  children: ReactNode
  onChoose: (value: T) => void
  className?: string
  isDisabled?: boolean
  /** Stays open, for choosing several. */
  isMultiple?: boolean
  isSet?: boolean
  isOpenAtFirst?: boolean
  /** Without a text of its own. */
  isIcon?: boolean
}

/** A button that opens a list of choices. */
export const Picker = <T,>({
  children,
  className = '',
  isDisabled,
  isMultiple,
  isSet,
  isOpenAtFirst = false,
  isIcon = false,
  ...list
}: PickerProps<T>): ReactNode => {
  // The same while it is open, even if it is loaded meanwhile.
  const [List, setList] = useState(() => (isOpenAtFirst ? choiceList.current : null))
  const anchor = useRef<HTMLButtonElement>(null)
  const close = (): void => setList(null)
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className={`picker ${className}`}
        aria-label={isIcon ? list.label : undefined}
        title={list.label}
        aria-haspopup="listbox"
        aria-expanded={List !== null}
        data-set={isSet}
        disabled={isDisabled}
        onKeyDown={(event) => {
          if (isSending(event)) event.preventDefault()
        }}
        onClick={(event) => {
          event.stopPropagation()
          setList((value: typeof List) => (value ? null : choiceList.current))
        }}
      >
        {children}
      </button>
      <Suspense>
        {List && (
          <List
            {...list}
            anchor={anchor}
            onClose={close}
            choices={typeof list.choices === 'function' ? list.choices() : list.choices}
            onChoose={(value) => {
              if (!isMultiple) close()
              list.onChoose(value)
            }}
            {...(list.onCreate && {
              onCreate: (text: string) => {
                if (!isMultiple) close()
                list.onCreate?.(text)
              },
            })}
          />
        )}
      </Suspense>
    </>
  )
}

/** What the button of a filter says beside its icon, where there is room; its title says it too. */
export const PickerText = ({ children }: { children: ReactNode }): ReactNode => (
  <span className="picker-text">{children}</span>
)

/** A button with three dots that opens a list of actions. */
export const ActionMenu = ({ label, actions }: { label: string; actions: readonly Choice<() => void>[] }): ReactNode =>
  actions.length === 0 ? null : (
    <Picker label={label} choices={actions} selected={[]} onChoose={(run) => run()} className="icon-button" isIcon>
      <Icon name="more" />
    </Picker>
  )
