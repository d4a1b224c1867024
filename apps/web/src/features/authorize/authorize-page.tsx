import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { sourceIn } from '../../session/login-source.ts'
import { createQuery } from './authorize.api.ts'
import { Leading } from './leading.tsx'

/** What the other site sends along. */
const carried = ['state', 'code_challenge', 'code_challenge_method']

/** Where another site sends users who want to sign in to it. */
export default function AuthorizePage() {
  const { pathname, search } = useLocation()
  const asked = new URLSearchParams(search)
  const given = Object.fromEntries([...asked].filter(([name]) => carried.includes(name)))
  return <Leading query={useQuery(createQuery(sourceIn(pathname, '/authorize') ?? '', given))} />
}
