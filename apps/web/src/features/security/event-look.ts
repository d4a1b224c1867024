import type { OwnSecurityEntry } from '@hufu/contract/security'
import {
  AtSign,
  Ban,
  CircleCheck,
  Download,
  FileCheck,
  Fingerprint,
  Globe,
  History,
  LockKeyhole,
  LogIn,
  LogOut,
  Mail,
  ScanLine,
  ShieldAlert,
  ShieldCheck,
  ShieldOff,
  Smartphone,
  Ticket,
  TriangleAlert,
  Unlink,
  UserCog,
  UserX,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { WechatMark } from '../../ui/wechat-mark.tsx'

type Tone = 'plain' | 'warn' | 'bad'

interface Look {
  icon: ComponentType
  tone: Tone
}

/** By event, or by the part before its dot where all of that kind look alike. */
const icons: Record<string, ComponentType> = {
  login: LogIn,
  'login.failed': TriangleAlert,
  'login.disowned': ShieldAlert,
  scan: ScanLine,
  check: ShieldCheck,
  'check.failed': TriangleAlert,
  'access.failed': TriangleAlert,
  authorize: Globe,
  'authorize.revoke': Unlink,
  password: LockKeyhole,
  email: Mail,
  mobile: Smartphone,
  recovery: Smartphone,
  username: AtSign,
  wechat: WechatMark,
  factor: ShieldCheck,
  'factor.passkeyAdded': Fingerprint,
  'factor.passkeyRemoved': Fingerprint,
  'factor.codesRenewed': Ticket,
  'factor.codeUsed': Ticket,
  'factor.off': ShieldOff,
  'factor.recovered': ShieldOff,
  'factor.reset': ShieldOff,
  'factor.failed': TriangleAlert,
  session: LogOut,
  'account.disable': Ban,
  'account.enable': CircleCheck,
  'account.signOut': LogOut,
  'account.rights': UserCog,
  'account.close': UserX,
  'account.keep': CircleCheck,
  agreements: FileCheck,
  data: Download,
}

/** What its owner should look at twice. */
const tones: Record<string, Tone> = {
  'login.failed': 'warn',
  'check.failed': 'warn',
  'access.failed': 'warn',
  'scan.rejected': 'warn',
  'mobile.moved': 'warn',
  'recovery.start': 'warn',
  'factor.codeUsed': 'warn',
  'factor.off': 'warn',
  'factor.recovered': 'warn',
  'factor.reset': 'warn',
  'factor.failed': 'warn',
  'account.close': 'warn',
  'login.disowned': 'bad',
  'account.disable': 'bad',
}

export function lookOf({ event, session }: Pick<OwnSecurityEntry, 'event' | 'session'>): Look {
  const [kind = ''] = event.split('.')
  const icon = icons[event] ?? icons[kind] ?? History
  return { icon, tone: session?.disowned ? 'bad' : (tones[event] ?? 'plain') }
}
