/** What transactions announce to every node, for whoever waits for it or remembers something. Topics have no spaces. */

/** The id of a tenant stands for its events. */
export const isTenantTopic = (topic: string): boolean => topic.startsWith('ten_')

/** A user has a new inbox entry. */
export const inboxTopic = (userId: string): string => `inbox:${userId}`

/** A tenant's keys or its plan have changed. */
export const keysTopic = (tenantId: string): string => `keys:${tenantId}`

/** A key, a project or all of a tenant was paused or resumed. */
export const pausesTopic = (tenantId: string): string => `pauses:${tenantId}`

/** A task of a tenant has become ready. */
export const readyTopic = (tenantId: string): string => `ready:${tenantId}`

const deliveriesPrefix = 'webhooks:'

/** A webhook of the tenant changed, or has something to send besides new events. */
export const deliveriesTopic = (tenantId: string): string => `${deliveriesPrefix}${tenantId}`

export const tenantOfDeliveriesTopic = (topic: string): string | undefined =>
  topic.startsWith(deliveriesPrefix) ? topic.slice(deliveriesPrefix.length) : undefined

/** Work of the service itself has become due. */
export const dueWorkTopic = 'due-work'
