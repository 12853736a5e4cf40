import { useState } from 'react'
import { useConsole } from './console'

interface KeptValue<T> {
  value: T
  /** Whether the value was restored. */
  isRestored: boolean
  set: (value: T) => void
  /** Resets to the initial value. */
  clear: () => void
}

/** Form input that survives closing the form until it is sent. */
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
      else drafts.drop(name, state.value)
      setState(({ isRestored }) => ({ value, isRestored }))
    },
    clear: () => {
      drafts.drop(name, state.value)
      setState({ value: initial, isRestored: false })
    },
  }
}
