/** What a demo site's config holds to send through the simulators, and which credentials those accept. */
const signName = '青屿生活'

export const demoKeys = {
  aliyun: { keyId: 'LTAI5tDemoAliyun', secret: 'demo-aliyun-secret' },
  tencent: { keyId: 'AKIDDemoTencent', secret: 'demo-tencent-secret', appId: '1400006666' },
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: Aliyun's own placeholders
/** Parameters in this order: code and minutes; for a notice time and event. */
export const aliyunTemplates = {
  SMS_480000001: '您正在登录，验证码为${code}，${minutes}分钟内有效。请勿向任何人透露。',
  SMS_480000002: '您正在更换绑定的手机号，验证码为${code}，${minutes}分钟内有效。如非本人操作，请尽快修改密码。',
  SMS_480000003: '您正在进行安全验证，验证码为${code}，${minutes}分钟内有效。请勿向任何人透露。',
  SMS_480000004: '您的账号于${time}${event}。如非本人操作，请尽快登录并修改密码。',
}
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: Aliyun's own placeholders

export const tencentTemplates = {
  '2480001': '您正在登录，验证码为{1}，{2}分钟内有效。请勿向任何人透露。',
  '2480002': '您正在更换绑定的手机号，验证码为{1}，{2}分钟内有效。如非本人操作，请尽快修改密码。',
  '2480003': '您正在进行安全验证，验证码为{1}，{2}分钟内有效。请勿向任何人透露。',
  '2480004': '您的账号于{1}{2}。如非本人操作，请尽快登录并修改密码。',
}

export const demoSms = {
  gateways: [
    {
      kind: 'aliyun' as const,
      ...demoKeys.aliyun,
      signName,
      templates: {
        login: 'SMS_480000001',
        changeMobile: 'SMS_480000002',
        twoFactor: 'SMS_480000003',
        notice: 'SMS_480000004',
      },
    },
    {
      kind: 'tencent' as const,
      ...demoKeys.tencent,
      signName,
      templates: { login: '2480001', changeMobile: '2480002', twoFactor: '2480003', notice: '2480004' },
    },
  ],
}

export const demoMail = (smtpPort: number) => ({
  host: '127.0.0.1',
  port: smtpPort,
  from: `${signName} <no-reply@qingyu.example>`,
})

/** The official account of the demo. */
export const demoWechat = { appId: 'wx2b5c8d1e4f7a9063', secret: '7f3c9a1e5d2b8064f1a7c3e9b5d20468' }

export const demoSignNames = [signName]
