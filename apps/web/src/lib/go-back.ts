import { pages } from '@hufu/contract/pages'
import { useNavigate } from 'react-router'
import { move } from './history-guard.ts'

/** The router numbers its history entries; 0 is the one the person came in with. */
export function entryNumber(): number {
  return (window.history.state as { idx?: number } | null)?.idx ?? 0
}

/** Goes back so many pages of ours; where there aren't as many, to the first page of the area. */
export function useGoBack(first: string = pages.user) {
  const navigate = useNavigate()
  return (steps: number) => {
    if (entryNumber() >= steps) void navigate(-steps)
    else move(() => void navigate(first, { replace: true }))
  }
}
