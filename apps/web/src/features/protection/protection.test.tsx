// @vitest-environment happy-dom
import { act } from 'react'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  allFactors,
  createdPasskey,
  factorServer,
  newCodes,
  noFactors,
  openProtection,
  refusedPasskey,
  samplePasskey,
  withAuthenticator,
} from '../../test/factors.tsx'
import {
  alertText,
  all,
  button,
  currentAddress,
  failing,
  field,
  find,
  hasField,
  inputsOf,
  leave,
  press,
  settle,
  shownText,
  type,
} from '../../test/page.tsx'
import { weChatAgent } from '../../test/samples.ts'

const page = '/user/protection'
const passkeys = '/user/protection/passkeys'
const of = '/api/user/factor/'
const rows = () => all('.row.two').map((row) => row.textContent)
const toast = () => find('.toast')?.textContent

/** The button of the open dialog that goes on. */
async function goOn() {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}

// Loaded before a page asks for it: a slow machine takes longer than the page is given to settle.
beforeAll(async () => {
  await import('./passkeys/create-passkey.ts')
})
beforeEach(async () => {
  await leave()
  withAuthenticator(createdPasskey)
})

describe('the page', () => {
  test('D176 protected: each kind with its count and last use, trusted devices, help and the way out', async () => {
    await openProtection(page, factorServer(allFactors))
    expect([find('h1')?.textContent, find('.protection-top h2')?.textContent]).toEqual(['登录保护', '登录保护已开启'])
    expect(rows()).toEqual([
      '通行密钥上次使用：2020 年 11 月 12 日\u00a0· iPhone2 个',
      '验证器应用2020 年 11 月 3 日绑定已绑定',
      '恢复码以上方式都用不了时使用剩余 8 个',
      '已信任的设备30 天内登录不再验证3 台',
    ])
    expect(shownText()).toContain('手机丢了怎么办？')
    expect([button('添加通行密钥') !== undefined, button('关闭登录保护') !== undefined]).toEqual([true, true])
  })
  test.each([
    [3, '恢复码只剩 3 个，请重新生成'],
    [0, '恢复码已用完，请重新生成'],
  ])('D176 %d recovery codes are few: the page asks for new ones', async (left, words) => {
    await openProtection(page, factorServer({ ...allFactors, recovery: { created: 0, left } }))
    expect(find('small.warn')?.textContent).toBe(words)
  })
  test('D176 not protected: how it is opened now and the shortest way to change that', async () => {
    await openProtection(page, factorServer(noFactors))
    expect(find('.protection-top h2')?.textContent).toBe('登录保护建议开启')
    expect(rows()).toEqual([
      '通行密钥指纹、面容或锁屏密码，推荐未设置',
      '验证器应用每 30 秒更新的六位动态验证码未绑定',
      '恢复码开启后自动生成 10 个未生成',
    ])
    expect(shownText()).toContain('只用短信验证码有什么风险？')
    expect([button('用通行密钥开启') !== undefined, button('关闭登录保护')]).toEqual([true, undefined])
  })
  test('D176 an error of the server is shown with a retry', async () => {
    await openProtection(page, { ...factorServer(noFactors), [`${of}state`]: failing('X', '服务出现异常') })
    expect([shownText().includes('服务出现异常'), button('重试') !== undefined]).toEqual([true, true])
  })
  test('D183 an operator reads until when, can not turn it off and has no trusted devices', async () => {
    const by = Date.UTC(2098, 10, 30, 16)
    await openProtection(page, factorServer({ ...noFactors, operator: true }, { enrolBy: by }))
    expect(shownText()).toContain('请在 11 月 30 日（含当天）之前开启登录保护')
    await openProtection(page, factorServer({ ...noFactors, operator: true }))
    expect(shownText()).toContain('使用管理后台需要先开启登录保护')
    await openProtection(page, factorServer({ ...noFactors, operator: true, enrolment: true }))
    expect(shownText()).toContain('开启登录保护需要管理员提供的重置码')
    await openProtection(page, factorServer({ ...allFactors, operator: true }))
    expect([button('关闭登录保护'), shownText().includes('已信任的设备')]).toEqual([undefined, false])
    expect(shownText()).toContain('后台成员需要保持登录保护开启')
  })
  test('D185 turning it off asks first and says what is lost', async () => {
    await openProtection(page, factorServer(allFactors))
    await press('关闭登录保护')
    expect(find('dialog')?.textContent).toContain('通行密钥、验证器、恢复码和已信任的设备将全部移除')
    expect(inputsOf(`${of}removeAll`)).toEqual([])
    await goOn()
    expect([inputsOf(`${of}removeAll`).length, toast(), find('.protection-top h2')?.textContent]).toEqual([
      1,
      '已关闭登录保护',
      '登录保护建议开启',
    ])
  })
  test('D187 what needs a step-up leads to it and comes back to the question', async () => {
    await openProtection(page, factorServer(allFactors, { checked: false }))
    await press('关闭登录保护')
    expect(currentAddress()).toBe('/user/twoFactor/authorize')
    await type('登录密码', 'Qingyu#2026')
    await press('验证')
    expect([currentAddress(), find('dialog h2')?.textContent]).toEqual([page, '关闭登录保护？'])
    expect(inputsOf(`${of}removeAll`)).toEqual([])
  })
  test('D186 all trusted devices are forgotten at once, after a question', async () => {
    await openProtection(page, factorServer(allFactors))
    await act(async () => all('button.row.two')[0]?.click())
    expect(find('dialog')?.textContent).toContain('这些设备不会退出，但下次登录都需要再次验证')
    await goOn()
    expect([inputsOf(`${of}trusted/forget`).length, toast(), rows().at(-1)]).toEqual([
      1,
      '已取消信任所有设备',
      '已信任的设备30 天内登录不再验证没有',
    ])
    await openProtection(page, factorServer({ ...allFactors, trust: false }))
    expect(shownText()).not.toContain('已信任的设备')
  })
})

