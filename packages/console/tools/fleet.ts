import { NotFoundError, Worklore } from 'worklore-client'

/** Lifelike data: a fleet of agents at work on three projects, with people who look after them. */

const agentNames = ['atlas', 'beacon', 'cedar', 'delta', 'ember', 'fjord', 'granite', 'harbor', 'iris', 'juniper']

const titles = {
  SHOP: [
    'Fix the login redirect after a session expires',
    'Show taxes in the cart before checkout',
    'Retry failed card payments with a fresh token',
    'Move product images to WebP',
    'Cache the category tree for an hour',
    'Email the receipt as PDF',
    'Reject coupons that are past their date',
    'Support Apple Pay on the product page',
    'Split the checkout into two steps on phones',
    'Index products by manufacturer',
    'Warn when an address cannot be delivered to',
    'Remove the old wish list code',
    'Return 409 when stock runs out during checkout',
    'Add a size guide to clothing pages',
    'Let guests track an order by its number',
    'Measure time to first byte per region',
    'Translate the checkout into French',
    'Restore carts on a second device',
    'Group order mails of one day',
    'Fix rounding of discounts in yen',
    'Load reviews only when they are visible',
    'Limit login attempts per address',
    'Show delivery dates by postcode',
    'Send a reminder for abandoned carts',
    'Make product filters work with the keyboard',
    'Write a load test for the sale weekend',
  ],
  CORE: [
    'Rotate signing keys every 90 days',
    'Drop the unused sessions table',
    'Upgrade PostgreSQL to 18',
    'Alert when replication lags by 30 s',
    'Describe the backup in the runbook',
    'Trace requests across services',
    'Cut the image size of the worker in half',
    'Answer 503 with Retry-After on overload',
    'Move cron jobs to the scheduler',
    'Encrypt exports at rest',
    'Document the on-call rota',
    'Delete logs after 30 days',
  ],
  DOCS: [
    'Rewrite the quick start for agents',
    'Explain claims with a diagram',
    'Check all links each night',
    'Add examples in Python',
    'Describe rate limits by plan',
    'Publish the changelog as a feed',
  ],
}

const labels = ['backend', 'frontend', 'payments', 'performance', 'bug', 'infra', 'docs', 'security', 'mobile']

const description = `Customers who come back after lunch land on a blank page instead of the cart.

## What happens
1. Sign in, add something to the cart, wait until the session has expired.
2. Open \`/cart\`: the answer is a **302** to \`/login?next=%2Fcart\`.
3. After signing in, \`next\` is dropped and the start page opens.

## Done when
- [x] \`next\` survives the sign-in form
- [ ] only paths of our own origin are followed
- [ ] a test covers an expired session

\`\`\`ts
const target = new URL(next, origin)
if (target.origin !== origin) return redirect('/')
\`\`\`

See SHOP-3 for the token that causes the expiry.`

const knowledge: [key: string, project: string | null, content: string][] = [
  [
    'guides/setup/linux',
    null,
    '# Setting up on Linux\n\nInstall Node.js 20.19 or newer, then:\n\n```sh\nnpm ci\nnpm start\n```\n\nThe first start prints a key. Keep it.\n\n## Ports\n\n| Service | Port |\n|---|---|\n| Worklore | 8787 |\n| PostgreSQL | 5432 |\n\n> On a server, put a proxy with TLS in front.',
  ],
  ['guides/setup/macos', null, '# Setting up on macOS\n\nThe same as on Linux. Use `brew install node`.'],
  ['guides/style', null, '# How we write\n\n- Short sentences.\n- Say what to do, then why.\n- Code before prose.'],
  [
    'guides/review',
    null,
    '# Reviewing\n\nA review answers three questions:\n\n1. Does it do what the task says?\n2. Will the next person understand it?\n3. What happens when it fails?',
  ],
  [
    'runbooks/replication-lag',
    null,
    '# Replication lag\n\nAlert: `replica_lag_seconds > 30`.\n\n1. Look for long transactions.\n2. Look at disk throughput.\n3. Fail over only if lag grows for 10 minutes. See CORE-4.',
  ],
  [
    'runbooks/payments-down',
    null,
    '# Payments are down\n\nSwitch to the second provider: set `PAYMENTS_PROVIDER=secondary`, then restart the workers one by one.',
  ],
  [
    'runbooks/restore-backup',
    null,
    '# Restoring a backup\n\nStop the service, `npx worklore restore`, start it again.',
  ],
  [
    'decisions/0007-tokens',
    'SHOP',
    '# Card tokens live for 15 minutes\n\nThe provider refuses older ones. We ask for a fresh token before each retry.',
  ],
  [
    'decisions/0008-webp',
    'SHOP',
    '# WebP for product images\n\nHalf the bytes at the same quality. All browsers we support read it.',
  ],
  [
    'learned/checkout-flakiness',
    'SHOP',
    '# Why the checkout test was flaky\n\nThe clock of the fake provider ran in local time. Fixed in SHOP-13.',
  ],
  ['learned/cart-merge', 'SHOP', '# Merging carts\n\nThe newer quantity wins; see the test for the order of events.'],
  ['learned/yen-rounding', 'SHOP', '# Yen has no decimals\n\nRound after the discount, never before.'],
  ['decisions/0003-postgres', 'CORE', '# PostgreSQL for everything\n\nOne database to back up and to know.'],
]

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length]!

