const maxLength = 64

/** Edits to turn one text into the other, where swapping two neighbours is one edit (optimal string alignment). */
const editDistance = (from: string, to: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1]
      let edits = Math.min(last[at]! + 1, current[at - 1]! + 1, last[at - 1]! + (isSame ? 0 : 1))
      if (row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]) {
        edits = Math.min(edits, beforeLast[at - 2]! + 1)
      }
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[to.length]!
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '')

/** Names of one thing in this API and in others, the best guess first where several are known. */
const synonyms: readonly (readonly string[])[] = [
  ['id', 'taskid', 'task', 'issueid', 'issue', 'ticket', 'of'],
  ['key', 'id', 'of', 'knowledge', 'prefix', 'path', 'noteid', 'notekey', 'slug', 'file', 'taskid'],
  ['text', 'body', 'content', 'summary', 'description', 'comment', 'message', 'note'],
  ['labels', 'label', 'tags', 'tag'],
  ['blockedby', 'block', 'blockers', 'dependson', 'dependencies', 'deps'],
  ['parent', 'parentid', 'parenttask', 'epic'],
  ['assignee', 'assigneeid', 'owner', 'assignedto'],
  ['due', 'duedate', 'dueat', 'deadline'],
  ['project', 'projectid', 'projectkey', 'team'],
  ['query', 'q', 'search', 'term'],
  ['claim', 'token', 'claimtoken', 'lease'],
  ['title', 'name', 'subject'],
  ['limit', 'count', 'perpage', 'pagesize', 'max'],
  ['cursor', 'nextcursor', 'after', 'page', 'offset'],
  ['version', 'ifmatch', 'expectedversion'],
]

const synonymOf = (wanted: string, known: readonly string[]): string | undefined => {
  const byPlain = new Map(known.map((name) => [plain(name), name]))
  for (const names of synonyms) {
    if (!names.includes(wanted)) continue
    const found = names.find((name) => byPlain.has(name))
    if (found !== undefined) return byPlain.get(found)
  }
  return undefined
}

/** Of names as short as `id` and `in`, one edit makes another word. */
const maxEditsOf = ({ length }: string): number => Math.floor(length / 3)

/** The known name that was most likely meant, if one is near enough. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > maxLength) return undefined
  const wanted = plain(name)
  let nearest: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const text = plain(candidate)
    const isPart = wanted.length > 2 && (text.startsWith(wanted) || wanted.startsWith(text))
    const edits = isPart ? 0.5 : editDistance(wanted, text)
    if (edits >= fewest) continue
    fewest = edits
    nearest = candidate
  }
  return fewest <= maxEditsOf(wanted) ? nearest : undefined
}

/** Whether both are names of one thing, here or elsewhere. */
export const areSynonyms = (one: string, other: string): boolean =>
  synonyms.some((names) => names.includes(plain(one)) && names.includes(plain(other)))

/** The known field that was most likely meant, by a name of it elsewhere or by one that is near. */
export const nearestField = (name: string, known: readonly string[]): string | undefined => {
  const same = known.find((each) => plain(each) === plain(name))
  return same ?? synonymOf(plain(name), known) ?? nearestName(name, known)
}

/** Ends a message about an unknown name. */
export const didYouMean = (name: string, known: readonly string[], nearestOf = nearestName): string => {
  const nearest = nearestOf(name, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}
