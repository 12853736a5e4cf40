import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** The query of the address: everything that is shown is in it. */
export type Query = Record<string, string | undefined>

export const parseQuery = (text: string): Query => Object.fromEntries(new URLSearchParams(text))

export const formatQuery = (query: Record<string, unknown>): string => {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(set as [string, string][]).toString()
  return text && `?${text}`
}

export const useQuery = (): Query => useSearch({ strict: false }) as Query

/** Changes parts of the query; `replace` keeps the change out of the browser's history. */
export const useSetQuery = () => {
  const navigate = useNavigate()
  return useCallback(
    (changes: Query, options: { replace?: boolean } = {}) => {
      void navigate({
        to: '.',
        search: (search: Query) => {
          const next = { ...search, ...changes }
          return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== ''))
        },
        replace: options.replace ?? false,
      } as never)
    },
    [navigate],
  )
}

export const listOf = (text: string | undefined): string[] => (text ? text.split(',') : [])

/** For links: the same page, with this task open. */
export const withTask = (task: string) => ((query: Query): Query => ({ ...query, task, edit: undefined })) as never
