import { useEffect, useState } from 'react'
import { type ApiKey, NotFoundError } from 'worklore-client'
import { useConsole } from '../store/console'

/** The service notes a key's first use within a second. */
const readEveryMs = 2_000

type FirstUse = 'waiting' | 'connected' | 'revoked'

/** Whether a key has been used, read again for as long as it has not. */
export const useFirstUse = (keyId: string): FirstUse => {
  const { client, keys } = useConsole()
  const [state, setState] = useState<FirstUse>('waiting')

  useEffect(() => {
    if (state !== 'waiting') return
    let timer: ReturnType<typeof setTimeout>
    let isOver = false
    const read = async (): Promise<ApiKey | null | undefined> => {
      try {
        return await client.keys.get(keyId)
      } catch (error) {
        return error instanceof NotFoundError ? null : undefined
      }
    }
    const check = async (): Promise<void> => {
      const apiKey = document.hidden ? undefined : await read()
      if (isOver) return
      if (apiKey === null) setState('revoked')
      else if (apiKey?.lastUsedAt) {
        keys.put(apiKey)
        setState('connected')
      } else timer = setTimeout(check, readEveryMs)
    }
    timer = setTimeout(check, readEveryMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, keys, keyId, state])

  return state
}
