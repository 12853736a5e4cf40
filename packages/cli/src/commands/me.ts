import type { Paused } from 'worklore-client'
import { command } from '../command.js'
import { bar } from '../terminal/progress.js'
import { type Column, fieldLines, table } from '../terminal/table.js'
import { relative } from '../times.js'

interface Use {
  name: string
  used: number
  limit: number
  /** When it begins anew; empty for what does not. */
  reset: string
}

const barWidth = 20
const isNearlyUsed = ({ used, limit }: Use): boolean => used >= limit * 0.9

const columns: readonly Column<Use>[] = [
  ['NAME', 'name'],
  ['USED', ({ used }) => used.toLocaleString('en-US')],
  ['LIMIT', ({ limit }) => limit.toLocaleString('en-US')],
  ['RESET', 'reset'],
  ['SHARE', (use) => ({ text: bar(use.used / use.limit, barWidth), style: isNearlyUsed(use) ? 'red' : 'green' })],
]

export const usage = command({
  run: async (cli) => {
    const me = await cli.client().me()
    const nowMs = Date.now()
    const uses: Use[] = [
      ...me.limits.map(({ name, limit, remaining, reset }) => ({
        name,
        used: limit - remaining,
        limit,
        reset: reset * 1_000 > nowMs ? `in ${relative(new Date(reset * 1_000).toISOString(), nowMs)}` : '',
      })),
      ...me.quotas.map(({ name, limit, used }) => ({ name, used, limit, reset: '' })),
    ]
    return {
      body: { data: me },
      ids: uses.map(({ name }) => name),
      text: (screen) => table(screen, screen.isTerminal ? columns : columns.slice(0, -1), uses),
    }
  },
})

const pauseLines = (what: string, paused: Paused | null): [string, string][] =>
  paused ? [['paused', `${what}, by ${paused.by.keyName}: ${paused.reason}`]] : []

export const whoami = command({
  run: async (cli) => {
    const me = await cli.client().me()
    const lines = [
      ['server', cli.settings.url],
      ['tenant', `${me.tenant.name} (plan ${me.plan})`],
      ['key', `${me.key.name} (${me.key.id})`],
      ['user', me.user ? `${me.user.name} (${me.user.id})` : 'none'],
      ['scopes', me.scopes.join(', ')],
      ['projects', me.projects ? me.projects.map(({ key }) => key).join(', ') : 'all'],
      ['project', cli.settings.project ?? 'none set'],
      ...pauseLines('everything', me.tenant.paused),
      ...pauseLines('this key', me.key.paused),
      ...me.warnings.map(({ message }) => ['warning', message]),
    ] as [string, string][]
    return {
      body: { data: me },
      ids: [me.key.id],
      text: (screen) => fieldLines(screen, lines),
    }
  },
})
