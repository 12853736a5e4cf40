import { setTimeout as sleep } from 'node:timers/promises'

/** Asks again and again until the answer is right; the last one where it never is. */
export const until = async <T>(
  ask: () => Promise<T>,
  isRight: (answer: T) => boolean,
  timeoutMs = 120_000,
): Promise<T> => {
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (isRight(answer) || performance.now() > endsAt) return answer
    await sleep(50)
  }
}
