import assert from 'node:assert/strict'
import { test } from 'node:test'
import { porter2 } from './porter2.js'

test('stems as the Snowball English stemmer does', () => {
  const stems = `consistency consist, consistently consist, knocked knock, knightly knight, generalization general,
    generously generous, communism communism, arsenal arsenal, skies sky, dying die, hoping hope, hopping hop, sized size,
    tied tie, cries cri, gas gas, this this, kiwis kiwi, happily happili, relational relat, conditional condit,
    digitizer digit, feudalism feudal, decisiveness decis, sensibility sensibl, adoption adopt, replacement replac,
    rate rate, controlling control, roll roll, yellowing yellow, sayings say, inning inning, succeeds succeed, by by`
  for (const pair of stems.split(',')) {
    const [word, stem] = pair.trim().split(' ')
    assert.equal(porter2(word!), stem, word)
  }
})
