import { pages } from '@hufu/contract/pages'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { move, stepBack } from './history-guard.ts'

/** The router numbers its history entries; 0 is the one the user came in with. */
export function entryNumber(): number {
  return (window.history.state as { idx?: number } | null)?.idx ?? 0
}

/**
 * Goes back so many pages of this app; where there are fewer, to the first page of the area. If the user has already left
 * the page meanwhile, does nothing.
 */
export function useGoBack(first: string = pages.user) {
  const navigate = useNavigate()
  const { key } = useLocation()
  const own = useRef(entryNumber())
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the page stands once it is drawn at another address
  useEffect(() => {
    own.current = entryNumber()
  }, [key])
  return (steps: number) => {
    if (entryNumber() !== own.current) return
    if (entryNumber() >= steps) stepBack(() => void navigate(-steps))
    else move(() => void navigate(first, { replace: true }))
  }
}
