import { type Environment, hufu } from './product.ts'

/** The brand of the demo: a made-up shop with everything configured that a visitor can see. */
export const demoConfig = {
  name: '青屿生活',
  theme: { primary: '#5374fa' },
  logoIcon: '/icon-180.png',
  regions: ['CN', 'HK', 'MO', 'TW', 'SG', 'MY', 'JP', 'US', 'GB'],
  agreements: {
    terms: 'https://www.qingyu.example/terms',
    privacy: 'https://www.qingyu.example/privacy',
    version: '2026-11-01',
  },
  icp: '粤ICP备2026118204号-1',
}

/** Brings the database up to date and makes the demo site, unless it is there already. */
export async function seedDemo(environment: Environment, origin: string): Promise<void> {
  await hufu(environment, ['migrate'])
  const sites = await hufu(environment, ['site', 'list'])
  if (sites.includes(origin)) return
  const site = await hufu(environment, ['site', 'create', '--origin', origin, '--host', '127.0.0.1'])
  await hufu(environment, ['config', 'set', site, '-'], JSON.stringify(demoConfig))
}
