import { startAliyunSms } from './aliyun-sms.ts'
import { aliyunTemplates, demoKeys, demoSignNames, demoWechat, tencentTemplates } from './demo-gateways.ts'
import { createFaults } from './faults.ts'
import { startInbox } from './inbox.ts'
import { createInboxStore, type InboxMessage } from './inbox-store.ts'
import { startSmtp } from './smtp.ts'
import { startTencentSms } from './tencent-sms.ts'
import { startWechat } from './wechat.ts'

export interface SimulatorsOptions {
  /** A free one unless given. */
  inboxPort?: number
  /** Whether the carriers' limits hold. */
  limits?: boolean
  /** How many messages the inbox keeps; a thousand unless given. */
  inboxKeeps?: number
  /** Signatures besides the demo site's own. */
  signNames?: string[]
}

export interface Simulators {
  /** Where the development inbox is read. */
  inbox: string
  aliyunUrl: string
  tencentUrl: string
  /** WeChat's api, open and picture servers in one. */
  wechatUrl: string
  smtpPort: number
  /** What the inbox holds, newest first. */
  messages(to?: string): InboxMessage[]
  stop(): Promise<void>
}

/** The outside world on this machine: two SMS gateways, a mail server, WeChat and the inbox of all receivers. */
export async function startSimulators(options: SimulatorsOptions = {}): Promise<Simulators> {
  const { inboxPort, limits = true, signNames = [] } = options
  const store = createInboxStore(options.inboxKeeps)
  const faults = createFaults()
  const { aliyun, tencent } = demoKeys
  const shared = { signNames: [...demoSignNames, ...signNames], receive: store.receive, limits }
  const parts = await Promise.all([
    startAliyunSms({
      ...shared,
      keys: { [aliyun.keyId]: aliyun.secret },
      templates: aliyunTemplates,
    }),
    startTencentSms({
      ...shared,
      keys: { [tencent.keyId]: tencent.secret },
      appIds: [tencent.appId],
      templates: tencentTemplates,
    }),
    startSmtp({ receive: store.receive, faults }),
    startWechat({ app: demoWechat, receive: store.receive }),
    startInbox({ ...(inboxPort !== undefined && { port: inboxPort }), store, smtpFaults: faults }),
  ])
  const [aliyunSms, tencentSms, smtp, wechat, inbox] = parts
  async function stop() {
    await Promise.all(parts.map((part) => part.stop()))
  }
  return {
    inbox: inbox.url,
    aliyunUrl: aliyunSms.url,
    tencentUrl: tencentSms.url,
    wechatUrl: wechat.url,
    smtpPort: smtp.port,
    messages: store.list,
    stop,
  }
}
