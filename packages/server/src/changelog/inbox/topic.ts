/** Announced when a user has a new entry. */
export const inboxTopic = (userId: string): string => `inbox ${userId}`
