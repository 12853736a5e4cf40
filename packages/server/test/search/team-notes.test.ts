import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines, type TestStore } from 'worklore-testing/engines'
import { createProject, createTask, putItem } from 'worklore-testing/factories'
import { startService, type TestService } from 'worklore-testing/harness'
import { embeddedAll } from './hybrid-fixture.js'

const notes: Record<string, string> = {
  'ops/sla': '# Availability\n\nWe promise customers 99.9 percent per month; the error budget is 43 minutes.',
  'ops/docker-size': '# Docker image size\n\nUse a multi-stage build and a slim base to make images smaller.',
  'ops/cron': '# Scheduled jobs\n\nA job that returns -1 has lost its lock and is tried again after a minute.',
  'ops/exit-codes': '# Exit codes\n\nThe importer ends with exit status -1 when the file is empty.',
  'ops/cluster': '# Kubernetes\n\nPods restart when the liveness probe fails three times.',
  'dev/setup': '# Setting up a laptop\n\nInstall Node and Docker, clone the repository, run npm ci.',
  'dev/pagination': '# Paging bug\n\nThe last row was missing: an off by one error in the cursor.',
  'dev/quotes': '# Words on the wall\n\nTo be or not to be, that is the question of every feature flag.',
  'dev/translations': '# Internationalization\n\nStrings live in one file per language; missing ones fall back.',
  'dev/wcag': '# Accessibility\n\nEvery control has a label and is reachable by keyboard.',
  'dev/limits': '# Limits\n\nThe table held 1,250,000 rows when the query became slow.',
  'dev/versions': '# Version 18\n\nNode 18 is no longer supported; 11 of our packages had to change.',
  'security/login': '# Signing in\n\nMulti-factor authentication is required for staff; codes come from an app.',
  'security/audits': '# Audits\n\nThe token service is looked at once a year.',
  'office/kitchen': '# Kitchen\n\nThe coffee machine is cleaned on Fridays.',
  'office/parking': '# Parking\n\nSpots 4 to 9 are ours. Ask the reception for a key.',
  'office/rooms': '# Meeting rooms\n\nBook a room in the calendar; the large room holds twelve.',
  'office/printer': '# Printer\n\nThe print server is in the basement.',
  'recht/dsgvo': '# Datenschutzverordnung\n\nAnfragen werden innerhalb eines Monats beantwortet.',
  'recht/konto': '# Kontoeinstellungen\n\nSprache und Zeitzone lassen sich im Profil ändern.',
  'handbook/building': `# Building handbook\n\n${'Each floor has desks, a quiet corner and plants. '.repeat(40)}

The key of the server room hangs in the safe; sign the list when you take it.

${'Lamps are replaced by the caretaker in spring. '.repeat(60)}`,
}

const byWords: Record<string, string> = {
  'returns -1': 'ops/cron',
  'exit status -1': 'ops/exit-codes',
  'fix ACME-12': 'ACME-12',
  'ACME 12': 'ACME-12',
  i18n: 'dev/translations',
  a11y: 'dev/wcag',
  '2FA': 'security/login',
  MFA: 'security/login',
  k8s: 'ops/cluster',
  kuber: 'ops/cluster',
  '"off by one"': 'dev/pagination',
  '"to be or not to be"': 'dev/quotes',
  Verordnung: 'recht/dsgvo',
  Einstellungen: 'recht/konto',
  '1250000': 'dev/limits',
  au: 'security/audits',
  'answer greetings': 'ACME-3',
  'server room key': 'handbook/building',
}

const byMeaning: Record<string, string> = {
  'shrink container': 'ops/docker-size',
  'what is our uptime target': 'ops/sla',
}

const obvious: Record<string, string> = {
  'coffee machine': 'office/kitchen',
  'meeting rooms': 'office/rooms',
  'docker image size': 'ops/docker-size',
  'exit codes': 'ops/exit-codes',
  'slow query': 'dev/limits',
  'server room key': 'handbook/building',
  'repair the login redirect': 'ACME-7',
}

const doubtful: Record<string, string> = {
  'laptop stickers': 'dev/setup',
  'train schedule': 'ops/cron',
}

const unanswered = ['what is the', 'qwzx blorptang fnurgle', 'recipe for lentil soup', 'the weather in Paris tomorrow']

for (const engine of engines) {
  describe(`what teams search for, on ${engine.name}`, () => {
    let store: TestStore
    let wl: TestService
    const start = async (batchSize: number) => {
      wl = await startService(engine, {
        store,
        config: { embeddings: 'local' },
        search: { queries: { maxWaitMs: 30_000 }, embedding: { batchSize, debounceMs: 5, pollMs: 100 } },
      })
    }
    const search = async (q: string): Promise<{ name: string; score: number }[]> => {
      const { status, body, text } = await wl.get(`/v1/search?q=${encodeURIComponent(q)}`)
      assert.equal(status, 200, text)
      return body.data.map(({ id, key, score }: { id?: string; key?: string; score: number }) => ({
        name: key ?? id,
        score,
      }))
    }
    const findsFirst = async (expected: Record<string, string>) => {
      for (const [q, name] of Object.entries(expected)) assert.equal((await search(q))[0]?.name, name, q)
    }
    const findsNothing = async (queries: readonly string[]) => {
      for (const q of queries) assert.deepEqual(await search(q), [], q)
    }
    const scoresRightly = async () => {
      for (const [q, name] of Object.entries({ ...obvious, ...doubtful })) {
        const [first] = await search(q)
        assert.equal(first?.name, name, q)
        const [least, most] = q in obvious ? [0.5, 1] : [0.15, 0.5]
        assert.ok(first.score >= least && first.score < most, `${q}: ${first.score}`)
      }
    }
    const takesNoNumberForCode = async () => {
      for (const q of ['i18n', 'a11y']) {
        assert.ok(!(await search(q)).some(({ name }) => name === 'dev/versions'), q)
      }
    }
    const scores = new Map<string, number>()

    before(async () => {
      store = await engine.createStore()
      // Nothing is embedded before it is started again.
      await start(0)
      await createProject(wl, { key: 'ACME' })
      for (let number = 1; number <= 12; number++) {
        const title =
          number === 7 ? 'Repair the login redirect' : number % 9 === 3 ? 'Answer greetings' : 'Order chairs'
        await createTask(wl, 'ACME', { title })
      }
      for (const [key, content] of Object.entries(notes)) await putItem(wl, key, content)
    })
    after(async () => {
      await wl.stop()
      await store.remove()
    })

    it('finds it before there are vectors', async () => {
      await findsFirst(byWords)
      await findsNothing(unanswered)
      await scoresRightly()
      await takesNoNumberForCode()
      for (const q of Object.keys(byWords)) scores.set(q, (await search(q))[0]!.score)
    })

    it('finds it with vectors, with scores that have not fallen', async () => {
      await wl.stop()
      await start(8)
      await embeddedAll(wl)
      await findsFirst({ ...byWords, ...byMeaning })
      await findsNothing(unanswered)
      await scoresRightly()
      await takesNoNumberForCode()
      for (const [q, score] of scores) {
        const now = (await search(q))[0]!.score
        assert.ok(now > score - 0.1, `${q}: ${score} became ${now}`)
      }
    })

    it('lists equal scores in natural order', async () => {
      const found = (await search('answer greetings')).map(({ name }) => name)
      assert.deepEqual(found.slice(0, 2), ['ACME-3', 'ACME-12'])
    })

    it('completes no word that no text holds', async () => {
      await wl.delete('/v1/knowledge/ops/cluster')
      await findsNothing(['kuber'])
    })
  })
}