describe('passkeys', () => {
  test('D177 the first one is added after a press and leads to the recovery codes', async () => {
    await openProtection(page, factorServer(noFactors))
    await press('用通行密钥开启')
    expect([find('dialog h2')?.textContent, inputsOf(`${of}passkey/begin`)]).toEqual(['添加通行密钥', []])
    await goOn()
    await settle()
    const [sent] = inputsOf(`${of}passkey/add`)
    expect(sent).toEqual({
      passkey: {
        id: 'AQID',
        rawId: 'AQID',
        type: 'public-key',
        authenticatorAttachment: 'platform',
        clientExtensionResults: {},
        response: { clientDataJSON: 'AQID', attestationObject: 'AQID', transports: ['internal'] },
      },
    })
    expect(currentAddress()).toBe('/user/protection/codes')
    expect(all('.protection-codes li').map((each) => each.textContent)).toEqual(newCodes)
  })
  test('D177 a further one is named in a toast and listed', async () => {
    await openProtection(passkeys, factorServer({ ...allFactors, passkeys: [] }))
    await press('添加通行密钥')
    await goOn()
    await settle()
    expect([currentAddress(), toast(), all('.passkey b').map((each) => each.textContent)]).toEqual([
      passkeys,
      '已添加通行密钥',
      ['iPhone已同步'],
    ])
  })
  test.each([
    ['NotAllowedError', '已取消，没有添加通行密钥。需要时可以再试一次。'],
    ['InvalidStateError', '这台设备上已有该账号的通行密钥，不需要再添加。'],
    ['SecurityError', '这台设备暂时无法添加通行密钥，请确认已设置锁屏密码，或换一台设备再试。'],
  ])('D177 what the browser refuses (%s) is said in words', async (name, words) => {
    withAuthenticator(refusedPasskey(name))
    await openProtection(page, factorServer(noFactors))
    await press('用通行密钥开启')
    await goOn()
    await settle()
    expect([alertText(), inputsOf(`${of}passkey/add`)]).toEqual([words, []])
  })
  test('D178 where the browser has none, as in WeChat, none is offered, and it is said where to add one', async () => {
    await openProtection(page, factorServer(noFactors), { userAgent: weChatAgent })
    expect([button('用通行密钥开启'), find('a.btn.main')?.getAttribute('href')]).toEqual([
      undefined,
      '/user/protection/totp',
    ])
    await openProtection(passkeys, factorServer(noFactors), { userAgent: weChatAgent })
    expect([button('添加通行密钥'), shownText().includes('系统浏览器')]).toEqual([undefined, true])
    Reflect.deleteProperty(window, 'PublicKeyCredential')
    await openProtection(page, factorServer(allFactors))
    expect(button('添加通行密钥')).toBeUndefined()
  })
  test('D177 a passkey is renamed', async () => {
    await openProtection(passkeys, factorServer(allFactors))
    await press('改名：iPhone')
    await type('名称', ' 我的手机 ')
    await press('保存')
    expect(inputsOf(`${of}passkey/rename`)).toEqual([{ id: samplePasskey.id, name: '我的手机' }])
    expect([toast(), find('.passkey b')?.textContent]).toEqual(['修改成功', '我的手机已同步'])
  })
  test('D185 a passkey is removed after a question; of the last factor it says that the protection ends', async () => {
    await openProtection(passkeys, factorServer(allFactors))
    await press('移除：iPhone')
    expect(find('dialog')?.textContent).toContain('移除“iPhone”后，将不能再用它登录')
    await goOn()
    expect([inputsOf(`${of}passkey/remove`), toast(), all('.passkey').length]).toEqual([
      [{ id: samplePasskey.id }],
      '已移除通行密钥',
      1,
    ])
    await openProtection(passkeys, factorServer({ ...allFactors, passkeys: [samplePasskey], totp: null }))
    await press('移除：iPhone')
    expect(find('dialog')?.textContent).toContain('最后一种验证方式，移除后登录保护将关闭')
  })
  test('D183 the last factor of an operator can not be removed', async () => {
    const last = { ...allFactors, operator: true, passkeys: [samplePasskey], totp: null }
    await openProtection(passkeys, factorServer(last))
    expect([button('移除：iPhone'), button('改名：iPhone') !== undefined]).toEqual([undefined, true])
    expect(shownText()).toContain('至少保留一种验证方式')
    const refused = { [`${of}passkey/remove`]: failing('FACTOR_LAST', '后台成员至少要保留一种验证方式') }
    await openProtection(passkeys, { ...factorServer({ ...last, totp: allFactors.totp }), ...refused })
    await press('移除：iPhone')
    await goOn()
    expect(alertText()).toBe('后台成员至少要保留一种验证方式')
  })
  test('D183 after a reset an operator gives the code of an administrator first', async () => {
    const answers = factorServer({ ...noFactors, operator: true, enrolment: true })
    await openProtection(page, { ...answers, [`${of}passkey/begin`]: failing('FACTOR_WRONG', '验证未通过') })
    await press('用通行密钥开启')
    expect([hasField('重置码'), button('继续')?.disabled]).toEqual([true, true])
    await type('重置码', ' w6ra-3jpe-kc5h ')
    await goOn()
    expect([inputsOf(`${of}passkey/begin`), field('重置码').getAttribute('aria-invalid'), alertText()]).toEqual([
      [{ enrolment: 'w6ra-3jpe-kc5h' }],
      'true',
      '重置码不正确或已过期，请核对，或请管理员重新提供',
    ])
  })
  test('D182 without password and address only a recovery code helps later: said before, with a way to set both', async () => {
    const user = { password: false, email: null }
    await openProtection(page, factorServer({ ...noFactors, recoverable: false }, user))
    await press('用通行密钥开启')
    expect(find('dialog .notice')?.textContent).toContain('验证设备丢失后，您只能用恢复码登录')
    expect(all('dialog a').map((link) => link.getAttribute('href'))).toEqual([
      '/user/changePassword',
      '/user/changeEmail',
    ])
  })
})
