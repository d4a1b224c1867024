import { sql } from 'kysely'
import { byOthers } from '../../core/security-log.ts'
import { type Column, goesIn, type PersonalTable, pictureFile, type Rows } from './personal-data.store.ts'
import {
  conversations,
  jobs,
  loginNames,
  ofConfirmation,
  ofContacts,
  ofConversation,
  ofOperator,
  ofOperatorsFile,
  ofOwner,
  ofPerson,
  ofPictures,
  ofWechatTicket,
  themselves,
} from './personal-rows.ts'
import { words } from './personal-words.ts'

const value = (label: string, meaning?: Column['words']): Column => ({ label, shown: 'value', words: meaning })
const time = (label: string): Column => ({ label, shown: 'time' })
/** Hashes, ciphertexts, and what is of use to the house alone. */
const hidden = (label: string): Column => ({ label, shown: 'hidden' })

const table = (
  name: string,
  title: string,
  rows: Rows,
  columns: PersonalTable['columns'],
  order?: PersonalTable['order'],
): PersonalTable => ({ table: name, title, rows, columns, order })

/**
 * Everything that is kept about a person: what the archive shows, in this order, and what erasing deletes, from the last to
 * the first. So rows by which others are found stand before those, and names before codes before receivers: whoever signs in
 * or asks for a code locks them the other way round, as erasing does.
 */
