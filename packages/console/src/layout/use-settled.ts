import { useEffect, useState } from 'react'

/** The page comes first: what it does not need at once is loaded after this time. */
const settleMs = 1_000
let isSettled = false

/** Whether the console has been open for a moment. */
export const useSettled = (): boolean => {
  const [value, setValue] = useState(isSettled)
  useEffect(() => {
    if (isSettled) return
    const timer = setTimeout(() => {
      isSettled = true
      setValue(true)
    }, settleMs)
    return () => clearTimeout(timer)
  }, [])
  return value
}
