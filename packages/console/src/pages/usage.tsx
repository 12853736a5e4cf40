import { type ReactNode, Suspense, useEffect } from 'react'
import { hasScope } from '../api/permissions'
import { Meter } from '../components/charts'
import { numberText } from '../components/count'
import { onDemand } from '../components/on-demand'
import { Failure, Skeletons } from '../components/states'
import { durationText, useNow } from '../components/time'
import { Page } from '../layout/page'
import { useConsole } from '../store/console'
import { useLoaded } from '../store/use-loaded'
import '../styles/manage.css'

const UsageTables = onDemand(() => import('../agents/usage-tables'))

const rereadEveryMs = 10_000
/** Higher limits only stop runaways and are not shown as meters. */
const effectivelyUnlimited = 1_000_000

const bytesText = (bytes: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 })} ${units[step]}`
}

interface EmbeddingProgress {
  waiting: number
  searchable: number | null
  secondsLeft: number | null
}

const searchableText = ({ waiting, searchable, secondsLeft }: EmbeddingProgress): string => {
  const known = searchable ?? 0
  const left = secondsLeft === null ? '' : `; about ${durationText(secondsLeft * 1000)} left`
  return `${numberText(known)} of ${numberText(known + waiting)} records are searchable by meaning${left}.`
}

const amountText = (name: string, amount: number): string =>
  name.includes('bytes') ? bytesText(amount) : numberText(amount)

const Bar = ({
  name,
  used,
  limit,
  note,
}: {
  name: string
  used: number
  limit: number
  note?: string | undefined
}): ReactNode => {
  const isUnlimited = limit >= effectivelyUnlimited && !name.includes('bytes')
  return (
    <li className="usage-bar">
      <div className="usage-line">
        <span>{name}</span>
        <span className="num">
          {amountText(name, used)}
          <span className="muted">{isUnlimited ? ', no limit' : ` of ${amountText(name, limit)}`}</span>
        </span>
      </div>
      {!isUnlimited && <Meter used={used} limit={limit} label={name} />}
      {note && <small className="muted">{note}</small>}
    </li>
  )
}

export const UsagePage = (): ReactNode => {
  const app = useConsole()
  const { client } = app
  const nowMs = useNow()
  const {
    data: me,
    error,
    reload,
  } = useLoaded(
    async (signal) => {
      const me = await client.me({ signal })
      app.me.set(me)
      return me
    },
    ['me'],
  )
  useEffect(() => {
    const timer = setInterval(reload, rereadEveryMs)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <Page title="Usage">
      <div className="page-body">
        <div className="page-content narrow">
          {error && !me ? (
            <Failure error={error} what="the usage" onRetry={reload} />
          ) : !me ? (
            <Skeletons />
          ) : (
            <>
              <section>
                <div className="section-head">
                  <h2>Rate limits</h2>
                  <span className="muted">
                    plan {me.plan}, shared by all keys of {me.tenant.name}
                  </span>
                </div>
                <ul className="usage-bars">
                  {me.limits.map(({ name, limit, remaining, reset }) => {
                    const used = limit - remaining
                    const leftMs = reset * 1000 - nowMs
                    return (
                      <Bar
                        key={name}
                        name={name}
                        used={used}
                        limit={limit}
                        note={used > 0 && leftMs > 0 ? `resets in ${durationText(leftMs)}` : 'not used in this window'}
                      />
                    )
                  })}
                </ul>
              </section>
              <section>
                <div className="section-head">
                  <h2>Quotas</h2>
                </div>
                {me.quotas.length === 0 ? (
                  <p className="muted">The plan {me.plan} has no quotas.</p>
                ) : (
                  <ul className="usage-bars">
                    {me.quotas.map(({ name, limit, used }) => (
                      <Bar key={name} name={name} used={used} limit={limit} />
                    ))}
                  </ul>
                )}
                {me.embedding && me.embedding.waiting > 0 && <p className="muted">{searchableText(me.embedding)}</p>}
              </section>
              {hasScope(me, 'admin') && (
                <Suspense fallback={<Skeletons />}>
                  <UsageTables />
                </Suspense>
              )}
            </>
          )}
        </div>
      </div>
    </Page>
  )
}
