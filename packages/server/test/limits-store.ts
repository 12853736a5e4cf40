import { engines, type TestStore } from 'worklore-testing/engines'
import { migrate } from '../src/db/migrate.js'
import { openDb } from '../src/db/open.js'
import type { Db } from '../src/db/port.js'
import { builtInPlans, type Plan } from '../src/limits/plans.js'

export const planOf = (name: string, overrides: Partial<Plan> = {}): Plan => ({
  ...builtInPlans.find((plan) => plan.name === name)!,
  ...overrides,
})

/** A migrated store, with tenants as a test needs them. */
export interface LimitsStore {
  db: Db
  settings: TestStore
  addTenant(): Promise<string>
  /** Another connection to the same store, as another node would have. */
  openAgain(): Promise<Db>
  remove(): Promise<void>
}

export const createLimitsStore = async (engine: 'sqlite' | 'postgres'): Promise<LimitsStore> => {
  const settings = await engines.find(({ name }) => name === engine)!.createPreparedStore()
  const opened: Db[] = []
  const openAgain = async (): Promise<Db> => {
    const db = await openDb(settings)
    opened.push(db)
    return db
  }
  const db = await openAgain()
  await migrate(db)
  let tenants = 0
  return {
    db,
    settings,
    openAgain,
    addTenant: async () => {
      const id = `ten_${++tenants}`
      await db.run('insert into tenants (tenant_id, name, plan, created_at) values (?, ?, ?, 0)', [id, id, 'free'])
      return id
    },
    remove: async () => {
      await Promise.all(opened.map((each) => each.close().catch(() => {})))
      await settings.remove()
    },
  }
}
