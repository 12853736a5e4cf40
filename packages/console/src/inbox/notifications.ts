import { createObservable } from '../store/base/observable'
import type { Console } from '../store/console'
import type { Inbox } from './store'

/** Whether this browser tells of what waits. Asking for leave is the person's own click. */
const storageName = 'worklore.notifications'

type Choice = 'unsupported' | 'blocked' | 'off' | 'on'

const read = (): Choice => {
  if (!('Notification' in globalThis)) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' && localStorage.getItem(storageName) === 'on' ? 'on' : 'off'
}

export const notificationChoice = createObservable<Choice>(read())

export const setNotifications = async (isOn: boolean): Promise<void> => {
  if (isOn && Notification.permission === 'default') await Notification.requestPermission()
  localStorage.setItem(storageName, isOn ? 'on' : 'off')
  notificationChoice.set(read())
}

interface Told {
  id: string
  title: string
  body: string
}

const taskTitle = ({ tasks }: Console, taskId: string): string => {
  const title = tasks.card(taskId)?.title
  return title ? `${taskId} ${title}` : taskId
}

const waitingIn = (console: Console, { questions, reviews, entries }: Inbox): Told[] => [
  ...questions.get().map(({ id, taskId, body }) => ({ id, title: `Question on ${taskTitle(console, taskId)}`, body })),
  ...reviews.get().map((id) => ({ id: `check-${id}`, title: 'Checks to decide', body: taskTitle(console, id) })),
  ...entries.get().map(({ id, title, excerpt }) => ({ id, title, body: excerpt })),
]

const maxBodyLength = 200

/** Tells of what is new while the page is hidden. Tabs name it alike, so that it is shown once. */
export const notifyOfNew = (console: Console, inbox: Inbox, onOpen: () => void): (() => void) => {
  let known: Set<string> | undefined
  const look = (): void => {
    if (!inbox.isLoaded.get()) return
    const waiting = waitingIn(console, inbox)
    const fresh = known ? waiting.filter(({ id }) => !known!.has(id)) : []
    known = new Set(waiting.map(({ id }) => id))
    if (fresh.length === 0 || !document.hidden || read() !== 'on') return
    const [first] = fresh
    const told =
      fresh.length === 1
        ? first!
        : { id: first!.id, title: `${fresh.length} new in Needs you`, body: fresh.map(({ title }) => title).join('\n') }
    const notification = new Notification(told.title, { body: told.body.slice(0, maxBodyLength), tag: told.id })
    notification.onclick = () => {
      focus()
      notification.close()
      onOpen()
    }
  }
  look()
  const ends = [inbox.questions, inbox.reviews, inbox.entries, inbox.isLoaded].map((each) => each.subscribe(look))
  return () => {
    for (const end of ends) end()
  }
}
