import type { Region } from '@hufu/contract/regions'
import { create } from 'zustand'
import { inForce, type Preference, rootFontSize, standardFontSize } from './device-rules.ts'
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
  /** Of the signed-in user; in memory alone, so that a shared device forgets it. */
  accountPreference: Preference
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
  accountPreference: {},
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

function adoptPreference(change: Partial<Pick<DeviceState, 'preference' | 'accountPreference'>>) {
  const size = rootFontSize(inForce({ ...useDevice.getState(), ...change }))
  document.documentElement.style.fontSize = `${size}px`
  useDevice.setState({ ...change, fontSize: size })
}

export type PreferenceChange = { [Field in keyof Preference]?: Preference[Field] | undefined }

const chosenIn = (change: PreferenceChange): Preference =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** Merges the change; a field given as undefined is no longer chosen. */
export function changePreference(change: PreferenceChange) {
  const preference = chosenIn({ ...useDevice.getState().preference, ...change })
  writePreference(preference)
  adoptPreference({ preference })
}

/** What this device leaves unset follows the account; it is never stored here. */
export function followAccount(preference: PreferenceChange) {
  adoptPreference({ accountPreference: chosenIn(preference) })
}

/** The window's title and the one the mobile bar shows are the same, but for the count of what is new. */
export function setTitle(title: string, unread?: number) {
  document.title = unread ? `(${unread}) ${title}` : title
  useDevice.setState({ title })
}

/** Reads the device once and follows its changes; returns a function that stops. */
export function followDevice(): () => void {
  adoptPreference({ preference: readPreference() })
  refreshDevice()
  let frame = 0
  const refreshSoon = () => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(refreshDevice)
  }
  const otherTab = ({ key, newValue }: StorageEvent) => {
    if (key === preferenceKey) adoptPreference({ preference: parsePreference(newValue) })
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
