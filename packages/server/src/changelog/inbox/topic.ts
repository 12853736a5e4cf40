/** Announced when a user has a new entry. A topic has no space in it. */
export const inboxTopic = (userId: string): string => `inbox:${userId}`
