import type { ReactNode } from 'react'
import { Sparkline } from '../components/charts'
import { countOf, numberText } from '../components/count'
import { Failure, Skeletons } from '../components/states'
import { failureText } from './agent-cells'
import { failureShare, finishedPerHour, medianText, rateText, refusalsOf, refusedTotal, shareText } from './health'
import { periods, useUsage } from './use-usage'

const Figure = ({ name, value, note }: { name: string; value: string; note?: string }): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>
      <span className="num">{value}</span>
      {note && <small className="muted figure-note">{note}</small>}
    </dd>
  </div>
)

const hourMs = 3_600_000

/** One value for each of the last hours, oldest first. */
const byHour = (rows: readonly { at: string | null; requests: number }[], nowMs: number, hours: number): number[] => {
  const values = new Array<number>(hours).fill(0)
  for (const { at, requests } of rows) {
    const ago = Math.floor(nowMs / hourMs) - Math.floor(Date.parse(at ?? '') / hourMs)
    if (ago >= 0 && ago < hours) values[hours - 1 - ago] = requests
  }
  return values
}

/** How an agent did in the last 24 hours, and what was refused. */
export const KeyUsage = ({ keyId }: { keyId: string }): ReactNode => {
  const { rows, isLoaded, error } = useUsage('24h', { keyId })
  const { rows: hours } = useUsage('24h', { keyId, by: 'hour' })
  const nowMs = Date.now()
  const usage = rows[0]
  const requests = byHour(hours, nowMs, 24)
  return (
    <>
      <section aria-labelledby="health">
        <div className="section-head">
          <h2 id="health">Last 24 hours</h2>
        </div>
        {error && !isLoaded ? (
          <Failure error={error} what="what it did" />
        ) : !isLoaded ? (
          <Skeletons count={2} />
        ) : !usage ? (
          <p className="muted">It made no request.</p>
        ) : (
          <dl className="facts">
            <Figure
              name="Finished per hour"
              value={rateText(finishedPerHour(usage, periods['24h'].ms, nowMs))}
              note={countOf(usage.claims.finished, 'task')}
            />
            <Figure name="Median time per task" value={medianText(usage)} />
            <Figure name="Failed" value={shareText(failureShare(usage))} note={failureText(usage)} />
            <Figure name="Expired claims" value={numberText(usage.claims.expired)} />
            <div>
              <dt>Requests</dt>
              <dd className="cell-flex">
                <span className="num">{numberText(usage.requests)}</span>
                <Sparkline values={requests} label={`${countOf(usage.requests, 'request')} by the hour`} />
              </dd>
            </div>
          </dl>
        )}
      </section>
      <section aria-labelledby="refusals">
        <div className="section-head">
          <h2 id="refusals">Refused requests</h2>
          {usage && <span className="muted num">{numberText(refusedTotal(usage))}</span>}
        </div>
        {isLoaded && (!usage || refusedTotal(usage) === 0) ? (
          <p className="muted">Nothing was refused in the last 24 hours.</p>
        ) : (
          <ul className="rows">
            {usage &&
              refusalsOf(usage).map(({ status, name, count }) => (
                <li key={status} className="row">
                  <span className="badge red">{status}</span>
                  <span className="row-main">{name}</span>
                  <span className="num">{numberText(count)}</span>
                </li>
              ))}
          </ul>
        )}
      </section>
    </>
  )
}
