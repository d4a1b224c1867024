import type { SiteMeta } from '@hufu/contract/site'

const own = { wide: '/images/login/bg.jpg', tall: '/images/login/vbg.jpg' }

/** The picture behind sign-in and home, in the vertical variant on portrait screens. */
export function loginBackground({ bg, vbg }: Pick<SiteMeta, 'bg' | 'vbg'>, portrait: boolean): string {
  return portrait ? vbg || bg || own.tall : bg || own.wide
}

/** Ours may be toned for dark mode as we like; an operator's picture is only dimmed. */
export function isOwnBackground(address: string): boolean {
  return address === own.wide || address === own.tall
}
