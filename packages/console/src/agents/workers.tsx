import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { numberText } from '../components/count'
import { MiddleCut } from '../components/middle-cut'
import { useNow } from '../components/time'
import { useSetQuery } from '../query'
import { Claims, HealthCells, LastSeen, StateBadge } from './agent-cells'
import type { AgentWorker } from './derive'
import { periods } from './use-usage'

interface WorkersProps {
  workers: readonly AgentWorker[]
  /** The one that the address names. */
  chosen: string | undefined
  canUndo: boolean
}

/** The workers that share a key, with what each did in the last 24 hours. */
export const Workers = ({ workers, chosen, canUndo }: WorkersProps): ReactNode => {
  const setQuery = useSetQuery()
  const nowMs = useNow()
  return (
    <section aria-labelledby="workers">
      <div className="section-head">
        <h2 id="workers">Workers</h2>
        <span className="muted num">{numberText(workers.length)}</span>
      </div>
      <div className="table-wrap">
        <table className="data-table agents stacks">
          <thead>
            <tr>
              <th>Worker</th>
              <th>State</th>
              <th>Holds</th>
              <th>Last seen</th>
              {canUndo && (
                <>
                  <th title="Finished per hour">Finished/h</th>
                  <th>Median time</th>
                  <th>Failed</th>
                  <th>Expired</th>
                </>
              )}
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <tr key={worker.name} data-chosen={worker.name === chosen}>
                <td>
                  <span className="worker-name" title={worker.name}>
                    <MiddleCut text={worker.name} />
                  </span>
                </td>
                <td data-label="State">
                  <StateBadge state={worker.state} />
                </td>
                <td data-label="Holds" className="holds">
                  <Claims claims={worker.claims} />
                </td>
                <td data-label="Last seen" className="muted">
                  <LastSeen atMs={worker.lastAtMs} />
                </td>
                {canUndo && <HealthCells usage={worker.usage} isOfWorkers periodMs={periods['24h'].ms} nowMs={nowMs} />}
                <td className="end">
                  {canUndo && (
                    <Button
                      small
                      onClick={() => setQuery({ worker: worker.name, claim: undefined, undo: '1' })}
                      aria-label={`Undo changes by ${worker.name}`}
                    >
                      Undo
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
