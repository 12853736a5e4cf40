import type { ChatMessage } from './message.js'

/** The three characters that are markup everywhere in a text of Slack: https://docs.slack.dev/messaging/formatting-message-text */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Texts of others are plain: in mrkdwn, asterisks, addresses and names would be markup, which nothing escapes. */
const plain = (text: string) => ({ type: 'plain_text', text: escaped(text), emoji: false })

const section = (text: string): object[] => (text === '' ? [] : [{ type: 'section', text: plain(text) }])

/** The payload of an incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slackPayload = ({ heading, label, url, title, text, options = '', by }: ChatMessage): object => ({
  // Shown in notifications, where blocks are not.
  text: escaped([heading, label, title].filter((part) => part !== '').join(' · ')),
  mrkdwn: false,
  blocks: [
    ...section(heading),
    ...section(title),
    ...section(text),
    ...section(options),
    {
      type: 'context',
      elements: [
        { type: 'mrkdwn', text: `<${escaped(url)}|${escaped(label || 'Open')}>`, verbatim: true },
        ...(by === '' ? [] : [plain(by)]),
      ],
    },
  ],
})
