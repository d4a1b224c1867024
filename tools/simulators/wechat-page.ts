import type { AuthorizeRequest } from './wechat-oauth.ts'
import { refusal } from './wechat-users.ts'

export const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const safe = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

const page = (title: string, body: string) => `<!doctype html>
<html lang="zh-CN">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/page.css">
  </head>
  <body>
    <main>${body}</main>
  </body>
</html>
`

/** Links instead of a form: they may lead to any site without the page's policy naming it. */
export function authorizePage({ app, redirectUri, scope, state }: AuthorizeRequest): string {
  const to = (person: string) => {
    const query = { appid: app.appId, redirect_uri: redirectUri, response_type: 'code', scope, state, person }
    return safe(`/connect/oauth2/authorize?${new URLSearchParams(query)}`)
  }
  const persons = app.people.map(({ id, nickname, snapshot, united, picture }) => {
    const note = snapshot ? '快照页的虚拟账号' : united ? '有 UnionID' : '没有 UnionID，未关注'
    return `
        <li><a href="${to(id)}" data-person="${id}"><img src="/mmopen/vi_32/${app.appId}-${id}-${picture}/132" alt="" width="48" height="48"><span class="name">${safe(nickname)}</span><span class="note">${note}</span></a></li>`
  })
  return page(
    '微信授权',
    `
      <p class="mark">微信模拟</p>
      <h1>授权登录</h1>
      <p class="soft"><strong>${safe(new URL(redirectUri).host)}</strong> 申请获取你的昵称和头像</p>
      <h2>选择微信身份</h2>
      <ul>${persons.join('')}
      </ul>
      <p><a class="refuse" href="${to(refusal)}" data-person="${refusal}">拒绝</a></p>
    `,
  )
}

export const faultPage = (fault: string) =>
  page('微信授权', `<p class="mark">微信模拟</p><h1>无法打开此页面</h1><p class="soft" role="alert">${safe(fault)}</p>`)
