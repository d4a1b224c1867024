// @vitest-environment happy-dom
import { act } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  allFactors,
  createdPasskey,
  factorServer,
  newCodes,
  noFactors,
  openProtection,
  samplePasskey,
  withAuthenticator,
} from '../../../test/factors.tsx'
import {
  type Answers,
  alertText,
  all,
  button,
  currentAddress,
  failing,
  find,
  hasField,
  inputsOf,
  leave,
  press,
  Refusal,
  settle,
  shownText,
  type,
} from '../../../test/page.tsx'
import { sampleUser, weChatAgent } from '../../../test/samples.ts'

const page = '/user/protection/totp'
const codes = '/user/protection/codes'
const of = '/api/user/factor/'
const toast = () => find('.toast')?.textContent
const present = () => find('.protection-steps [aria-current=step]')?.textContent

async function goOn() {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}

/** What was copied last. */
function watchClipboard() {
  const copied: string[] = []
  const writeText = async (text: string) => void copied.push(text)
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  return () => copied.at(-1)
}

async function toCode(answers: Answers = factorServer(noFactors)) {
  await openProtection(page, answers)
  await press('下一步')
}

beforeEach(async () => {
  await leave()
  withAuthenticator(createdPasskey)
})

describe('enrolment', () => {
  test('D179 first the code to scan, the secret to copy, and on phones the link that opens the app', async () => {
    const copied = watchClipboard()
    await openProtection(page, factorServer(noFactors))
    await vi.waitFor(() => settle().then(() => expect(find('svg.qr')).not.toBeNull()))
    expect([find('h1')?.textContent, present(), find('svg.qr')?.getAttribute('aria-label')]).toEqual([
      '绑定验证器',
      '1扫码',
      '绑定验证器的二维码',
    ])
    expect(find('.protection-secret code')?.textContent).toBe('JBSW Y3DP EHPK 3PXP ')
    expect(find('a.btn')?.getAttribute('href')).toBe('otpauth://totp/Qingyu:lin?secret=JBSWY3DPEHPK3PXP')
    await press('复制')
    expect([copied(), toast()]).toEqual(['JBSWY3DPEHPK3PXP', '已复制密钥'])
    for (const device of [{ width: 1280, height: 800 }, { userAgent: weChatAgent }]) {
      await openProtection(page, factorServer(noFactors), device)
      expect(find('a[href^="otpauth:"]')).toBeNull()
    }
  })
  test('D179 the sixth digit proves it, then the recovery codes come; the secret was made once', async () => {
    await toCode()
    expect([present(), shownText().includes('“青屿生活”下方显示的六位数字')]).toEqual(['2验证', true])
    await type('动态验证码', '38291')
    expect(inputsOf(`${of}totp/confirm`)).toEqual([])
    await type('动态验证码', '382916')
    expect([inputsOf(`${of}totp/begin`), inputsOf(`${of}totp/confirm`)]).toEqual([[{}], [{ totp: '382916' }]])
    expect([present(), find('.notice.good')?.textContent]).toEqual([
      '3恢复码',
      '验证器已绑定，登录保护已开启，其他设备已退出登录',
    ])
    expect(all('.protection-codes li').map((each) => each.textContent)).toEqual(newCodes)
  })
  test('D179 a wrong code says what to do, too many say for how long, and a step back keeps the secret', async () => {
    const answers = factorServer(noFactors)
    await toCode({ ...answers, [`${of}totp/confirm`]: failing('FACTOR_WRONG', '验证未通过') })
    await type('动态验证码', '000000')
    expect(alertText()).toBe('动态验证码不正确，请输入验证器应用中最新的六位数字')
    await press('上一步')
    expect([present(), inputsOf(`${of}totp/begin`).length]).toEqual(['1扫码', 1])
    const paused = () => {
      throw new Refusal('FACTOR_PAUSED', '错误次数过多', { retryAfter: 540 }, 429)
    }
    await toCode({ ...answers, [`${of}totp/confirm`]: failing('ENROLMENT_REQUIRED', '请输入重置码') })
    await type('动态验证码', '382916')
    expect(alertText()).toBe('重置码不正确或已过期，请核对，或请管理员重新提供')
    await toCode({ ...answers, [`${of}totp/confirm`]: paused })
    await type('动态验证码', '000000')
    expect(alertText()).toBe('错误次数过多，请 9 分钟后再试')
  })
  test('D179 an account that has codes already gets no third step', async () => {
    await toCode(factorServer({ ...allFactors, totp: null }))
    expect(all('.protection-steps li').length).toBe(2)
    await type('动态验证码', '382916')
    expect([currentAddress(), toast()]).toEqual(['/user', '已绑定验证器'])
  })
  test('D187 it begins with the step-up and comes back to the first step', async () => {
    await openProtection(page, factorServer(noFactors, { checked: false }))
    expect([currentAddress(), inputsOf(`${of}totp/begin`)]).toEqual(['/user/twoFactor/authorize', []])
    await type('登录密码', 'Qingyu#2026')
    await press('验证')
    expect([currentAddress(), present()]).toEqual([page, '1扫码'])
  })
  test('D187 a step-up that ended meanwhile is made again, and the scanned secret stays', async () => {
    let owed = false
    const answers = factorServer(noFactors)
    await toCode({
      ...answers,
      '/api/user/info': () => ({ ...sampleUser, twoFactor: !owed }),
      '/api/user/twoFactor/state': () => ({ twoFactor: !owed, way: 'password', second: [], factors: [] }),
      '/api/user/twoFactor/verify': () => {
        owed = false
        return null
      },
      [`${of}totp/confirm`]: (input) => {
        if (owed) throw new Refusal('TWO_FACTOR_REQUIRED', '当前操作需要先验证您的身份')
        return answers[`${of}totp/confirm`]?.(input)
      },
    })
    owed = true
    await type('动态验证码', '382916')
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    await type('登录密码', 'Qingyu#2026')
    await press('验证')
    expect([currentAddress(), present(), inputsOf(`${of}totp/begin`).length]).toEqual([page, '2验证', 1])
    await type('动态验证码', '382916')
    expect(present()).toBe('3恢复码')
  })
  test('D182 without password and address only a recovery code helps later, said before the code is scanned', async () => {
    await openProtection(page, factorServer({ ...noFactors, recoverable: false }, { password: true, email: null }))
    expect(find('.notice.warn')?.textContent).toContain('您只能用恢复码登录')
    expect(all('.notice.warn a').map((link) => link.textContent)).toEqual(['设置电子邮箱'])
    await openProtection(page, factorServer(noFactors))
    expect(find('.notice.warn')).toBeNull()
  })
  test('D183 an operator whose factors were reset gives the code first, and it goes with both calls', async () => {
    const answers = factorServer({ ...noFactors, operator: true, enrolment: true })
    await openProtection(page, { ...answers, [`${of}totp/begin`]: failing('FACTOR_WRONG', '验证未通过') })
    expect([hasField('重置码'), find('svg.qr'), inputsOf(`${of}totp/begin`)]).toEqual([true, null, []])
    await type('重置码', 'AAAA-BBBB-CCCC')
    await press('下一步')
    expect(alertText()).toBe('重置码不正确或已过期，请核对，或请管理员重新提供')
    await openProtection(page, answers)
    await type('重置码', 'W6RA-3JPE-KC5H')
    await press('下一步')
    expect(present()).toBe('1扫码')
    await press('下一步')
    await type('动态验证码', '382916')
    expect([inputsOf(`${of}totp/begin`), inputsOf(`${of}totp/confirm`)]).toEqual([
      [{ enrolment: 'W6RA-3JPE-KC5H' }],
      [{ totp: '382916', enrolment: 'W6RA-3JPE-KC5H' }],
    ])
  })
  test('D184 an account that has the number alone is led to setting a password', async () => {
    await openProtection(page, factorServer({ ...noFactors, otherWay: false }))
    expect(find('.empty h2')?.textContent).toBe('请先设置登录密码')
    expect([find('.empty a')?.getAttribute('href'), inputsOf(`${of}totp/begin`)]).toEqual(['/user/changePassword', []])
    await openProtection(page, {
      ...factorServer(noFactors),
      [`${of}totp/begin`]: failing('FACTOR_NEEDS_WAY', '请先设置登录密码或绑定微信'),
    })
    expect(find('.empty a')?.getAttribute('href')).toBe('/user/changePassword')
  })
  test('D179 any other refusal stands there in words with a retry', async () => {
    const words = '登录方式在新设备上刚刚更改过，为保护账号安全，72 小时内暂不能进行此操作'
    await openProtection(page, { ...factorServer(noFactors), [`${of}totp/begin`]: failing('SECOND_TOO_FRESH', words) })
    expect([shownText().includes(words), button('重试') !== undefined]).toEqual([true, true])
  })
})

