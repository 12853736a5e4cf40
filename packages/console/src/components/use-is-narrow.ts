import { useSyncExternalStore } from 'react'

/** As in the style sheets. */
const narrow = matchMedia('(max-width: 760px)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the window is as narrow as a phone, for what style sheets cannot decide. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
