import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { UsageRow } from 'worklore-client'
import { Sparkline } from '../components/charts'
import { countOf, numberText } from '../components/count'
import { Failure, Skeletons } from '../components/states'
import { useKeyRecords, useProjects } from '../store/records'
import { refusedTotal } from './health'
import { useUsage } from './use-usage'
import '../styles/data-table.css'

const days = 30
const dayMs = 86_400_000

interface TableProps {
  id: string
  title: string
  rows: readonly UsageRow[]
  nameOf: (row: UsageRow) => ReactNode
}

const Table = ({ id, title, rows, nameOf }: TableProps): ReactNode => (
  <section aria-labelledby={id}>
    <div className="section-head">
      <h2 id={id}>{title}</h2>
      <span className="muted">last 30 days</span>
    </div>
    <div className="table-wrap">
      <table className="data-table stacks">
        <thead>
          <tr>
            <th>{title.replace('By ', '').replace(/^./, (letter) => letter.toUpperCase())}</th>
            <th className="end">Requests</th>
            <th className="end">Writes</th>
            <th className="end">Refused</th>
            <th className="end">Finished tasks</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.keyId ?? row.projectId ?? ''}>
              <td>{nameOf(row)}</td>
              {(
                [
                  ['Requests', row.requests],
                  ['Writes', row.writes],
                  ['Refused', refusedTotal(row)],
                  ['Finished', row.claims.finished],
                ] as const
              ).map(([label, value]) => (
                <td key={label} data-label={label} className="num figure">
                  {numberText(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
)

/** What every key did, and what was done in every project. */
const UsageTables = (): ReactNode => {
  const keys = useKeyRecords()
  const projects = useProjects()
  const byKey = useUsage('30d', { by: 'key' })
  const byProject = useUsage('30d', { by: 'project' })
  const byDay = useUsage('30d', { by: 'day' })
  if (byKey.error && !byKey.isLoaded) return <Failure error={byKey.error} what="what keys did" />
  if (!byKey.isLoaded || !byProject.isLoaded) return <Skeletons />
  const today = Math.floor(Date.now() / dayMs)
  const values = new Array<number>(days).fill(0)
  for (const { at, requests } of byDay.rows) {
    const ago = today - Math.floor(Date.parse(at!) / dayMs)
    if (ago >= 0 && ago < days) values[days - 1 - ago] = requests
  }
  const total = values.reduce((sum, value) => sum + value, 0)
  return (
    <>
      <section aria-labelledby="by-day">
        <div className="section-head">
          <h2 id="by-day">Requests by day</h2>
          <span className="muted">{numberText(total)} in the last 30 days</span>
        </div>
        <Sparkline values={values} label={`${countOf(total, 'request')} by day, today last`} width={300} height={48} />
      </section>
      <Table
        id="by-key"
        title="By key"
        rows={byKey.rows}
        nameOf={({ keyId }) => (
          <Link to="/agents/$keyId" params={{ keyId: keyId! }} className="link">
            {keys.get(keyId!)?.name ?? `revoked key ${keyId!.slice(-4)}`}
          </Link>
        )}
      />
      <Table
        id="by-project"
        title="By project"
        rows={byProject.rows}
        nameOf={({ projectId }) => {
          if (projectId === null) return <span className="muted">no single project</span>
          const project = projects.get(projectId)
          if (!project) return <span className="muted">deleted project</span>
          return (
            <Link to="/p/$project/board" params={{ project: project.key }} className="link">
              {project.name}
            </Link>
          )
        }}
      />
    </>
  )
}

export default UsageTables
