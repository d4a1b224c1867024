import { pages } from '@hufu/contract/pages'
import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { move, stepBack } from './history-guard.ts'

/** The router numbers its history entries; 0 is the one the person came in with. */
export function entryNumber(): number {
  return (window.history.state as { idx?: number } | null)?.idx ?? 0
}

/**
 * Goes back so many pages of ours; where there aren't as many, to the first page of the area. Who has left the page already,
 * while what it waited for was still under way, stays where they went.
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
