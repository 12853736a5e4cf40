import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from 'worklore-testing/engines'
import { startService, type TestService } from 'worklore-testing/harness'

const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)
const keysOf = (body: { data: { key: string }[] }) => body.data.map(({ key }) => key)

for (const engine of engines) {
  describe(`search on ${engine.name}`, () => {
    let wl: TestService
    before(async () => {
      wl = await startService(engine)
      for (const key of ['ACME', 'BETA']) await wl.post('/v1/projects', { key, name: key })
    })
    after(() => wl.stop())

    describe('of tasks', () => {
      before(async () => {
        const tasks = [
          { title: 'Fix the login redirect', description: 'A blank page appears', labels: ['bug'], priority: 'high' },
          { title: 'Write the onboarding guide', description: 'Mention the login page once' },
          { title: 'Order new chairs', description: 'Blue ones' },
        ]
        for (const task of tasks) await wl.post('/v1/tasks', { projectId: 'ACME', ...task })
        await wl.post('/v1/tasks', { projectId: 'BETA', title: 'Login of the beta', status: 'done' })
      })

      it('finds titles and descriptions, best first, with a score and pagination', async () => {
        const { status, body } = await wl.get('/v1/tasks/search?q=login%20redirect')
        assert.equal(status, 200)
        assert.equal(body.data[0].id, 'ACME-1')
        assert.ok(body.data[0].score > body.data[1].score && body.data[0].score <= 1)
        assert.deepEqual(body.pagination, {
          page: 1,
          limit: 50,
          total: 3,
          totalPages: 1,
          hasMore: false,
          nextCursor: null,
        })
      })

      it('finds a word of a title that carries no subject elsewhere', async () => {
        const titles = { IT: 'Call IT', Who: 'Who are we?', Need: 'Need to know', First: 'The first of May' }
        await wl.post('/v1/projects', { key: 'STOP', name: 'Stop words' })
        for (const title of Object.values(titles)) await wl.post('/v1/tasks', { projectId: 'STOP', title })
        for (const [word, title] of Object.entries(titles)) {
          for (const q of [word, word.toLowerCase(), `"${word}"`]) {
            const { body } = await wl.get(`/v1/tasks/search?projectId=STOP&q=${encodeURIComponent(q)}`)
            assert.ok(
              body.data.some((task: { title: string }) => task.title === title),
              `${q}: ${JSON.stringify(body.data.map((task: { title: string }) => task.title))}`,
            )
          }
        }
      })

      it('pages through what was ranked', async () => {
        const first = await wl.get('/v1/tasks/search?q=login&limit=2')
        const second = await wl.get('/v1/tasks/search?q=login&limit=2&page=2')
        assert.equal(first.body.pagination.hasMore, true)
        assert.equal(second.body.pagination.hasMore, false)
        assert.equal(new Set([...idsOf(first.body), ...idsOf(second.body)]).size, 3)
      })

      it('takes the filters of the list', async () => {
        const search = async (filter: string) => idsOf((await wl.get(`/v1/tasks/search?q=login&${filter}`)).body).sort()
        assert.deepEqual(await search('projectId=BETA'), ['BETA-1'])
        assert.deepEqual(await search('status=todo,done'), ['ACME-1', 'ACME-2', 'BETA-1'])
        assert.deepEqual(await search('status=done'), ['BETA-1'])
        assert.deepEqual(await search('label=bug'), ['ACME-1'])
        assert.deepEqual(await search('priority=high'), ['ACME-1'])
        assert.deepEqual(await search('assignee=none'), ['ACME-1', 'ACME-2', 'BETA-1'])
        assert.deepEqual(await search('dueBefore=2030-01-01'), [])
        assert.equal((await wl.get('/v1/tasks/search?q=login&status=nonsense')).status, 400)
        assert.equal((await wl.get('/v1/tasks/search?q=login&projectId=NONE')).status, 400)
      })

      it('finds what was just written, changed and no more deleted', async () => {
        const made = (await wl.post('/v1/tasks', { projectId: 'ACME', title: 'Zebra crossing' })).body.data
        assert.deepEqual(idsOf((await wl.get('/v1/tasks/search?q=zebra')).body), [made.id])
        await wl.patch(`/v1/tasks/${made.id}`, { title: 'Giraffe crossing' })
        assert.deepEqual(idsOf((await wl.get('/v1/tasks/search?q=zebra')).body), [])
        assert.deepEqual(idsOf((await wl.get('/v1/tasks/search?q=giraffes')).body), [made.id])
        await wl.delete(`/v1/tasks/${made.id}`)
        assert.deepEqual(idsOf((await wl.get('/v1/tasks/search?q=giraffe')).body), [])
      })

      it('shows nothing beyond the three hundred that count', async () => {
        await Promise.all(
          Array.from({ length: 310 }, () => wl.post('/v1/tasks', { projectId: 'BETA', title: 'Many alike' })),
        )
        const page = async (number: number) => (await wl.get(`/v1/tasks/search?q=alike&limit=40&page=${number}`)).body
        const shown = new Set<string>()
        for (let number = 1; number <= 8; number++) for (const id of idsOf(await page(number))) shown.add(id)
        const { data, pagination } = await page(9)
        assert.deepEqual([shown.size, pagination.total, pagination.totalPages, data], [300, 300, 8, []])
        assert.equal(pagination.totalIsCapped, true)
        const few = (await wl.get('/v1/tasks/search?q=giraffe')).body.pagination
        assert.equal('totalIsCapped' in few, false)
        // Of those that are not ranked nobody knows whether they match.
        const claimed = (await wl.get('/v1/tasks/search?q=alike&claimed=true')).body.pagination
        assert.deepEqual([claimed.total, claimed.totalIsCapped], [0, true])
        const fewClaimed = (await wl.get('/v1/tasks/search?q=giraffe&claimed=true')).body.pagination
        assert.equal('totalIsCapped' in fewClaimed, false)
      })

      it('finds a phrase in the title or in the description, not across them', async () => {
        const { data: inTitle } = (await wl.post('/v1/tasks', { projectId: 'BETA', title: 'The velvet monsoon' })).body
        const task = { projectId: 'BETA', title: 'Under velvet', description: 'Monsoon of the year' }
        await wl.post('/v1/tasks', task)
        assert.deepEqual(idsOf((await wl.get('/v1/tasks/search?q="velvet+monsoon"')).body), [inTitle.id])
      })

      it('puts the very id first', async () => {
        const { body } = await wl.get('/v1/tasks/search?q=acme-3')
        assert.deepEqual([body.data[0].id, body.data[0].score], ['ACME-3', 1])
      })

      it('shows a limited key its own projects only', async () => {
        const made = await wl.post('/v1/keys', { name: 'beta', scopes: ['tasks:read'], projectIds: ['BETA'] })
        const { key } = made.body.data
        assert.deepEqual(idsOf((await wl.get('/v1/tasks/search?q=login', { key })).body), ['BETA-1'])
        assert.equal((await wl.get('/v1/tasks/search?q=login&projectId=ACME', { key })).status, 403)
      })
    })

    describe('of knowledge', () => {
      before(async () => {
        await wl.put('/v1/knowledge/guides/setup/linux', {
          content: '# Setup on Linux\n\nInstall Node, then start <b>.',
        })
        await wl.put('/v1/knowledge/guides/setup/mac', { content: '# Setup on a Mac\n\nInstall Node with brew.' })
        await wl.put('/v1/knowledge/guides/setup/linux', { content: 'Only for acme on linux', projectId: 'ACME' })
      })

      it('answers key, content, score, projectId, updatedAt and a marked, escaped snippet', async () => {
        const { body } = await wl.get('/v1/knowledge/search?q=start%20linux%20setup')
        const [hit] = body.data
        assert.equal(hit.key, 'guides/setup/linux')
        assert.equal(hit.projectId, null)
        assert.equal(hit.content, '# Setup on Linux\n\nInstall Node, then start <b>.')
        assert.ok(hit.score > 0 && hit.score <= 1)
        assert.match(hit.snippet, /<mark>start<\/mark>/)
        assert.match(hit.snippet, /&lt;b&gt;/)
      })

      it('is limited to a project, with what is tenant-wide on request', async () => {
        const places = async (query: string) =>
          (await wl.get(`/v1/knowledge/search?q=linux&${query}`)).body.data.map((hit: { projectId: string | null }) =>
            hit.projectId === null ? 'tenant' : 'project',
          )
        assert.deepEqual(await places('projectId=ACME'), ['project'])
        assert.deepEqual((await places('projectId=ACME&includeTenant=true')).sort(), ['project', 'tenant'])
        assert.deepEqual((await places('')).sort(), ['project', 'tenant'])
      })

      it('heeds prefix, limit and minScore', async () => {
        const search = async (query: string) => keysOf((await wl.get(`/v1/knowledge/search?${query}`)).body)
        assert.deepEqual(await search('q=install&prefix=guides/setup/m'), ['guides/setup/mac'])
        assert.equal((await search('q=install&limit=1')).length, 1)
        assert.deepEqual(await search('q=install&minScore=1'), [])
        for (const wrong of ['q=a&limit=0', 'q=a&limit=101', 'q=a&minScore=2', 'q=', 'q=%20', 'limit=3']) {
          assert.equal((await wl.get(`/v1/knowledge/search?${wrong}`)).status, 400, wrong)
        }
      })

      it('takes any text for plain text', async () => {
        for (const text of [
          '"',
          '"unclosed phrase',
          '- -',
          '%',
          '*',
          '(',
          ')',
          "';--",
          '日本',
          '🙂',
          '\\',
          'a'.repeat(5000),
        ]) {
          assert.equal((await wl.get(`/v1/knowledge/search?q=${encodeURIComponent(text)}`)).status, 200, text)
          assert.equal((await wl.get(`/v1/tasks/search?q=${encodeURIComponent(text)}`)).status, 200, text)
        }
      })
    })

    it('searches without quotes where nothing has the phrase, and says so', async () => {
      await wl.put('/v1/knowledge/phrases/fruit', { content: 'Ripe mangosteens and green durians.' })
      await wl.post('/v1/tasks', { projectId: 'ACME', title: 'Buy mangosteens before the durians' })
      const exact = await wl.get('/v1/knowledge/search?q=%22ripe%20mangosteens%22')
      assert.deepEqual([keysOf(exact.body), 'relaxed' in exact.body], [['phrases/fruit'], false])
      const q = encodeURIComponent('"durians mangosteens"')
      for (const path of ['/v1/knowledge/search', '/v1/tasks/search', '/v1/search']) {
        const { body } = await wl.get(`${path}?q=${q}`)
        assert.ok(body.data.length > 0, path)
        assert.equal(body.relaxed, true)
      }
      const excluded = await wl.get(`/v1/knowledge/search?q=${encodeURIComponent('mangosteens -"green durians"')}`)
      assert.deepEqual([keysOf(excluded.body), 'relaxed' in excluded.body], [[], false])
      const either = await wl.get(`/v1/search?q=${encodeURIComponent('"ripe mangosteens"')}`)
      assert.deepEqual(keysOf(either.body), ['phrases/fruit'])
    })

    it('searches texts for stop words that no title holds', async () => {
      const content = `# Wall\n\n## Bricks\n\n${'A brick. '.repeat(100)}\n\n## Words\n\nTo be or not to be, that is asked.\n`
      await wl.put('/v1/knowledge/quotes/wall', { content })
      for (const path of ['/v1/knowledge/search', '/v1/search']) {
        const { body } = await wl.get(`${path}?q=${encodeURIComponent('to be or not to be')}`)
        assert.equal(body.data[0]?.key, 'quotes/wall', path)
        assert.match(body.data[0].snippet, /<mark>To be or not to be<\/mark>/)
        assert.equal(body.data[0].passages[0].heading, 'Wall › Words')
        assert.equal('relaxed' in body, false)
      }
      assert.deepEqual((await wl.get('/v1/knowledge/search?q=of%20which%20he%20was')).body.data, [])
    })

    it('points at the passages of notes that answer, and leaves out their content where it is not wanted', async () => {
      const content =
        '# Setup\n\nRead this first.\n\n## Linux\n\nInstall it.\n\n### Proxy\n\nSet the quokkaproxy variable.\n'
      await wl.put('/v1/knowledge/passages/setup', { content })
      const search = async (more: string) => {
        const { body } = await wl.get(`/v1/knowledge/search?q=quokkaproxy%20linux${more}`)
        return body.data[0]
      }
      const hit = await search('')
      assert.equal(hit.content, content)
      const [best] = hit.passages
      assert.equal(best.heading, 'Setup › Linux › Proxy')
      assert.equal(best.text, content.slice(best.start, best.end))
      assert.match(best.text, /quokkaproxy/)
      assert.ok(best.score > 0 && best.score <= 1)
      assert.equal(content.split('\n')[best.line - 1]?.startsWith('#'), true)
      const part = await wl.get(`/v1/knowledge/passages/setup?start=${best.start}&end=${best.end}`)
      assert.equal(part.body.data.content, best.text)
      assert.deepEqual(part.body.range, { start: best.start, end: best.end, length: content.length })
      const rest = await wl.get(`/v1/knowledge/passages/setup?start=${content.length + 5}&end=3`)
      assert.equal(rest.body.data.content, '')
      const brief = await search('&fields=key&passages=1')
      assert.equal('content' in brief, false)
      assert.deepEqual(brief.passages, [best])
      assert.deepEqual((await search('&passages=0')).passages, [])
      const { body: everything } = await wl.get('/v1/search?q=quokkaproxy&fields=key&passages=1')
      assert.equal(everything.data[0].passages.length, 1)
      assert.equal('content' in everything.data[0], false)
      for (const wrong of ['passages=6', 'passages=-1', 'passages=x', 'fields=all']) {
        assert.equal((await wl.get(`/v1/knowledge/search?q=x&${wrong}`)).status, 400, wrong)
      }
    })

    it('shows another tenant nothing', async () => {
      const { createTenant } = await import('../../src/tenancy/tenants/service.js')
      const other = await createTenant(wl.service.core.db, Date.now, { name: `other ${engine.name}`, plan: 'pro' })
      const { body } = await wl.get('/v1/knowledge/search?q=linux', { key: other.key.secret })
      assert.deepEqual(body.data, [])
    })
  })
}
