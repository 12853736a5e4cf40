import { invalid } from '../../base/errors.js'

export const lastEventId = (text: string): string => {
  if (!/^\d{1,15}$/.test(text)) throw invalid({ path: 'Last-Event-ID', message: 'must be an event sequence' })
  return text
}
