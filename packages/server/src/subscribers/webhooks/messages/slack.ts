import type { ChatMessage } from './message.js'

/** The three characters that are markup everywhere in a text of Slack: https://docs.slack.dev/messaging/formatting-message-text */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } })

/** The payload of an incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slackPayload = ({ heading, label, url, title, text, by }: ChatMessage): object => ({
  // Shown in notifications, where blocks are not.
  text: escaped([heading, label, title].filter((part) => part !== '').join(' · ')),
  blocks: [
    section(`*${escaped(heading)}*\n<${escaped(url)}|${escaped(label || 'Open')}> ${escaped(title)}`.trim()),
    ...(text === '' ? [] : [section(`>${escaped(text)}`)]),
    ...(by === '' ? [] : [{ type: 'context', elements: [{ type: 'mrkdwn', text: escaped(by) }] }]),
  ],
})
