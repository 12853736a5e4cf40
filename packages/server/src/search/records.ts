/** A text's first line, the heading's signs taken off, apart from what follows it. */
export const splitHeading = (text: string): { heading: string; rest: string } => {
  const body = text.trimStart()
  const end = body.indexOf('\n')
  const line = end === -1 ? body : body.slice(0, end)
  if (line.length > MAX_HEADING_LENGTH) return { heading: '', rest: body }
  return { heading: line.replace(/^#+\s+/, ''), rest: end === -1 ? '' : body.slice(end + 1) }
}

// A longer line is a paragraph: weighing it twice would only weigh its text twice.
const MAX_HEADING_LENGTH = 300
