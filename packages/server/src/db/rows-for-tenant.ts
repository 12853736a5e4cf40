/** Rows that are given, for an insert: `t` is their tenant, whose parameter comes last. So the insert goes to its shard. */
export const forTenant = (given: string): string => `tenants t cross join ${given} where t.tenant_id = ?`
