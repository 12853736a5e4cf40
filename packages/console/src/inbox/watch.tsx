import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useConsole } from '../store/console'
import { notifyOfNew } from './notifications'
import { inboxOf } from './store'

/** Counts what waits for who is signed in, and tells of it, whatever page is shown. */
export const InboxWatch = (): null => {
  const console = useConsole()
  const navigate = useNavigate()
  useEffect(() => {
    const inbox = inboxOf(console)
    const ends = [inbox.start(), notifyOfNew(console, inbox, () => void navigate({ to: '/inbox' }))]
    return () => {
      for (const end of ends) end()
    }
  }, [console, navigate])
  return null
}
