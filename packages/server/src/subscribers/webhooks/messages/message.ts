/** What a chat is told, as plain text; each format escapes it by itself. */
export interface ChatMessage {
  heading: string
  /** The record, such as a task's id, empty for none; */
  label: string
  /** and where the console shows it. */
  url: string
  title: string
  text: string
  /** What can be answered, if that is a choice. */
  options?: string
  by: string
}

const maxTitleLength = 300

/** One line of at most so many characters, so that with all of them escaped it stays below the limits of chats. */
export const oneLine = (text: string, maxLength = maxTitleLength): string => {
  const characters = [
    ...text
      .slice(0, 4 * maxLength)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  return characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength - 1).join('')}…`
}
