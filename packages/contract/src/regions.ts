/** A country or region whose phone numbers a site accepts. */
export interface Region {
  key: string
  name: string
  names: string[]
  nativeName: string
  language: string
  languages: string[]
  /** Dial prefix without plus, e.g. 86. */
  prefix: string
}

/** The default when neither the site nor the user names a region. */
export const fallbackRegion: Region = {
  key: 'CN',
  name: '中国大陆',
  names: ['中国大陆', '中国', 'China'],
  nativeName: '中国大陆',
  language: 'zh-CN',
  languages: ['zh-CN'],
  prefix: '86',
}
