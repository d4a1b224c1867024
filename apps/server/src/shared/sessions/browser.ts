import Bowser from 'bowser'

export interface BrowserDetails {
  browser: string
  os: string
  device: string
}

/** Their user agents are frozen at one version. */
const frozen = ['Windows', 'macOS']

const kinds: Record<string, string> = { mobile: '手机', tablet: '平板', desktop: '电脑', tv: '电视' }

const unknown = { browser: '未知浏览器', os: '未知系统', device: '未知设备' }

/** A name that says something; null otherwise. */
export const knownName = (name: string): string | null => (Object.values(unknown).includes(name) ? null : name)

/** The browser's common name, from its user agent. */
export function browserOf(userAgent: string): BrowserDetails {
  const text = userAgent.slice(0, 512)
  if (!text) return unknown
  const { browser, os, platform } = Bowser.parse(text)
  const named = (name: string | undefined, version: string | undefined) =>
    [name, version?.split('.')[0]].filter(Boolean).join(' ')
  return {
    browser: (/micromessenger/i.test(text) ? '微信' : named(browser.name, browser.version)) || unknown.browser,
    os: named(os.name, frozen.includes(os.name ?? '') ? undefined : os.version) || unknown.os,
    device: platform.model ?? kinds[platform.type ?? ''] ?? unknown.device,
  }
}