describe('a bound authenticator', () => {
  test('D185 is removed after a question', async () => {
    await openProtection(page, factorServer(allFactors))
    expect([find('h1')?.textContent, all('.row .value').map((value) => value.textContent)]).toEqual([
      '验证器应用',
      ['2020 年 11 月 3 日 00:00', '还没有使用过'],
    ])
    await press('移除验证器')
    expect(find('dialog')?.textContent).toContain('动态验证码将不能再用于登录')
    await goOn()
    expect([inputsOf(`${of}totp/remove`).length, toast()]).toEqual([1, '已移除验证器'])
  })
  test('D183 D185 as the last factor it says what ends, and an operator keeps it', async () => {
    await openProtection(page, factorServer({ ...allFactors, passkeys: [] }))
    await press('移除验证器')
    expect(find('dialog')?.textContent).toContain('移除后登录保护将关闭')
    await openProtection(page, factorServer({ ...allFactors, passkeys: [], operator: true }))
    expect([button('移除验证器'), shownText().includes('至少保留一种验证方式')]).toEqual([undefined, true])
    await openProtection(page, factorServer({ ...allFactors, passkeys: [samplePasskey], operator: true }))
    expect(button('移除验证器')).toBeDefined()
  })
})

describe('recovery codes', () => {
  test('D181 how many are left; new ones come after a question and void the former', async () => {
    await openProtection(codes, factorServer(allFactors))
    expect([find('.row .value')?.textContent, find('.protection-codes')]).toEqual(['剩余 8 个', null])
    expect(shownText()).toContain('恢复码只在生成时显示一次')
    await press('重新生成')
    expect(find('dialog')?.textContent).toContain('之前的恢复码立即失效')
    expect(inputsOf(`${of}recovery/renew`)).toEqual([])
    await goOn()
    expect(all('.protection-codes li').map((each) => each.textContent)).toEqual(newCodes)
  })
  test('D180 they are copied and downloaded under the name of the site', async () => {
    const copied = watchClipboard()
    let blob: Blob | undefined
    URL.createObjectURL = (made) => {
      blob = made as Blob
      return 'blob:codes'
    }
    const saved: string[] = []
    const click = HTMLAnchorElement.prototype.click
    HTMLAnchorElement.prototype.click = function save(this: HTMLAnchorElement) {
      if (this.download) saved.push(`${this.getAttribute('href')} ${this.download}`)
      else click.call(this)
    }
    await openProtection(codes, factorServer(allFactors))
    await press('重新生成')
    await goOn()
    await press('复制')
    expect([copied(), toast()]).toEqual([newCodes.join('\n'), '已复制恢复码'])
    await press('下载')
    HTMLAnchorElement.prototype.click = click
    expect(saved).toEqual(['blob:codes 青屿生活-恢复码.txt'])
    const file = (await blob?.text()) ?? ''
    expect(newCodes.every((code) => file.includes(code)) && file.includes('账号：林知夏')).toBe(true)
  })
  test('D180 the page is left after a tick, or after a warning; then they are shown nowhere', async () => {
    const renewed = async () => {
      await openProtection(codes, factorServer(allFactors), {}, 0)
      await press('重新生成')
      await goOn()
    }
    await renewed()
    expect(button('完成')?.disabled).toBe(true)
    await press('返回')
    expect([currentAddress(), find('dialog h2')?.textContent]).toEqual([codes, '离开后不再显示恢复码'])
    await press('仍要离开')
    expect(currentAddress()).toBe('/user/protection')
    await renewed()
    await act(async () => find('input[type=checkbox]')?.click())
    await press('完成')
    expect(currentAddress()).toBe('/user/protection')
    await act(async () => find(`a[href="${codes}"]`)?.click())
    await settle()
    expect([find('.protection-codes'), find('.row .value')?.textContent]).toEqual([null, '剩余 8 个'])
  })
  test('D180 an account without factors has none: the page leads to 登录保护', async () => {
    await openProtection(codes, factorServer(noFactors))
    expect(currentAddress()).toBe('/user/protection')
  })
})
