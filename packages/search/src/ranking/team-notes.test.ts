import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createLocalEmbedder } from '../semantic/local-embedder.js'
import { createEmbeddedNotes } from './embedded-notes-fixture.js'
import { notes, tasks } from './team-notes-fixture.js'

const embedder = createLocalEmbedder()
const { put, putAll, embed, search } = createEmbeddedNotes(embedder)

const first = async (text: string, isSemantic = true) => (await search(text, isSemantic))[0]
const refsOf = async (text: string, isSemantic = true) => (await search(text, isSemantic)).map(({ ref }) => ref)

before(() => putAll({ ...notes, ...tasks }))
after(() => embedder.close())

describe('what people and agents search for', () => {
  const expected: Record<string, string> = {
    'returns -1': 'ops/cron',
    'exit status -1': 'ops/exit-codes',
    i18n: 'dev/translations',
    a11y: 'dev/wcag',
    '2FA': 'security/login',
    k8s: 'ops/kubernetes',
    '"off by one"': 'dev/pagination',
    '"to be or not to be"': 'dev/quotes',
    Verordnung: 'recht/dsgvo',
    Einstellungen: 'recht/konto',
    '1250000': 'dev/limits',
    'shrink container': 'ops/docker-size',
    'what is our uptime target': 'ops/sla',
    MFA: 'security/login',
    'server room key': 'handbook/building',
  }
  for (const [text, ref] of Object.entries(expected)) {
    it(`finds ${text}`, async () => {
      assert.equal((await first(text))?.ref, ref)
    })
  }

  for (const text of [
    '"off by one"',
    '1250000',
    'Verordnung',
    'Einstellungen',
    'server room key',
    'k8s',
    'i18n',
    '2FA',
  ]) {
    it(`finds ${text} by words alone`, async () => {
      assert.equal((await first(text, false))?.ref, expected[text])
    })
  }

  it('takes no number inside a code for a match', async () => {
    for (const text of ['i18n', 'a11y']) assert.ok(!(await refsOf(text, false)).includes('dev/versions'), text)
  })

  it('completes two letters', async () => {
    assert.equal((await first('au'))?.ref, 'security/auth')
  })

  it('orders equal scores as people count', async () => {
    for (const isSemantic of [true, false]) {
      const bots = (await refsOf('answer greetings', isSemantic)).filter((ref) => ref.startsWith('BOT'))
      assert.deepEqual(bots, ['BOT-3', 'BOT-12'])
    }
  })

  it('finds nothing where nothing is near', async () => {
    assert.deepEqual(await refsOf('what is the'), [])
    assert.deepEqual(await refsOf('qwzx blorptang fnurgle'), [])
  })
})

describe('scores', () => {
  const right: Record<string, string> = {
    'how do I roll back a release': 'ops/rollback',
    'meeting room booking': 'office/rooms',
    refunds: 'billing/refunds',
    'coffee machine': 'office/kitchen',
    'when do certificates renew': 'ops/certificates',
    'code review approvals': 'dev/review',
    'server room key': 'handbook/building',
  }

  it('are at least .5 for what is obviously right, with meaning and without', async () => {
    for (const isSemantic of [true, false]) {
      for (const [text, ref] of Object.entries(right)) {
        const hit = await first(text, isSemantic)
        assert.equal(hit?.ref, ref, text)
        assert.ok(hit.score >= 0.5, `${text}: ${hit.score}, semantic: ${isSemantic}`)
      }
    }
  })

  it('are below .15 for noise', async () => {
    const unanswered = [
      'penguins in antarctica',
      'recipe for lentil soup',
      'who won the world cup',
      'guitar chords',
      'the weather in Paris tomorrow',
    ]
    for (const isSemantic of [true, false]) {
      for (const text of unanswered) {
        const hit = await first(text, isSemantic)
        assert.ok((hit?.score ?? 0) < 0.15, `${text}: ${hit?.ref} ${hit?.score}`)
      }
    }
  })

  it('fall from hit to hit', async () => {
    for (const text of Object.keys(right)) {
      const scores = (await search(text)).map(({ score }) => score)
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
      )
    }
  })

  it('are not higher for a text without a vector than for one whose words say more', async () => {
    const few = createEmbeddedNotes(embedder)
    for (const ref of ['security/auth', 'security/login', 'office/kitchen']) few.put(ref, notes[ref]!)
    await few.embed('security/auth')
    const hits = await few.search('au')
    assert.deepEqual(
      hits.map(({ ref, explain }) => [ref, explain!.cosine === null]),
      [
        ['security/auth', false],
        ['security/login', true],
      ],
    )
  })

  it('do not fall when a text gets its vector', async () => {
    const texts: Record<string, string> = {
      'new/retention': '# Data retention\n\nAccounts of former customers are erased after two years.',
      'new/oncall-pay': '# Overtime\n\nNight shifts are paid one and a half times.',
    }
    const asked = { 'data retention': 'new/retention', 'overtime for night shifts': 'new/oncall-pay' }
    for (const [text, ref] of Object.entries(asked)) {
      put(ref, texts[ref]!)
      const before = await first(text)
      assert.deepEqual([before?.ref, before?.explain?.cosine], [ref, null])
      await embed(ref)
      const after = await first(text)
      assert.equal(after?.ref, ref)
      assert.ok(after.explain!.cosine! > 0)
      assert.ok(after.score > before!.score - 0.1, `${text}: ${before!.score} became ${after.score}`)
    }
  })
})
