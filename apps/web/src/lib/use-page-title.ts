import { useEffect } from 'react'
import { setTitle } from './device/device.ts'

export function usePageTitle(title: string, unread?: number) {
  useEffect(() => setTitle(title, unread), [title, unread])
}
