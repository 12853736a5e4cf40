import { useEffect } from 'react'
import { useConsole } from '../store/console'
import { inboxOf } from './store'

/** Counts what waits for who is signed in, whatever page is shown. */
export const InboxWatch = (): null => {
  const console = useConsole()
  useEffect(() => inboxOf(console).start(), [console])
  return null
}
