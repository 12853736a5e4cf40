import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { settings } from '../src/config.js'

const textOf = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const readme = textOf('README.md')

describe('the operating guide', () => {
  it('lists every setting with its default and its meaning, and no other', () => {
    const rows = [
      ...textOf('docs/operating.md').matchAll(/^\|\s*`([A-Z_]+)`\s*\|\s*(?:`([^`]*)`)?\s*\|\s*(\S.*?)\s*\|$/gm),
    ]
    assert.deepEqual(
      rows.map(([, name, fallback = '', about]) => ({ name, fallback, about })),
      Object.values(settings).map(({ name, fallback, about }) => ({ name, fallback, about })),
    )
  })
})

describe('the README', () => {
  it('begins with the two commands', () => {
    const commands = [...readme.matchAll(/```sh\n([^`]*)```/g)].map(([, command]) => command!.trim())
    assert.deepEqual(commands.slice(0, 2), ['npm ci && npm start', 'npm ci && npm test'])
  })
})
