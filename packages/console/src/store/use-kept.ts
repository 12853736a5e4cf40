import { useState } from 'react'
import { useConsole } from './console'

export interface KeptValue<T> {
  value: T
  /** It is what was left here before. */
  isRestored: boolean
  set: (value: T) => void
  /** Back to what it was at first. */
  clear: () => void
}

/** What is being written in a form that was not sent yet: it is there again when the form is. */
export const useKept = <T>(name: string, initial: T, isWorthKeeping: (value: T) => boolean): KeptValue<T> => {
  const { drafts } = useConsole()
  const [state, setState] = useState(() => {
    const kept = drafts.read<T>(name)
    return { value: kept ?? initial, isRestored: kept !== null }
  })
  return {
    ...state,
    set: (value) => {
      if (isWorthKeeping(value)) drafts.save(name, value)
      else drafts.drop(name)
      setState(({ isRestored }) => ({ value, isRestored }))
    },
    clear: () => {
      drafts.drop(name)
      setState({ value: initial, isRestored: false })
    },
  }
}
