import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { useUser } from '../../session/profile.api.ts'

/** The page's own requests come first. */
const soon = 500

/** Receives live events while a user is signed in and on a page that needs them. Loaded after the page is rendered. */
export function useLive() {
  const client = useQueryClient()
  const { user } = useUser()
  const { pathname } = useLocation()
  const userId = /^\/(user|merchant)(\/|$)/.test(pathname) ? user?.id : undefined
  useEffect(() => {
    if (userId === undefined) return
    let stop: (() => void) | undefined
    const timer = setTimeout(
      () =>
        import('./follow.ts').then(
          ({ follow }) => {
            stop ??= follow(client, userId)
          },
          () => undefined,
        ),
      soon,
    )
    return () => {
      clearTimeout(timer)
      stop?.()
      stop = () => undefined
    }
  }, [client, userId])
}
