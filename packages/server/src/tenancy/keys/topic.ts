/** Announced by every change of a tenant's keys or plan, for whoever remembers them. Topics have no spaces. */
export const keysTopic = (tenantId: string): string => `keys:${tenantId}`
