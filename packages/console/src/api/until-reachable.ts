const pauseMs = 2_000

/** Resolves when the browser is online again, or after a pause, because it does not always know. */
export const untilOnline = (): Promise<void> =>
  new Promise((resolve) => {
    addEventListener('online', () => resolve(), { once: true })
    setTimeout(resolve, pauseMs)
  })

const isReachable = (): Promise<boolean> =>
  fetch(`${import.meta.env.BASE_URL}favicon.svg`, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Resolves once the service can be reached. */
export const untilReachable = async (): Promise<void> => {
  while (!(await isReachable())) await untilOnline()
}
