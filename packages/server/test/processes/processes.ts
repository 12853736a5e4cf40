import { engines, type TestStore } from 'worklore-testing/engines'
import { type Answer, type RequestOptions, send, testAdminKey } from 'worklore-testing/harness'
import { type RealProcess, startProcess } from 'worklore-testing/real-process'
import { until } from 'worklore-testing/until'

export const postgres = engines.find(({ name }) => name === 'postgres')!

export interface Processes extends RealProcess {
  /** Process ids in the order in which they began to serve; those of ended ones too. */
  served(): number[]
}

/** Starts a supervisor, and waits until all of its processes serve. */
export const startProcesses = async (
  store: TestStore,
  count: number,
  environment: Record<string, string> = {},
): Promise<Processes> => {
  const node = await startProcess(store, {
    LOG_LEVEL: 'info',
    WORKLORE_PROCESSES: String(count),
    WORKLORE_POOL_SIZE: '4',
    ...environment,
  })
  const served = (): number[] =>
    [...node.output().matchAll(/"pid":(\d+),"msg":"process is serving"/g)].map(([, pid]) => Number(pid))
  await until(
    async () => served().length,
    (serving) => serving >= count,
  )
  return { ...node, served }
}

/** As another client does, over a connection of its own: it may reach any of the processes. */
export const sendAnew = (
  { baseUrl }: Pick<RealProcess, 'baseUrl'>,
  method: string,
  path: string,
  { headers = {}, ...options }: RequestOptions = {},
): Promise<Answer> =>
  send(baseUrl, method, path, { key: testAdminKey, ...options, headers: { ...headers, connection: 'close' } })
