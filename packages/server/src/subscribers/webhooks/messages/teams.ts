import type { ChatMessage } from './message.js'

interface Style {
  weight?: 'Bolder'
  isSubtle?: boolean
}

/** Unlike that of a TextBlock, the text of a TextRun is never Markdown. */
const line = (text: string, style: Style = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})

/**
 * An Adaptive Card as the workflow "When a Teams webhook request is received" takes it:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export const teamsPayload = ({ heading, label, url, title, text, options = '', by }: ChatMessage): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.2',
        body: [
          line(heading, { weight: 'Bolder' }),
          ...[[label, title].filter((part) => part !== '').join(' '), text, options]
            .filter((part) => part !== '')
            .map((part) => line(part)),
          ...(by === '' ? [] : [line(by, { isSubtle: true })]),
        ],
        actions: [{ type: 'Action.OpenUrl', title: label === '' ? 'Open' : `Open ${label}`, url }],
      },
    },
  ],
})
