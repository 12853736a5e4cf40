import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createLocalEmbedder } from '../semantic/local-embedder.js'
import { createEmbeddedNotes } from './embedded-notes-fixture.js'
import { languages } from './languages-fixture.js'

describe('languages that the model was not taught', () => {
  const embedder = createLocalEmbedder()
  after(() => embedder.close())

  for (const [language, notes] of Object.entries(languages)) {
    it(`loses nothing by meaning in ${language}`, async () => {
      const { putAll, search } = createEmbeddedNotes(embedder)
      await putAll(Object.fromEntries(notes.map(([note], at) => [`note/${at}`, note])))
      for (const [at, [, question]] of notes.entries()) {
        assert.equal((await search(question, false))[0]?.ref, `note/${at}`, question)
        assert.equal((await search(question))[0]?.ref, `note/${at}`, question)
      }
    })
  }
})
