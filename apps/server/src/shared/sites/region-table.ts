import { fallbackRegion, type Region } from '@hufu/contract/regions'

/** Key, dial prefix, languages spoken there (the first is its own). Names come from the runtime's own data. */
const table = `
CN 86 zh-CN | HK 852 zh-HK,en-HK | MO 853 zh-MO,pt-MO | TW 886 zh-TW | SG 65 en-SG,zh-SG,ms-SG | MY 60 ms-MY,zh-MY,en-MY
JP 81 ja-JP | KR 82 ko-KR | TH 66 th-TH | VN 84 vi-VN | PH 63 en-PH,fil-PH | ID 62 id-ID | IN 91 hi-IN,en-IN | PK 92 ur-PK,en-PK
BD 880 bn-BD | LK 94 si-LK,ta-LK | NP 977 ne-NP | MM 95 my-MM | KH 855 km-KH | LA 856 lo-LA | BN 673 ms-BN | MN 976 mn-MN
KZ 7 kk-KZ,ru-KZ | UZ 998 uz-UZ | AE 971 ar-AE,en-AE | SA 966 ar-SA | QA 974 ar-QA | IL 972 he-IL | TR 90 tr-TR | IR 98 fa-IR
US 1 en-US,es-US | CA 1 en-CA,fr-CA | MX 52 es-MX | BR 55 pt-BR | AR 54 es-AR | CL 56 es-CL | CO 57 es-CO | PE 51 es-PE
GB 44 en-GB | IE 353 en-IE | FR 33 fr-FR | DE 49 de-DE | AT 43 de-AT | CH 41 de-CH,fr-CH,it-CH | IT 39 it-IT | ES 34 es-ES
PT 351 pt-PT | NL 31 nl-NL | BE 32 nl-BE,fr-BE | LU 352 fr-LU,de-LU | DK 45 da-DK | SE 46 sv-SE | NO 47 nb-NO | FI 358 fi-FI
IS 354 is-IS | PL 48 pl-PL | CZ 420 cs-CZ | SK 421 sk-SK | HU 36 hu-HU | RO 40 ro-RO | BG 359 bg-BG | GR 30 el-GR
HR 385 hr-HR | SI 386 sl-SI | RS 381 sr-RS | UA 380 uk-UA | BY 375 be-BY,ru-BY | RU 7 ru-RU | EE 372 et-EE | LV 371 lv-LV
LT 370 lt-LT | AU 61 en-AU | NZ 64 en-NZ | ZA 27 en-ZA | EG 20 ar-EG | NG 234 en-NG | KE 254 sw-KE,en-KE | MA 212 ar-MA,fr-MA
`

/** As Chinese readers expect them in a list of dial prefixes. */
const chineseNames: Record<string, string> = { HK: '中国香港', MO: '中国澳门', TW: '中国台湾' }

const displayName = (language: string, key: string) =>
  new Intl.DisplayNames([language], { type: 'region', style: 'short' }).of(key) ?? key

function expand(row: string): Region {
  const [key = '', prefix = '', spoken = ''] = row.trim().split(' ')
  if (key === fallbackRegion.key) return fallbackRegion
  const languages = spoken.split(',')
  const language = languages[0] ?? 'en'
  const name = chineseNames[key] ?? displayName('zh-CN', key)
  const nativeName = displayName(language, key)
  return {
    key,
    name,
    names: [...new Set([name, displayName('en', key), nativeName])],
    nativeName,
    language,
    languages,
    prefix,
  }
}

const rows = new Map(
  table
    .trim()
    .split(/[|\n]/)
    .map((row) => [row.trim().split(' ', 1)[0], row]),
)
const regions = new Map<string, Region>()

/** A region by its key in a config. Built on first use: all of them would delay every start. */
export function regionOf(typed: string): Region | undefined {
  const key = typed.toUpperCase()
  const row = rows.get(key)
  if (row === undefined) return undefined
  const region = regions.get(key) ?? expand(row)
  regions.set(key, region)
  return region
}