const statusOf = (index: number): 'todo' | 'in_review' | 'done' | 'cancelled' => {
  if (index % 11 === 10) return 'cancelled'
  if (index % 3 === 1) return 'done'
  return index % 7 === 3 ? 'in_review' : 'todo'
}

export interface Fleet {
  admin: Worklore
  /** Signs in someone who looks after the agents. */
  personKey: string
  agents: { name: string; keyId: string; client: Worklore }[]
  /** Makes each agent do a little work. */
  work(rounds: number): Promise<void>
}

/** What waits for a person: questions, checks and a mention. */
const addDecisions = async (admin: Worklore, agents: readonly Worklore[], handle: string): Promise<void> => {
  await admin.tasks.update('SHOP-1', {
    status: 'in_progress',
    checks: [{ text: 'The test suite passes' }, { text: 'Tried in Safari', verifier: 'human' }],
    result: 'The form keeps `next`, and only paths of our own origin are followed.',
  })
  await agents[4]!.tasks.decideCheck('SHOP-1', 'c1', { state: 'passed', evidence: '`npm test`: 214 passed' })
  await admin.tasks.update('SHOP-4', {
    checks: [{ text: 'Images look the same', verifier: 'human' }, { text: 'Measured' }],
  })
  await agents[2]!.tasks.update('SHOP-4', { status: 'in_review', result: 'Half the bytes, at the same quality.' })
  await agents[3]!.tasks.comments('SHOP-15').create({
    body: `@${handle} an order number alone would show the address to anyone. I would ask for the email as well.`,
  })
  await agents[5]!.questions.create('SHOP-12', {
    body: 'May the table `wish_lists` be dropped? Nothing has read it **since May**.',
    options: ['Drop it', 'Keep it', 'Drop it after the next backup'],
  })
  await agents[6]!.questions.create('CORE-3', {
    body: 'PostgreSQL 18 needs 20 minutes of downtime. When?',
    options: ['Tonight', 'On Sunday'],
  })
}

