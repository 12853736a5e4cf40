import type { ReactNode } from 'react'
import { numberText } from '../components/count'
import { relativeTime, useNow } from '../components/time'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'
import { TaskAnchor } from '../tasks/views/task-anchor'
import '../styles/data-table.css'

const maxShown = 100

/** What live claims reserve; nothing where that is nothing. `claims` changes with them. */
const Reservations = ({ claims }: { claims: string }): ReactNode => {
  const { client } = useConsole()
  const { data } = useLoaded(
    (signal) => client.reservations.list({ limit: maxShown }, { signal }),
    ['reservations', claims],
  )
  const nowMs = useNow()
  const live = (data?.data ?? []).filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs)
  if (live.length === 0) return null
  return (
    <section aria-labelledby="reservations">
      <div className="section-head">
        <h2 id="reservations">Reserved</h2>
        <span className="muted num">
          {numberText(live.length)}
          {data?.pagination.hasMore ? '+' : ''}
        </span>
      </div>
      <div className="table-wrap">
        <table className="data-table">
          <thead>
            <tr>
              <th>Resource</th>
              <th>Task</th>
              <th>Held by</th>
              <th>Lease ends</th>
            </tr>
          </thead>
          <tbody>
            {live.map(({ resource, taskId, title, heldBy, worker, expiresAt }) => (
              <tr key={`${taskId} ${resource}`}>
                <td className="mono">{resource}</td>
                <td>
                  <TaskAnchor id={taskId} className="">
                    {taskId} {title}
                  </TaskAnchor>
                </td>
                <td>{worker ?? heldBy.name}</td>
                <td className="num">{relativeTime(expiresAt, nowMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

export default Reservations
