import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { enginesBehindService } from 'worklore-testing/engines'
import { expectInvalid, expectStatus } from 'worklore-testing/expect'
import { createKey, createProject, createTask, createUser } from 'worklore-testing/factories'
import { rowsOf, startService, type TestService } from 'worklore-testing/harness'
import { createTestTenant } from 'worklore-testing/operator'
import { answer, type Received, type Receiver, startReceiver } from 'worklore-testing/receiver'
import { until } from 'worklore-testing/until'
import { createPerson, type Person } from '../inbox/inbox.js'

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })

for (const engine of enginesBehindService) {
  describe(`webhooks to chats on ${engine.name}`, () => {
    let wl: TestService
    let receiver: Receiver
    let ada: Person
    before(async () => {
      receiver = await startReceiver()
      wl = await startService(engine, {
        config: { webhookAllow: ['127.0.0.0/8'], publicUrl: 'https://work.example.com' },
        webhooks: { pollIntervalMs: 50 },
      })
      await createProject(wl, { key: 'ACME' })
      await createProject(wl, { key: 'OTHER' })
      ada = await createPerson(wl, 'Ada <i>')
    })
    after(async () => {
      await wl.stop()
      await receiver.close()
    })

    let chats = 0
    /** A webhook to a path of its own, and what came there. */
    const openChat = async (fields: object) => {
      const path = `/services/T0000${++chats}/secretsecret${chats}`
      const url = new URL(path, receiver.url).href
      const webhook = expectStatus(await wl.post('/v1/webhooks', { url, ...fields }), 201).body.data
      const received = () => receiver.received.filter((each) => each.path === path)
      const messages = async (count: number): Promise<Received[]> => {
        await receiver.until(() => received().length >= count)
        return received()
      }
      return { webhook, url, path, received, messages }
    }
    const close = ({ webhook }: { webhook: { id: string } }) => wl.delete(`/v1/webhooks/${webhook.id}`)

    const title = 'Fix <!channel> & [this](https://evil.example) *now*'
    const description = 'Line <one> & "two"'

    it('send what is put into the inbox of a user to Slack, escaped', async () => {
      const chat = await openChat({ format: 'slack', inboxOf: ada.id })
      const { id } = await createTask(wl, 'ACME', { title, description, assigneeId: ada.id })
      const [{ event, headers }] = (await chat.messages(1)) as [Received]
      assert.equal(headers['content-type'], 'application/json')
      const escapedTitle = 'Fix &lt;!channel&gt; &amp; [this](https://evil.example) *now*'
      assert.deepEqual(event, {
        text: `Assigned to Ada &lt;i&gt; · ${id} · ${escapedTitle}`,
        mrkdwn: false,
        blocks: [
          { type: 'section', text: plain('Assigned to Ada &lt;i&gt;') },
          { type: 'section', text: plain(escapedTitle) },
          { type: 'section', text: plain('Line &lt;one&gt; &amp; "two"') },
          {
            type: 'context',
            elements: [
              {
                type: 'mrkdwn',
                text: `<https://work.example.com/console/?task=${id}|${id}>`,
                verbatim: true,
              },
              plain('admin'),
            ],
          },
        ],
      })
      await close(chat)
    })

    it('send it to Teams as an Adaptive Card, whose text is no Markdown', async () => {
      const chat = await openChat({ format: 'teams', inboxOf: ada.id })
      const { id } = await createTask(wl, 'ACME', { title, description, assigneeId: ada.id })
      const [{ event }] = (await chat.messages(1)) as [Received]
      const line = (text: string, style = {}) => ({
        type: 'RichTextBlock',
        inlines: [{ type: 'TextRun', text, ...style }],
      })
      assert.deepEqual(event, {
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.2',
              body: [
                line('Assigned to Ada <i>', { weight: 'Bolder' }),
                line(`${id} ${title}`),
                line(description),
                line('admin', { isSubtle: true }),
              ],
              actions: [
                {
                  type: 'Action.OpenUrl',
                  title: `Open ${id}`,
                  url: `https://work.example.com/console/?task=${id}`,
                },
              ],
            },
          },
        ],
      })
      await close(chat)
    })

    it('tell all people nothing of a private project, unless they are that project’s', async () => {
      const hidden = await createProject(wl, { visibility: 'private' })
      expectStatus(await wl.put(`/v1/projects/${hidden.id}/members/${ada.id}`, { role: 'member' }), 200)
      const [all, own] = [
        await openChat({ inboxOf: 'humans' }),
        await openChat({ inboxOf: 'humans', projectId: hidden.id }),
      ]
      const secret = await createTask(wl, hidden.id, { description: `@${ada.handle}, look` })
      const { id } = await createTask(wl, 'ACME', { description: `@${ada.handle}, look here` })
      const told = async (chat: typeof all) => (await chat.messages(1)).map(({ event }) => event.data.taskId)
      assert.deepEqual([await told(all), await told(own)], [[id], [secret.id]])
      for (const chat of [all, own]) await close(chat)
    })

    it('tell people nothing of a task that was moved out of their sight before it was told', async () => {
      const hidden = await createProject(wl, { visibility: 'private' })
      const chats = [
        await openChat({ inboxOf: 'humans', format: 'slack' }),
        await openChat({ inboxOf: 'humans', projectId: 'ACME' }),
      ]
      const turn = (active: boolean) =>
        Promise.all(chats.map(({ webhook }) => wl.patch(`/v1/webhooks/${webhook.id}`, { active })))
      await turn(false)
      const [moved, left] = [await createTask(wl, 'ACME'), await createTask(wl, 'ACME', { title: 'Left' })]
      for (const { id } of [moved, left]) await wl.post(`/v1/tasks/${id}/questions`, { body: 'Which one?' })
      expectStatus(await wl.post(`/v1/tasks/${moved.id}/move`, { projectId: hidden.id }), 200)
      expectStatus(await wl.patch(`/v1/tasks/${moved.id}`, { title: 'Secret' }), 200)
      await turn(true)
      const [slack, standard] = chats as [(typeof chats)[0], (typeof chats)[0]]
      assert.deepEqual(
        (await slack.messages(1)).map(({ event }) => event.text),
        [`Question for anyone · ${left.id} · Left`],
      )
      assert.deepEqual(
        (await standard.messages(1)).map(({ event }) => event.data.taskId),
        [left.id],
      )
      for (const chat of chats) await close(chat)
    })

    it('keep within the limits of Slack, whatever the texts are', async () => {
      const chat = await openChat({ format: 'slack', inboxOf: 'humans' })
      const people: Person[] = []
      for (let at = 0; at < 20; at++) people.push(await createPerson(wl, `${'&'.repeat(190)} ${at}`))
      const { id } = await createTask(wl, 'ACME', { title: '&'.repeat(500) })
      const body = `${people.map(({ handle }) => `@${handle}`).join(' ')} ${'<'.repeat(5_000)}`
      expectStatus(await wl.post(`/v1/tasks/${id}/comments`, { body }), 201)
      const [{ event }, ...more] = (await chat.messages(1)) as [Received]
      // One message, however many are mentioned.
      assert.deepEqual(more, [])
      for (const { text, elements } of event.blocks) {
        for (const { text: shown } of elements ?? [text]) assert.ok(shown.length > 0 && shown.length <= 3_000)
      }
      await close(chat)
    })

    it('send entries in the standard format, signed, with who is told', async () => {
      const chat = await openChat({ inboxOf: 'humans' })
      assert.equal(chat.webhook.url, chat.url)
      const agent = await createUser(wl, { name: 'Bot', kind: 'agent' })
      const bob = await createPerson(wl, 'Bob')
      await createTask(wl, 'ACME', { assigneeId: agent.id })
      const { id } = await createTask(wl, 'ACME', { description: `@${bob.handle}, @${ada.handle}, @${agent.handle}` })
      const [{ text, event, headers }, ...more] = (await chat.messages(1)) as [Received]
      assert.deepEqual(more, [])
      assert.deepEqual(new Verifier(chat.webhook.secret).verify(text, headers as Record<string, string>), event)
      assert.equal(headers['webhook-id'], event.id)
      assert.deepEqual([event.type, event.data.taskId, event.data.kind], ['inbox.mention', id, 'mention'])
      assert.deepEqual(event.data.userIds.toSorted(), [ada.id, bob.id].toSorted())
      assert.equal('readAt' in event.data, false)
      await close(chat)
    })

    it('send nothing that the user may not read, or that is in the trash', async () => {
      const limited = await createPerson(wl, 'Limited', { projectIds: ['OTHER'] })
      const chat = await openChat({ format: 'slack', inboxOf: limited.id })
      const humans = await openChat({ format: 'slack', inboxOf: 'humans', projectId: 'OTHER' })
      // Both wait while what they would send goes to the trash.
      for (const { webhook } of [chat, humans]) {
        expectStatus(await wl.patch(`/v1/webhooks/${webhook.id}`, { active: false }), 200)
      }
      await createTask(wl, 'ACME', { assigneeId: limited.id, title: 'Not theirs' })
      const gone = await createTask(wl, 'OTHER', { assigneeId: limited.id, title: 'Deleted' })
      expectStatus(await wl.delete(`/v1/tasks/${gone.id}`), 200)
      await createTask(wl, 'OTHER', { assigneeId: limited.id, title: 'Theirs' })
      for (const { webhook } of [chat, humans]) {
        expectStatus(await wl.patch(`/v1/webhooks/${webhook.id}`, { active: true }), 200)
      }
      for (const { messages } of [chat, humans]) {
        const texts = (await messages(1)).map(({ text }) => text)
        assert.equal(texts.length, 1)
        assert.ok(texts[0]!.includes('Theirs'))
      }
      expectStatus(await wl.delete(`/v1/keys/${limited.keyId}`), 200)
      await createTask(wl, 'OTHER', { assigneeId: limited.id, title: 'After the key' })
      await createTask(wl, 'OTHER', { assigneeId: ada.id, title: 'Last' })
      await humans.messages(2)
      assert.deepEqual([chat.received().length, humans.received().length], [1, 2])
      await close(chat)
      await close(humans)
    })

    it('keep the URL to themselves', async () => {
      const once = { headers: { 'idempotency-key': `chat-${chats}` } }
      const url = new URL('/services/T00000000/B00000000/XXXXXXXXXXXXXXXX?sig=YYYYYYYYYYYY', receiver.url).href
      const fields = { url, format: 'slack', inboxOf: ada.id }
      const created = expectStatus(await wl.post('/v1/webhooks', fields, once), 201).body.data
      const { id } = created
      const { origin } = new URL(url)
      assert.equal(created.url, origin)
      assert.equal((await wl.post('/v1/webhooks', fields, once)).headers['idempotency-replayed'], 'true')
      receiver.behave(answer(404, {}, `Cannot POST ${new URL(url).pathname} with sig YYYYYYYYYYYY`))
      await createTask(wl, 'ACME', { assigneeId: ada.id })
      const deliveries = async () => (await wl.get(`/v1/webhooks/${id}/deliveries`)).body.data
      const [failed] = await until(deliveries, ([first]) => first?.attempts > 0)
      assert.equal(failed.responseBody, 'Cannot POST /…/…/…/… with sig …')
      receiver.behave(answer(200))
      expectStatus(await wl.post(`/v1/webhooks/${id}/ping`, {}), 202)
      await receiver.until((received) => received.some(({ text }) => text.includes('Test message')))
      const other = url.replace('XXXX', 'ZZZZ')
      const patched = expectStatus(await wl.patch(`/v1/webhooks/${id}`, { url: other }), 200).body.data
      assert.equal(patched.url, origin)
      await createTask(wl, 'ACME', { assigneeId: ada.id })
      await receiver.until((received) => received.some(({ path }) => path.includes('ZZZZ')))
      const answers = [
        ...['/v1/webhooks?limit=100', `/v1/webhooks/${id}`, `/v1/webhooks/${id}/deliveries`],
        ...['/v1/events?types=webhook.*&limit=500', '/v1/audit?limit=100'],
      ]
      for (const path of answers) assert.doesNotMatch((await wl.get(path)).text, /XXXX|YYYY|T00000000/, path)
      const tables = ['webhooks', 'webhook_deliveries', 'events', 'audit_entries', 'idempotent_requests']
      for (const table of tables) {
        const rows = await rowsOf(wl, `select * from ${table}`)
        assert.doesNotMatch(JSON.stringify(rows), /XXXX|YYYY|T00000000/, table)
      }
      await close({ webhook: { id } })
    })

    it('try again what failed, as long as it may be read', async () => {
      const chat = await openChat({ format: 'teams', inboxOf: ada.id })
      receiver.behave(answer(500))
      const task = await createTask(wl, 'ACME', { assigneeId: ada.id, title: 'Retried' })
      const list = async () => (await wl.get(`/v1/webhooks/${chat.webhook.id}/deliveries`)).body.data
      const [delivery] = await until(list, ([first]) => first?.status === 'retrying')
      assert.deepEqual([delivery.type, delivery.eventId.slice(0, 4)], ['inbox.assigned', 'inb_'])
      receiver.behave(answer(200))
      const redeliver = () => wl.post(`/v1/webhooks/${chat.webhook.id}/deliveries/${delivery.id}/redeliver`, {})
      expectStatus(await redeliver(), 202)
      const received = await chat.messages(2)
      assert.deepEqual(received[1]!.event, received[0]!.event)
      expectStatus(await wl.delete(`/v1/tasks/${task.id}`), 200)
      expectStatus(await redeliver(), 202)
      const abandoned = await until(list, ([first]) => first.status === 'failed')
      assert.match(abandoned[0].error, /no longer/)
      assert.equal(chat.received().length, 2)
      const { sequence } = delivery
      expectStatus(await wl.post(`/v1/trash/${(await wl.get('/v1/trash?kind=task')).body.data[0].id}/restore`, {}), 200)
      const range = { fromSequence: sequence, toSequence: sequence }
      expectStatus(await wl.post(`/v1/webhooks/${chat.webhook.id}/replay`, range), 202)
      assert.deepEqual((await chat.messages(3))[2]!.event, received[0]!.event)
      await close(chat)
    })

    it('are turned off when their user is deleted', async () => {
      const { id } = await createUser(wl, { name: 'Leaves' })
      const chat = await openChat({ format: 'slack', inboxOf: id, projectId: 'ACME' })
      await createTask(wl, 'ACME', { assigneeId: id })
      await chat.messages(1)
      expectStatus(await wl.delete(`/v1/users/${id}`), 200)
      const read = async () => (await wl.get(`/v1/webhooks/${chat.webhook.id}`)).body.data
      const { disabledReason } = await until(read, ({ active }) => !active)
      assert.equal(disabledReason, 'The user was deleted.')
      await close(chat)
    })

    it('send to people what waits for any of them: questions', async () => {
      const chat = await openChat({ format: 'teams', inboxOf: 'humans' })
      const { id } = await createTask(wl, 'ACME', { title })
      const ask = async (fields: object) => expectStatus(await wl.post(`/v1/tasks/${id}/questions`, fields), 201)
      await ask({ body: 'Which [colour](x)?', options: ['*Red*', '<blue>'] })
      await ask({ body: 'And for you?', to: ada.id })
      const received = await chat.messages(2)
      const linesOf = ({ event }: Received) =>
        event.attachments[0].content.body.map(({ inlines }: { inlines: { text: string }[] }) => inlines[0]!.text)
      assert.deepEqual(linesOf(received[0]!), [
        'Question for anyone',
        `${id} ${title}`,
        'Which [colour](x)?',
        '*Red* · <blue>',
        'admin',
      ])
      assert.deepEqual(linesOf(received[1]!).slice(0, 1), ['Question for Ada <i>'])
      assert.equal(received.length, 2)
      await close(chat)
    })

    it('send it escaped to Slack, and within its limits', async () => {
      const chat = await openChat({ format: 'slack', inboxOf: 'humans', projectId: 'ACME' })
      const { id } = await createTask(wl, 'ACME', { title })
      const options = Array.from({ length: 10 }, (_, at) => `${at}${'&'.repeat(400)}`)
      expectStatus(await wl.post(`/v1/tasks/${id}/questions`, { body: '<!here>', options }), 201)
      const [{ event }] = (await chat.messages(1)) as [Received]
      const escapedTitle = 'Fix &lt;!channel&gt; &amp; [this](https://evil.example) *now*'
      assert.equal(event.text, `Question for anyone · ${id} · ${escapedTitle}`)
      const texts = event.blocks.slice(0, 4).map(({ text }: { text: { text: string } }) => text.text)
      assert.deepEqual(texts.slice(1, 3), [escapedTitle, '&lt;!here&gt;'])
      assert.match(texts[3], /^0(&amp;)+… · 1&amp;/)
      assert.ok(texts[3].length <= 3_000)
      await close(chat)
    })

    it('send to people nothing that waits for them where none may read it, or that is in the trash', async () => {
      const { adminKey } = await createTestTenant(wl)
      const options = { key: adminKey }
      const inTenant = async (path: string, body: object) =>
        expectStatus(await wl.post(path, body, options), 201).body.data
      for (const key of ['SHUT', 'OPEN']) await inTenant('/v1/projects', { key, name: key })
      const { id: userId } = await inTenant('/v1/users', { name: 'Limited', kind: 'human' })
      await inTenant('/v1/keys', { name: 'limited', scopes: ['tasks:write'], projectIds: ['OPEN'], userId })
      for (const format of ['slack', 'standard']) {
        const path = `/services/limited/${format}`
        const url = new URL(path, receiver.url).href
        const webhook = await inTenant('/v1/webhooks', { url, format, inboxOf: 'humans' })
        expectStatus(await wl.patch(`/v1/webhooks/${webhook.id}`, { active: false }, options), 200)
        const ask = async (projectId: string, body: string): Promise<string> => {
          const task = await inTenant('/v1/tasks', { projectId, title: body })
          await inTenant(`/v1/tasks/${task.id}/questions`, { body })
          return task.id
        }
        await ask('SHUT', 'Not for them?')
        expectStatus(await wl.delete(`/v1/tasks/${await ask('OPEN', 'Deleted?')}`, options), 200)
        await ask('OPEN', 'For them?')
        expectStatus(await wl.patch(`/v1/webhooks/${webhook.id}`, { active: true }, options), 200)
        await receiver.until((received) => received.some((each) => each.path === path))
        const texts = receiver.received.filter((each) => each.path === path).map(({ text }) => text)
        assert.equal(texts.length, 1)
        assert.ok(texts[0]!.includes('For them?'))
      }
    })

    it('send to people what waits for any of them: checks of tasks in review', async () => {
      const chat = await openChat({ format: 'slack', inboxOf: 'humans', projectId: 'ACME' })
      const checks = [{ text: 'Looks <good>', verifier: 'human' }, { text: 'Is tested' }]
      const { id } = await createTask(wl, 'ACME', { title: 'Check me', checks })
      for (const patch of [{ status: 'in_progress' }, { status: 'in_review' }, { labels: ['x'] }]) {
        expectStatus(await wl.patch(`/v1/tasks/${id}`, patch), 200)
      }
      const last = await createTask(wl, 'ACME', { assigneeId: ada.id })
      const received = await chat.messages(2)
      assert.equal(received[0]!.event.text, `1 check to decide · ${id} · Check me`)
      assert.equal(received[0]!.event.blocks[2].text.text, 'Looks &lt;good&gt;')
      assert.ok(received[1]!.event.text.includes(last.id))
      assert.equal(received.length, 2)
      await close(chat)
    })

    it('send events too, in words', async () => {
      const chat = await openChat({ format: 'slack', events: ['task.updated'] })
      const { id } = await createTask(wl, 'ACME', { title: 'Write' })
      expectStatus(await wl.patch(`/v1/tasks/${id}`, { status: 'done' }), 200)
      const [{ event }] = (await chat.messages(1)) as [Received]
      assert.equal(event.text, `Task updated · ${id} · Write`)
      assert.equal(event.blocks[2].text.text, 'todo → done')
      await close(chat)
    })

    it('are refused where they make no sense', async () => {
      const { url } = receiver
      const create = (fields: object) => wl.post('/v1/webhooks', { url, ...fields })
      expectInvalid(await create({}), 'events')
      expectInvalid(await create({ events: ['*'], inboxOf: 'humans' }), 'events')
      expectInvalid(await create({ format: 'irc', inboxOf: 'humans' }), 'format')
      expectInvalid(await create({ inboxOf: 'robots' }), 'inboxOf')
      expectInvalid(await create({ inboxOf: '' }), 'inboxOf')
      const { adminKey: key } = await createTestTenant(wl)
      const stranger = await createUser(wl, {}, { key })
      expectInvalid(await create({ inboxOf: stranger.id }), 'inboxOf')
      const chat = await openChat({ format: 'slack', inboxOf: ada.id })
      const patch = (fields: object) => wl.patch(`/v1/webhooks/${chat.webhook.id}`, fields)
      expectInvalid(await patch({ format: 'standard' }), 'format')
      expectInvalid(await patch({ inboxOf: stranger.id }), 'inboxOf')
      expectInvalid(await patch({ inboxOf: null }), 'events')
      const toEvents = expectStatus(await patch({ events: ['task.*'] }), 200).body.data
      assert.deepEqual([toEvents.events, toEvents.inboxOf], [['task.*'], null])
      const back = expectStatus(await patch({ inboxOf: 'humans' }), 200).body.data
      assert.deepEqual([back.events, back.inboxOf, back.format], [[], 'humans', 'slack'])
      await close(chat)
      const limited = await createKey(wl, { scopes: ['tasks:write'] })
      expectStatus(await wl.post('/v1/webhooks', { url, inboxOf: 'humans' }, { key: limited.key }), 403)
    })
  })
}
