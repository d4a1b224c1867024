import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { bindQuery } from './authorize.api.ts'
import { Leading } from './leading.tsx'

/** Takes a signed-in user back to the other site, and any other visitor to the sign-in page first. */
export default function LoginAuthorizePage() {
  return <Leading query={useQuery(bindQuery(useParams().id ?? ''))} />
}
