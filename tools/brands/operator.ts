import { setTimeout as sleep } from 'node:timers/promises'
import { addBackground, addLogo, openConfig, updateConfig } from '@hufu/contract/merchant-config'
import { agree } from '@hufu/contract/personal-data'
import { meta, type SiteConfig, type SiteMeta, siteMeta } from '@hufu/contract/site'
import type { APIRequestContext } from '@playwright/test'
import type { HandOver } from './brands.ts'

const uploads = { logo: addLogo.path, background: addBackground.path }

/** The public appearance of a site is the brand's; its gateways and clients stay. */
function dressed(former: SiteConfig, brand: SiteConfig): SiteConfig {
  const kept = Object.entries(former).filter(([key]) => !(key in siteMeta.shape))
  return { ...Object.fromEntries(kept), ...brand }
}

/** The back-office's own calls, made for an operator who is signed in there. */
export function operatorCalls(request: APIRequestContext, web: string) {
  async function ask<Data>(path: string, body: Parameters<APIRequestContext['post']>[1]): Promise<Data> {
    const answer = await request.post(web + path, { headers: { origin: web }, ...body })
    if (!answer.ok()) throw new Error(`${path} was refused: ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }
  const handOver: HandOver = async (kind, { file, bytes }) => {
    const multipart = { file: { name: file, mimeType: 'image/webp', buffer: bytes } }
    return (await ask<{ path: string }>(uploads[kind], { multipart })).path
  }
  /** Returns once the site wears it, its agreements agreed to: otherwise they are asked about first. */
  async function wear(brand: SiteConfig): Promise<void> {
    const { version, config } = await ask<{ version: number; config: SiteConfig }>(openConfig.path, { data: {} })
    await ask(updateConfig.path, { data: { config: dressed(config, brand), basedOn: version } })
    while ((await ask<SiteMeta>(meta.path, { data: {} })).name !== brand.name) await sleep(100)
    if (brand.agreements) await ask(agree.path, { data: { version: brand.agreements.version } })
  }
  return { handOver, wear }
}
