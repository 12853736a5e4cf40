import type { ReactNode } from 'react'
import type { Category, Priority } from '../store/cards/task-card'

const paths = {
  overview: 'M2.5 8.5h3l1.5-5 2.5 9 1.5-4h2.5',
  board: 'M2.75 3h3v10h-3zM7.25 3h3v6.5h-3zM11.75 3h1.5v8h-1.5',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  tree: 'M3 2.5v9.5h4M3 6h4M9 4.5h4.5v3H9zM9 10.5h4.5v3H9z',
  graph: 'M2 4h4l4 4h4M2 12h4l4-4',
  book: 'M8 4c-1.2-1-3-1.25-5.25-1.25v9.5C5 12.25 6.8 12.5 8 13.5c1.2-1 3-1.25 5.25-1.25v-9.5C11 2.75 9.2 3 8 4zm0 0v9.5',
  search: 'M7 12a5 5 0 100-10 5 5 0 000 10zM10.8 10.8L14 14',
  events: 'M8 2.25v3M8 10.75v3M2.25 8h3M10.75 8h3M8 9.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3z',
  agents:
    'M4 6.5h8a1.5 1.5 0 011.5 1.5v3.5A1.5 1.5 0 0112 13H4a1.5 1.5 0 01-1.5-1.5V8A1.5 1.5 0 014 6.5zM8 6.5V3.5M8 3.5h.01M6 9.5v.5M10 9.5v.5',
  inbox: 'M2.5 9.5L4.5 3h7l2 6.5v4h-11zM2.5 9.5H6l1 2h2l1-2h3.5',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9M6.75 7v4M9.25 7v4',
  key: 'M5.5 13a3 3 0 100-6 3 3 0 000 6zM7.7 7.8L13 2.5M10.5 5l2 2',
  webhook:
    'M8 6.5a2.25 2.25 0 10-1.6-.7L4.3 10M4 13.25a2.25 2.25 0 110-4.5M6.25 11.25h4.5M12 13.25a2.25 2.25 0 10-1.5-3.9L8.6 6.2',
  usage: 'M2.5 13.5h11M4 11V8.5M8 11V3M12 11V6',
  project: 'M2.5 4.5A1.5 1.5 0 014 3h2.5l1.5 2h4a1.5 1.5 0 011.5 1.5v5A1.5 1.5 0 0112 13H4a1.5 1.5 0 01-1.5-1.5z',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  edit: 'M10.5 3l2.5 2.5L6 12.5l-3 .5.5-3z',
  history: 'M2.75 8a5.25 5.25 0 101.6-3.8M2.5 2.5v2.75h2.75M8 5v3.25l2 1.25',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6H10a3.5 3.5 0 010 7H7',
  comment: 'M3 3h10v8H7.5L4.5 13.5V11H3z',
  link: 'M6.5 9.5l3-3M7 4.5L8.6 2.9a2.6 2.6 0 013.6 3.6L10.6 8M9 11.5l-1.6 1.6a2.6 2.6 0 01-3.6-3.6L5.4 8',
  blocked: 'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11zM4.2 4.2l7.6 7.6',
  subtasks: 'M3 2.5v8.5a1.5 1.5 0 001.5 1.5H7M3 6.5h4M9.5 6.5h4M9.5 12.5h4',
  calendar: 'M3 4.5h10v9H3zM3 7.5h10M5.5 2.5v2M10.5 2.5v2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  sun: 'M8 10.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM8 2v1.5M8 12.5V14M2 8h1.5M12.5 8H14M3.8 3.8l1 1M11.2 11.2l1 1M12.2 3.8l-1 1M4.8 11.2l-1 1',
  moon: 'M13 9.5A5.5 5.5 0 016.5 3a5.5 5.5 0 106.5 6.5z',
  help: 'M6 6.2a2 2 0 113 1.7c-.7.4-1 .8-1 1.6M8 12h.01',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  alert: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.25h.01',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5l7 4.5-7 4.5z',
  user: 'M8 7.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM3 13.5c.5-2.5 2.5-4 5-4s4.5 1.5 5 4',
  tag: 'M2.75 2.75h5l5.5 5.5-5 5-5.5-5.5zM5.5 5.5h.01',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  send: 'M13.5 2.5l-11 4.5 4.5 2 2 4.5zM13.5 2.5L7 9',
  refresh: 'M13 8a5 5 0 11-1.5-3.6M13.25 2.5v2.75H10.5',
  signout: 'M9.5 3H4v10h5.5M7.5 8h6M11.5 6l2 2-2 2',
  document: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  star: 'M8 2.2l1.8 3.6 4 .6-2.9 2.8.7 4L8 11.3l-3.6 1.9.7-4L2.2 6.4l4-.6z',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }): ReactNode => (
  <svg
    className={name === 'more' ? 'icon thick' : 'icon'}
    width={size}
    height={size}
    viewBox="0 0 16 16"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)

const fillOf: Record<Category, number> = { todo: 0, in_progress: 0.5, in_review: 0.78, done: 1, cancelled: 1 }

/** A circle that fills up as work goes on. */
export const StatusIcon = ({ status, size = 14 }: { status: Category; size?: number }): ReactNode => {
  const colour = `var(--status-${status})`
  const fill = fillOf[status]
  const around = 2 * Math.PI * 2.25
  return (
    <svg width={size} height={size} viewBox="0 0 14 14" fill="none" aria-hidden="true">
      {fill === 1 ? (
        <circle cx="7" cy="7" r="6.25" fill={colour} />
      ) : (
        <circle cx="7" cy="7" r="5.75" stroke={colour} strokeWidth="1.5" />
      )}
      {fill > 0 && fill < 1 && (
        <circle
          cx="7"
          cy="7"
          r="2.25"
          stroke={colour}
          strokeWidth="4.5"
          strokeDasharray={`${around * fill} ${around}`}
          transform="rotate(-90 7 7)"
        />
      )}
      {status === 'done' && <path d="M4.2 7.2l2 2 3.7-4" stroke="var(--bg)" strokeWidth="1.6" strokeLinecap="round" />}
      {status === 'cancelled' && (
        <path d="M5 5l4 4M9 5l-4 4" stroke="var(--bg)" strokeWidth="1.5" strokeLinecap="round" />
      )}
    </svg>
  )
}

const bars = ['M1.5 8h3v4h-3z', 'M5.5 5h3v7h-3z', 'M9.5 2h3v10h-3z']
const barCounts: Record<Exclude<Priority, 'urgent'>, number> = { high: 3, medium: 2, low: 1 }

export const PriorityIcon = ({ priority, size = 14 }: { priority: Priority; size?: number }): ReactNode =>
  priority === 'urgent' ? (
    <svg width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
      <rect x="1" y="1" width="12" height="12" rx="3" fill="var(--red)" />
      <path d="M7 3.7v4.1M7 10.1v.1" stroke="var(--bg)" strokeWidth="1.7" strokeLinecap="round" />
    </svg>
  ) : (
    <svg width={size} height={size} viewBox="0 0 14 14" fill="var(--text-3)" aria-hidden="true">
      <path d={bars.slice(0, barCounts[priority]).join('')} />
      {priority !== 'high' && <path d={bars.slice(barCounts[priority]).join('')} fillOpacity="0.28" />}
    </svg>
  )
