import { demoMail, demoSms, demoWechat } from '../simulators/demo-gateways.ts'
import type { Simulators } from '../simulators/start-simulators.ts'
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

/** Wide enough for a suite of tests that signs many users in from one address. */
export const demoLimits = {
  receiverHour: 1_000,
  receiverDay: 10_000,
  addressProof: 100_000,
  addressHour: 100_000,
  prefixDay: 1_000_000,
  siteDay: 1_000_000,
}

/** Has READ, WRITE and ADMIN in the back-office of the demo. */
export const demoOperator = { mobilePrefix: '86', mobile: '13800138000' }

/** The example site beside the demo, whose users sign in here. */
export const demoClient = { client: 'example', secret: 'demo-example-secret' }

export const simulatorEnvironment = ({ aliyunUrl, tencentUrl, wechatUrl }: Simulators): Environment => ({
  HUFU_ALIYUN_SMS_URL: aliyunUrl,
  HUFU_TENCENT_SMS_URL: tencentUrl,
  HUFU_WECHAT_URL: wechatUrl,
  HUFU_WECHAT_OPEN_URL: wechatUrl,
  HUFU_WECHAT_PICTURES: wechatUrl,
  HUFU_MAIL_NETWORKS: '127.0.0.0/8',
})

/** Brings the database up to date and makes the demo site and its operator, unless they are there already. */
export async function seedDemo(
  environment: Environment,
  origin: string,
  { smtpPort }: Simulators,
  example: string,
): Promise<void> {
  await hufu(environment, ['migrate'])
  const sites = await hufu(environment, ['site', 'list'])
  if (!sites.includes(origin)) {
    await hufu(environment, ['site', 'create', '--origin', origin, '--host', '127.0.0.1'])
    const { mobilePrefix, mobile } = demoOperator
    const user = ['--site', origin, '--prefix', mobilePrefix, '--mobile', mobile]
    await hufu(environment, ['user', 'create', ...user, '--nickname', '青屿客服'])
    await hufu(environment, ['grant', ...user, 'MERCHANT', 'READ,WRITE,ADMIN'])
  }
  // Ports of the simulators and of the example differ from start to start.
  const clients = [
    { id: demoClient.client, name: '海风书店', secret: demoClient.secret, returns: [`${example}/callback`] },
  ]
  const sending = { sms: demoSms, mail: demoMail(smtpPort), wechat: demoWechat, limits: demoLimits }
  const config = { ...demoConfig, ...sending, clients }
  await hufu(environment, ['config', 'set', origin, '-'], JSON.stringify(config))
}
