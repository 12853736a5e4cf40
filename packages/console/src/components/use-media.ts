import { useCallback, useSyncExternalStore } from 'react'

/** Whether the window is as narrow as a phone, as in the style sheets. */
export const narrow = '(max-width: 760px)'

/** Whether a media query matches, for what style sheets cannot decide. */
export const useMedia = (query: string): boolean => {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
