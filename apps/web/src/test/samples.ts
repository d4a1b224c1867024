import type { UserInfo } from '@hufu/contract/profile'
import { fallbackRegion } from '@hufu/contract/regions'
import type { SiteMeta } from '@hufu/contract/site'

export const sampleMeta: SiteMeta = {
  name: '青屿生活',
  methods: ['mobile', 'password', 'wechat'],
  regions: [fallbackRegion, { ...fallbackRegion, key: 'HK', name: '中国香港', prefix: '852', language: 'zh-HK' }],
  theme: { primary: '#5374fa' },
  languages: ['zh-CN'],
  registration: 'open',
  wechatEnabled: false,
}

export const sampleAgreements = {
  terms: 'https://a.example/terms',
  privacy: 'https://a.example/privacy',
  version: '2026-11',
}

export const sampleUser: UserInfo = {
  id: '8c41f0b2-0000-4000-8000-000000000000',
  avatar: false,
  avatarTime: null,
  nickname: '林知夏',
  wechatNickname: '夏天的风',
  wechatOpenId: null,
  mobilePrefix: '86',
  mobile: '13812345678',
  username: 'zhixia',
  email: null,
  password: true,
  twoFactor: false,
  lastAccess: null,
  permission: {},
  preference: {},
  agreements: null,
  closing: null,
  recovery: null,
  recoveryPurpose: null,
  protected: false,
  enrolBy: null,
}

export const weChatAgent = 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 MicroMessenger/8.0.50'
