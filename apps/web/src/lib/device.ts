import type { Region } from '@hufu/contract/regions'
import { create } from 'zustand'
import { type Preference, rootFontSize, standardFontSize } from './device-rules.ts'
import { parsePreference, preferenceKey, readPreference, writePreference } from './preference.ts'

export interface DeviceState {
  width: number
  height: number
  scrollX: number
  scrollY: number
  fontSize: number
  title: string
  /** There is an earlier page of ours to go back to. */
  hasBack: boolean
  userAgent: string
  systemLanguage: string
  systemDark: boolean
  regions: Region[]
  preference: Preference
}

export const useDevice = create<DeviceState>(() => ({
  width: 0,
  height: 0,
  scrollX: 0,
  scrollY: 0,
  fontSize: standardFontSize,
  title: '',
  hasBack: false,
  userAgent: '',
  systemLanguage: 'en-US',
  systemDark: false,
  regions: [],
  preference: {},
}))

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)')

export function refreshDevice() {
  useDevice.setState((before) => ({
    width: window.innerWidth,
    height: window.innerHeight,
    scrollX: window.scrollX,
    scrollY: window.scrollY,
    userAgent: navigator.userAgent,
    systemLanguage: navigator.language || before.systemLanguage,
    systemDark: systemDark().matches,
    fontSize: Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || before.fontSize,
  }))
}

function adoptPreference(preference: Preference) {
  const size = rootFontSize(preference)
  document.documentElement.style.fontSize = `${size}px`
  useDevice.setState({ preference, fontSize: size })
}

/** Merges the change; a field given as undefined is no longer chosen. */
export function changePreference(change: { [Field in keyof Preference]?: Preference[Field] | undefined }) {
  const merged = { ...useDevice.getState().preference, ...change }
  const chosen = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined))
  writePreference(chosen)
  adoptPreference(chosen)
}

/** The window's title and the one the mobile bar shows are the same. */
export function setTitle(title: string) {
  document.title = title
  useDevice.setState({ title })
}

/** Reads the device once and follows it from then on; answers a function that stops. */
export function followDevice(): () => void {
  adoptPreference(readPreference())
  refreshDevice()
  let frame = 0
  const refreshSoon = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(refreshDevice)
  }
  const otherTab = ({ key, newValue }: StorageEvent) => {
    if (key === preferenceKey) adoptPreference(parsePreference(newValue))
  }
  const dark = systemDark()
  const listening = new AbortController()
  const { signal } = listening
  window.addEventListener('resize', refreshSoon, { signal })
  window.addEventListener('scroll', refreshSoon, { passive: true, signal })
  window.addEventListener('languagechange', refreshSoon, { signal })
  window.addEventListener('storage', otherTab, { signal })
  dark.addEventListener('change', refreshDevice, { signal })
  return () => listening.abort()
}
