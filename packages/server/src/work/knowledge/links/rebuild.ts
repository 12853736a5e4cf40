import { type Call, changing } from '../../../operations/call.js'
import { type Link, linksIn, maxLinks } from './extract.js'
import * as store from './store.js'

const itemsPerStep = 10

interface Wrong {
  item: store.ItemText
  links: Link[]
}

/** Finds the items of the next step whose stored links differ from the links in their content. */
const findWrong = async ({ db, actor }: Call, after: string): Promise<{ wrong: Wrong[]; last: string | undefined }> => {
  const { tenantId } = actor
  const items = await store.listTextsAfter(db, tenantId, after, itemsPerStep)
  const wrong: Wrong[] = []
  for (const item of items) {
    const links = linksIn(item.key, item.content)
    const stored = await store.listLinks(db, tenantId, item.id, -1, maxLinks + 1)
    const isSame =
      item.link_count === links.length &&
      stored.length === links.length &&
      stored.every(({ kind, target }, at) => kind === links[at]!.kind && target === links[at]!.target)
    if (!isSame) wrong.push({ item, links })
  }
  return { wrong, last: items.at(-1)?.id }
}

/** Returns how many items of a tenant have wrong stored links. */
export const countWrongLinks = async (call: Call): Promise<number> => {
  let count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { wrong, last } = await findWrong(call, after)
    count += wrong.length
    after = last
  }
  return count
}

/** Stores the links in the content of all items of a tenant, and returns how many items had wrong ones. */
export const rebuildLinks = async (call: Call): Promise<number> => {
  const { tenantId } = call.actor
  let corrected = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const from: string = after
    after = await changing(call, async (call) => {
      const { wrong, last } = await findWrong(call, from)
      for (const { item, links } of wrong) {
        await call.db.runAll([
          ...store.replaceLinks(call.db, tenantId, item.id, links),
          store.setLinkCount(tenantId, item, links.length),
        ])
      }
      corrected += wrong.length
      return last
    })
  }
  return corrected
}