export const personalTables: readonly PersonalTable[] = [
  table('users', '账号资料', themselves, {
    id: value('用户编号'),
    listed_at: time('注册时间'),
    status: value('账号状态', words.account),
    nickname: value('昵称'),
    wechat_nickname: value('微信昵称'),
    wechat_open_id: value('微信标识（OpenID）'),
    avatar_id: value('头像编号'),
    wechat_avatar_id: value('微信头像编号'),
    preference: value('显示偏好', words.preferences),
    mobile_prefix: value('手机号区号'),
    mobile: value('手机号'),
    email: value('电子邮箱'),
    username: value('用户名'),
    password_fresh_until: time('新密码开始可用于验证的时间'),
    email_fresh_until: time('新邮箱开始可用于验证的时间'),
    wechat_fresh_until: time('新绑定微信开始可用于验证的时间'),
  }),
  table('user_identity', '登录方式', ofPerson, { kind: value('类型', words.names), value: value('内容') }),
  table('identity', '登录方式的验证时间', loginNames, {
    kind: value('类型', words.names),
    value: value('内容'),
    proved_at: time('最近验证时间'),
  }),
  table('credential', '登录凭据', ofPerson, {
    kind: value('类型', words.credentials),
    secret: hidden('密码（仅保存不可还原的摘要）'),
    changed_at: time('修改时间'),
  }),
  table('permission', '后台权限', ofPerson, {
    area: value('范围'),
    action: value('权限'),
    granted_at: time('授权时间'),
  }),
  table('consent', '同意的协议', ofPerson, {
    document: value('协议', words.documents),
    version: value('版本'),
    at: time('同意时间'),
  }),
  table('user_access', '最近使用', ofPerson, { last_access: time('最近使用时间') }),
  table(
    'session',
    '登录设备',
    ofPerson,
    {
      id: value('编号'),
      created_at: time('登录时间'),
      method: value('登录方式', words.methods),
      browser: value('浏览器'),
      device: value('设备'),
      os: value('系统'),
      address: value('网络地址（IP）'),
      region: value('地区'),
      two_factor_at: time('身份验证时间'),
      second_at: time('第二种验证时间'),
      asked: value('登录时在微信确认', words.yesOrNo),
      former_until: time('旧凭据失效时间'),
      ended_at: time('下线时间'),
      end_reason: value('下线原因'),
      secret_hash: hidden('登录状态凭据'),
      former_hash: hidden('旧的登录状态凭据'),
      browser_hash: hidden('浏览器标识'),
      scan_hash: hidden('扫码请求标识'),
    },
    sql`created_at DESC`,
  ),
  table('session_access', '设备最近使用', ofPerson, {
    session_id: value('设备编号'),
    last_access: time('最近使用时间'),
  }),
  table('known_browser', '登录过的浏览器', ofPerson, {
    first_seen: time('首次登录时间'),
    last_used: time('最近使用时间'),
    cookie_hash: hidden('浏览器标识'),
  }),
  table(
    'security_log',
    '安全记录',
    ofPerson,
    {
      id: value('编号'),
      at: time('时间'),
      event: value('事件', words.events),
      address: {
        ...value('网络地址（IP）'),
        as: sql`CASE WHEN event <> ALL(${byOthers}) THEN address END`,
      },
      detail: value('详情', words.details),
    },
    sql`at DESC, id`,
  ),
  table('feedback_of_user', '意见反馈目录', ofPerson, { feedback_id: value('反馈编号') }),
  table(
    'feedback',
    '意见反馈',
    conversations,
    {
      id: value('反馈编号'),
      status: value('状态', words.feedback),
      created_at: time('提交时间'),
      last_message_at: time('最近消息时间'),
      waiting_since: time('等待回复起始时间'),
      last_seq: value('消息数'),
      user_seen: value('已读到第几条'),
      user_texts: value('您的消息数'),
      merchant_texts: value('客服消息数'),
      offered: value('客服曾标记已解决'),
      rating: value('您的评分'),
      rating_words: value('您的评价'),
      rated_at: time('评价时间'),
      user_told_at: time('最近提醒时间'),
      merchant_seen: hidden('客服处理进度'),
      merchant_told_at: hidden('客服提醒时间'),
    },
    sql`created_at DESC, id`,
  ),
  table(
    'feedback_entry',
    '反馈消息',
    ofConversation,
    {
      feedback_id: value('反馈编号'),
      seq: value('序号'),
      role: value('发送方', words.roles),
      message: value('内容'),
      pictures: {
        label: '图片',
        shown: 'value',
        as: sql`(SELECT string_agg(${pictureFile(sql`p ->> 'id'`)}, chr(10) ORDER BY n)
          FROM jsonb_array_elements(pictures) WITH ORDINALITY AS listed (p, n))`,
      },
      status: value('状态变更', words.feedback),
      at: time('时间'),
      author_id: hidden('发送人编号'),
      client_key: hidden('消息防重复标识'),
    },
    sql`feedback_id, seq`,
  ),
  // The merchant's own words about a case: by decision not one of them leaves the back-office, so no archive has them.
  {
    ...table('feedback_note', '客服内部备注', ofConversation, {
      feedback_id: value('反馈编号'),
      id: value('编号'),
      author_id: hidden('记录人编号'),
      text: hidden('内容'),
      at: time('时间'),
    }),
    erasedOnly: true,
  },
  table(
    'feedback_picture',
    '反馈图片',
    ofPictures,
    {
      id: value('编号'),
      feedback_id: value('反馈编号'),
      created_at: time('保存时间'),
      width: value('宽度'),
      height: value('高度'),
      bytes: {
        label: '内容',
        shown: 'value',
        as: sql`CASE WHEN ${goesIn} THEN '见压缩包中的 ' || ${pictureFile(sql`id`)}
          ELSE '图片较多，未全部收入，可联系客服索取' END`,
      },
      author_id: hidden('发送人编号'),
    },
    sql`created_at, id`,
  ),
  table('code', '验证码', ofContacts, {
    receiver: value('接收方'),
    purpose: value('用途', words.purposes),
    expires_at: time('失效时间'),
    own_tries: value('本浏览器尝试次数'),
    other_tries: value('其他浏览器尝试次数'),
    spent_at: time('使用时间'),
    hmac: hidden('验证码摘要'),
    sealed: hidden('验证码密文'),
    browser_hash: hidden('浏览器标识'),
  }),
  table('code_send', '验证码发送记录', ofContacts, {
    receiver: value('接收方'),
    at: time('发送时间'),
    id: value('编号'),
    purpose: value('用途', words.purposes),
    outcome: value('结果'),
  }),
  table('receiver', '验证码接收方', ofContacts, { receiver: value('接收方'), last_sent_at: time('最近发送时间') }),
  table('login_confirm', '账号归属确认', ofConfirmation, {
    mobile: value('手机号'),
    tries: value('尝试次数'),
    expires_at: time('失效时间'),
    spent_at: time('使用时间'),
    ticket_hash: hidden('凭证摘要'),
    browser_hash: hidden('浏览器标识'),
  }),
  table('notice_link', '提醒中的链接', ofPerson, {
    purpose: value('用途', words.links),
    subject: value('对应的登录或找回编号'),
    expires_at: time('失效时间'),
    spent_at: time('使用时间'),
    hash: hidden('链接摘要'),
  }),
  table('recovery', '手机号找回申请', ofPerson, {
    id: value('编号'),
    started_at: time('申请时间'),
    ready_at: time('可更换时间'),
    expires_at: time('失效时间'),
  }),
  table('recovery_ticket', '手机号找回验证', ofPerson, {
    tries: value('尝试次数'),
    proved_at: time('邮箱验证时间'),
    expires_at: time('失效时间'),
    ticket_hash: hidden('凭证摘要'),
    browser_hash: hidden('浏览器标识'),
    change_id: value('对应的账号更改编号'),
  }),
  table(
    'account_change',
    '近期的账号更改',
    ofPerson,
    {
      id: value('编号'),
      kind: value('更改内容', words.changes),
      at: time('时间'),
      expires_at: time('可撤销至'),
      undone_at: time('撤销时间'),
      former: value('更改之前的登录方式'),
      former_secret: hidden('更改之前的密码（仅保存不可还原的摘要）'),
      link_hash: hidden('链接摘要'),
    },
    sql`at DESC`,
  ),
  table('deletion', '注销申请', ofPerson, {
    id: value('编号'),
    requested_at: time('申请时间'),
    due_at: time('注销时间'),
    held_until: time('正在处理至'),
    told_at: time('最后通知时间'),
  }),
  table('authorized_client', '授权登录过的网站', ofPerson, {
    client_id: value('网站标识'),
    first_at: time('首次授权时间'),
    last_at: time('最近授权时间'),
  }),
  table('authorize_ticket', '授权登录凭证', ofPerson, {
    origin: value('网站'),
    expires_at: time('失效时间'),
    spent_at: time('使用时间'),
    hash: hidden('凭证摘要'),
  }),
  table('wechat_ticket', '微信授权过程', ofWechatTicket, {
    purpose: value('用途'),
    session_id: value('设备编号'),
    expires_at: time('失效时间'),
    detail: value('详情'),
    hash: hidden('凭证摘要'),
    browser_hash: hidden('浏览器标识'),
  }),
  table('user_export', '后台导出任务', ofOperator, {
    id: value('编号'),
    wanted: value('筛选条件'),
    status: value('状态', words.exports),
    done: value('已写行数'),
    parts: value('已写段数'),
    total: value('总行数'),
    created_at: time('创建时间'),
    expires_at: time('失效时间'),
    cursor: hidden('写到的位置'),
  }),
  table('user_export_part', '后台导出文件', ofOperatorsFile, {
    export_id: value('任务编号'),
    number: value('段号'),
    bytes: hidden('文件内容（他人信息）'),
  }),
  table('blob', '图片与文件', ofOwner, {
    id: value('编号'),
    kind: value('种类', words.pictures),
    type: value('格式'),
    created_at: time('保存时间'),
    bytes: {
      label: '内容',
      shown: 'value',
      as: sql`CASE kind WHEN 'export' THEN '早先导出的压缩包，不再收入' ELSE '见压缩包中的 ' || kind || '.webp' END`,
    },
  }),
  table('data_export', '个人信息导出', ofPerson, {
    id: value('编号'),
    status: value('状态', words.exports),
    done: value('已完成部分'),
    total: value('全部部分'),
    created_at: time('创建时间'),
    expires_at: time('失效时间'),
  }),
  table('pgboss.job', '通知与后台任务', jobs, {
    name: value('种类', words.jobs),
    created_on: time('创建时间'),
    data: hidden('通知正文（可能含一次性链接）'),
    output: hidden('发送结果'),
  }),
]

/** Those that the archive shows. */
export const archivedTables = personalTables.filter(({ erasedOnly }) => !erasedOnly)
