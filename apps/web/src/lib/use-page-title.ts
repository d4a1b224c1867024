import { useEffect } from 'react'
import { setTitle } from './device.ts'

export function usePageTitle(title: string) {
  useEffect(() => setTitle(title), [title])
}