export const createFleet = async (baseUrl: string, adminKey: string): Promise<Fleet> => {
  const admin = new Worklore({ baseUrl, apiKey: adminKey })
  const people = await Promise.all(
    ['Maya Okafor', 'Jonas Lind', 'Priya Raman'].map((name) =>
      admin.users.create({ name, kind: 'human', role: 'admin' }),
    ),
  )
  await admin.projects.create({
    key: 'SHOP',
    name: 'Web shop',
    description: 'Storefront, cart and checkout',
    maxAttempts: 3,
  })
  await admin.projects.create({ key: 'CORE', name: 'Platform', description: 'Databases, queues and everything below' })
  await admin.projects.create({ key: 'DOCS', name: 'Documentation' })

  const agents = await Promise.all(
    agentNames.map(async (name) => {
      const user = await admin.users.create({ name, kind: 'agent' })
      const key = await admin.keys.create({ name, scopes: ['tasks:write', 'knowledge:write'], userId: user.id })
      return { name, keyId: key.id, userId: user.id, client: new Worklore({ baseUrl, apiKey: key.key! }) }
    }),
  )

  for (const [key, project, content] of knowledge) {
    const author = pick(agents, key.length)
    await author.client.knowledge.put(key, { content, projectId: project })
  }
  const style = pick(agents, 2).client
  await style.knowledge.put('guides/style', {
    content:
      '# How we write\n\n- Short sentences.\n- Say what to do, then why.\n- Code before prose.\n- No metaphors in names.',
  })

  for (const [projectId, list] of Object.entries(titles)) {
    for (const [index, title] of list.entries()) {
      const author = pick(agents, index * 3 + 1).client
      await author.tasks.create({
        projectId,
        title,
        description: index === 0 && projectId === 'SHOP' ? description : `${title}. See the guide in guides/style.`,
        status: statusOf(index),
        priority: pick(['medium', 'high', 'low', 'medium', 'urgent', 'medium'] as const, index * 5 + 2),
        labels: [pick(labels, index), ...(index % 2 ? [pick(labels, index + 4)] : [])],
        ...(index % 4 === 0 && { assigneeId: pick(people, index).id }),
        ...(index % 5 === 2 && { dueDate: new Date(Date.now() + (index - 8) * 86_400_000).toISOString().slice(0, 10) }),
      })
    }
  }
  const update = (id: string, change: object): Promise<unknown> => admin.tasks.update(id, change).catch(ignoreMissing)
  await update('SHOP-9', { parentId: 'SHOP-2' })
  await update('SHOP-17', { parentId: 'SHOP-2' })
  await update('SHOP-13', { parentId: 'SHOP-2' })
  await update('SHOP-19', { parentId: 'SHOP-9' })
  await update('SHOP-18', { blockedBy: ['SHOP-3', 'SHOP-15'] })
  await update('SHOP-24', { blockedBy: ['SHOP-18'] })
  await update('SHOP-25', { blockedBy: ['SHOP-12', 'SHOP-24'] })
  await update('SHOP-19', { blockedBy: ['SHOP-12', 'SHOP-10'] })
  await update('CORE-6', { parentId: 'CORE-8' })
  await agents[1]!.client.tasks.comments('SHOP-1').create({
    body: 'Reproduced on Firefox and Chrome. The `next` parameter is lost in `POST /login`, see `auth/login.ts`.',
  })
  await agents[4]!.client.tasks.comments('SHOP-1').create({
    body: 'A fix is in review. It follows only paths of our own origin.\n\n- [x] unit test\n- [ ] end-to-end test',
  })
  await admin.tasks
    .comments('SHOP-1')
    .create({ body: 'Please cover the **expired session** as well, that is how customers meet it.' })

  const personKey = (await admin.keys.create({ name: 'Maya (console)', scopes: ['admin'], userId: people[0]!.id })).key!
  await addDecisions(
    admin,
    agents.map(({ client }) => client),
    people[0]!.handle,
  )

  await update('SHOP-26', { status: 'todo' })
  const exhausted = agents[0]!.client
  for (let attempt = 0; attempt < 3; attempt++) {
    const claim = await exhausted.tasks.claim('SHOP-26', { leaseSeconds: 60 })
    await claim.release({ comment: `Attempt ${attempt + 1} failed: the load generator ran out of sockets.` })
  }

  const work = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      for (const [index, agent] of agents.entries()) {
        if (index >= 8) continue
        const step = round * agents.length + index
        if (step % 3 === 0) {
          const claim = await agent.client.tasks.next({
            // Some keys are shared by several processes.
            ...(index < 4 && { worker: `${agent.name}-worker-${round + 1}` }),
            note: pick(['reading the code', 'writing a test', 'waiting for CI'], step),
          })
          if (claim && step % 2) await claim.release({ status: 'in_review', comment: 'Ready for a look.' })
        } else if (step % 3 === 1) {
          await agent.client.knowledge.put(`learned/notes-${agent.name}`, {
            content: `# What ${agent.name} learned\n\nRound ${round}: measure first.`,
            projectId: 'SHOP',
          })
        } else {
          const id = `SHOP-${1 + (step % 26)}`
          await agent.client.tasks
            .comments(id)
            .create({
              body: pick(['Looking into it.', 'Found the cause, writing a test.', 'Blocked on review.'], step),
            })
            .catch(ignoreMissing)
        }
      }
    }
  }
  return { admin, personKey, agents, work }
}

const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof NotFoundError)) throw error
}
