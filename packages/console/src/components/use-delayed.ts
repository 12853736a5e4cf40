import { useEffect, useState } from 'react'

const delayMs = 160

/** What was typed, once the typing pauses. */
export const useDelayed = (text: string): string => {
  const [delayed, setDelayed] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), delayMs)
    return () => clearTimeout(timer)
  }, [text])
  return delayed
}
