/** Announced when a task of a tenant becomes ready. */
export const readyTopic = (tenantId: string): string => `ready:${tenantId}`
