import { version } from '../../config.js'
import type { Plan, Plans } from '../../limits/plans.js'
import type { FirstStart } from './first-start.js'

interface BannerFacts {
  /** Undefined where it could not listen after all. */
  url: string | undefined
  firstStart: FirstStart
  plans: Plans
  /** Of the web console, where it is there; a first start's signs in. */
  consoleUrl?: string | undefined
}

/** As `toLocaleString` gives it, which takes 20 ms the first time. */
const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

const limitsOf = (plan: Plan): string =>
  `${count(plan.requestsPerMinute)} requests a minute, ${count(plan.requestsPerDay)} a day, ${count(plan.taskCreatesPerHour)} new tasks an hour`

const planLines = ({ created }: FirstStart, plans: Plans): string[] => {
  const plan = created && plans.get(created.plan)
  if (!plan) return []
  const [limits, otherPlan] =
    plan.name === 'self-hosted' ? ['effectively unlimited', 'free'] : [limitsOf(plan), 'self-hosted']
  return [
    `Plan:  ${plan.name} (${limits}); change it with: npx worklore tenants set-plan ${created.tenantName} ${otherPlan}`,
  ]
}

const keyLines = ({ newSecret }: FirstStart): string[] =>
  newSecret === undefined ? [] : ['', 'Your admin key, shown only once:', '', `  ${newSecret}`, '']

const consoleLines = (consoleUrl: string | undefined, { created }: FirstStart): string[] => {
  if (consoleUrl === undefined) return []
  if (!created) return [`Console:  ${consoleUrl}  (sign in with: npx worklore console)`]
  return [
    '',
    'Open the web console. This link signs you in once, within 10 minutes; get another with: npx worklore console',
    '',
    `  ${consoleUrl}`,
    '',
  ]
}

/** What a start tells its operator, in one piece, so that no line of the log falls between. */
export const banner = ({ url, firstStart, plans, consoleUrl }: BannerFacts): string =>
  [
    ...(url === undefined ? [] : [`Worklore ${version} listening on ${url}`, `Docs:  ${url}/docs`]),
    ...planLines(firstStart, plans),
    ...keyLines(firstStart),
    ...consoleLines(consoleUrl, firstStart),
  ].join('\n')
