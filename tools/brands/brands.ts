import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteConfig } from '@hufu/contract/site'

export const brandFolder = join(import.meta.dirname, '../../examples/brands')

/** Which of a config's keys name a picture, and what kind of picture each is. */
export const pictureKeys = { logoIcon: 'logo', logoImage: 'logo', bg: 'background', vbg: 'background' } as const
export type PictureKey = keyof typeof pictureKeys

export interface BrandPicture {
  key: PictureKey
  file: string
  bytes: Buffer<ArrayBuffer>
}

export interface Brand {
  name: string
  /** As an operator wrote it: its pictures are named by their files, /icon.webp beside it. */
  config: SiteConfig
  pictures: BrandPicture[]
}

function readBrand(name: string): Brand {
  const folder = join(brandFolder, name)
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as SiteConfig
  const pictures = (Object.keys(pictureKeys) as PictureKey[]).flatMap((key) => {
    const file = config[key]?.slice(1)
    return file ? [{ key, file, bytes: readFileSync(join(folder, file)) }] : []
  })
  return { name, config, pictures }
}

/** All of examples/brands, or those asked for. */
export function readBrands(names: string[] = []): Brand[] {
  const folders = readdirSync(brandFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const known = folders.map(({ name }) => name).sort()
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`no brand named ${unknown.join(', ')}; there are ${known.join(', ')}`)
  return known.filter((name) => names.length === 0 || names.includes(name)).map(readBrand)
}

/** Uploads a picture and returns the path under which the site serves it. */
export type HandOver = (kind: 'logo' | 'background', picture: BrandPicture) => Promise<string>

/** The config as it can be saved: every picture is handed over first and named by where it is served. */
export async function withPictures({ config, pictures }: Brand, handOver: HandOver): Promise<SiteConfig> {
  const served: Partial<Record<PictureKey, string>> = {}
  for (const picture of pictures) served[picture.key] = await handOver(pictureKeys[picture.key], picture)
  return { ...config, ...served }
}
