import { ConflictError, PreconditionFailedError, Worklore } from 'worklore-client'

/** A first walk through the service, as often as you like: WORKLORE_URL and WORKLORE_KEY say where and as whom. */
const wl = new Worklore({
  baseUrl: process.env.WORKLORE_URL ?? 'http://127.0.0.1:8787',
  apiKey: process.env.WORKLORE_KEY ?? '',
  onRetry: ({ error, waitMs }) => console.error(`${error.message} Trying again in ${waitMs} ms.`),
})

const me = await wl.me()
console.log(`Tenant ${me.tenant.name} on the plan ${me.plan}`)

const { pagination: now } = await wl.events.list({ after: 'latest' })

try {
  await wl.projects.create({ key: 'ACME', name: 'Acme website' })
} catch (error) {
  // It is there from an earlier run.
  if (!(error instanceof ConflictError)) throw error
}
const task = await wl.tasks.create({ projectId: 'ACME', title: 'Fix the login redirect', labels: ['bug'] })
console.log(`Created ${task.id}: ${task.title}`)

const started = await wl.tasks.update(task.id, { status: 'in_progress' }, { ifMatch: task })
console.log(`${started.id} is ${started.status} at version ${started.version}`)

try {
  await wl.tasks.update(task.id, { status: 'done' }, { ifMatch: task })
} catch (error) {
  if (!(error instanceof PreconditionFailedError)) throw error
  console.log(`Someone was faster: it is at version ${error.currentVersion} now`)
}

const labelled = await wl.tasks.update(task.id, ({ labels }) => ({ labels: [...labels, 'login'] }))
console.log(`Labels: ${labelled.labels.join(', ')}`)

await wl.knowledge.put('guides/setup/linux', { content: '# Setup on Linux\n\nInstall Node 20, then run npm start.' })
for await (const hit of wl.knowledge.search('install on linux')) console.log(`Found ${hit.key}`)

for await (const open of wl.tasks.list({ status: ['todo', 'in_progress'] })) console.log(`Open: ${open.id}`)

const { pagination: end } = await wl.events.list({ after: 'latest' })
for await (const event of wl.events.stream({ after: now.nextAfter })) {
  console.log(`Event ${event.type}`)
  if (event.sequence >= end.nextAfter) break
}

if (wl.limits && wl.limits.remaining > 0) console.log('There are requests left in this window')
