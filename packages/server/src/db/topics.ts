/** What transactions announce to every node, for whoever waits for it or remembers something. Topics have no spaces. */

/** A user has a new inbox entry. */
export const inboxTopic = (userId: string): string => `inbox:${userId}`

/** A tenant's keys or its plan have changed. */
export const keysTopic = (tenantId: string): string => `keys:${tenantId}`

/** A task of a tenant has become ready. */
export const readyTopic = (tenantId: string): string => `ready:${tenantId}`
