import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { sourceIn } from '../login/source.ts'
import { createQuery } from './authorize.api.ts'
import { Leading } from './leading.tsx'

/** Where another site sends people who want to sign in to it. */
export default function AuthorizePage() {
  const { pathname, search } = useLocation()
  const state = new URLSearchParams(search).get('state') ?? undefined
  return <Leading query={useQuery(createQuery(sourceIn(pathname, '/authorize') ?? '', state))} />
}
