import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createLocalEmbedder } from '../semantic/local-embedder.js'
import { createEmbeddedNotes } from './embedded-notes-fixture.js'

const embedder = createLocalEmbedder()
const { putAll, search } = createEmbeddedNotes(embedder)

const about = ['Harufesund', 'Tranastaver', 'Velrinru', 'Oxrinrusta', 'Sundverlen', 'Haruver']

const versionOf = (name: string) =>
  `# ${name} deployment\n\nThe site ${name} currently runs version 4.2. The upgrade was made last week after the tests.`
const portOf = (name: string) =>
  `# ${name} port\n\nThe service ${name} listens on port 8044. The health check uses it too.`

before(() =>
  putAll({
    'release/numbering':
      '# Release numbers\n\nA release number has three parts. What has been rolled out is recorded in the release log.',
    'release/rollout':
      '# Rolling out\n\nA release is rolled out to one site first. The release number of what has been rolled out is shown.',
    'ops/ports': '# Ports\n\nThe port on which a program can be reached is chosen by the team that runs the program.',
    'ops/programs': '# Programs\n\nA program that cannot be reached on its port is restarted.',
    ...Object.fromEntries(about.map((name) => [`versions/${name}`, versionOf(name)])),
    ...Object.fromEntries(about.map((name) => [`ports/${name}`, portOf(name)])),
  }),
)
after(() => embedder.close())

describe('a rare name in a query', () => {
  for (const name of about) {
    it(`outweighs ordinary words: ${name}`, async () => {
      const [version] = await search(`What release number has been rolled out to ${name}?`)
      assert.equal(version?.ref, `versions/${name}`)
      const [port] = await search(`On which port can the program ${name} be reached?`)
      assert.equal(port?.ref, `ports/${name}`)
    })
  }

  it('is no name if many documents contain it', async () => {
    const [first] = await search('How can a service be reached on its port?')
    assert.match(first!.ref, /^ops\//)
  })
})
