const limit = 1000
const [list, empty, state, filter, template] = ['messages', 'empty', 'state', 'filter', 'message'].map((id) =>
  document.getElementById(id),
)

const channels = { sms: '短信', mail: '邮件', wechat: '微信' }

let messages = []

const time = new Intl.DateTimeFormat('zh-CN', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
const day = new Intl.DateTimeFormat('zh-CN', { month: 'numeric', day: 'numeric' })

function when(text) {
  const date = new Date(text)
  const today = date.toDateString() === new Date().toDateString()
  return today ? time.format(date) : `${day.format(date)} ${time.format(date)}`
}

/** The first six digits that stand alone: a longer number is no code. */
const codeIn = (text) => /(?<!\d)\d{6}(?!\d)/.exec(text)?.[0]

/** Off localhost and HTTPS a browser gives no clipboard; a selection always works. */
async function copy(code, output) {
  if (navigator.clipboard) return navigator.clipboard.writeText(code)
  getSelection().selectAllChildren(output)
  if (!document.execCommand('copy')) throw new Error('not copied')
}

async function copied(button, code, output) {
  button.textContent = await copy(code, output).then(
    () => '已复制',
    () => '请手动复制',
  )
  setTimeout(() => {
    button.textContent = '复制'
  }, 2000)
}

function item(message) {
  const part = template.content.cloneNode(true)
  const find = (selector) => part.querySelector(selector)
  find('li').classList.add(message.channel)
  find('.channel').textContent = channels[message.channel]
  find('.to').textContent = message.name ?? message.to
  find('.to').title = message.to
  find('time').textContent = when(message.time)
  find('time').dateTime = message.time
  find('.text').textContent = message.text
  if (message.subject) find('.subject').textContent = message.subject
  else find('.subject').remove()
  const code = codeIn(message.text)
  if (!code) {
    find('.code').remove()
    return part
  }
  const output = find('output')
  const button = find('button')
  output.textContent = code
  button.setAttribute('aria-label', `复制验证码 ${code}`)
  button.addEventListener('click', () => copied(button, code, output))
  return part
}

const wanted = ({ to, name = '' }) => `${to} ${name}`.toLowerCase().includes(filter.value.trim().toLowerCase())

function sayEmpty() {
  empty.hidden = list.childElementCount > 0
  empty.textContent =
    messages.length === 0 ? '还没有消息。发送短信、邮件或微信消息后会出现在这里。' : '没有符合筛选条件的消息'
}

function show() {
  list.replaceChildren(...messages.filter(wanted).map(item))
  sayEmpty()
}

function add(message) {
  messages = [message, ...messages].slice(0, limit)
  if (wanted(message)) list.prepend(item(message))
  while (list.childElementCount > limit) list.lastElementChild.remove()
  sayEmpty()
}

/** After every connection all is read anew, so what came in between isn't missed. */
async function load() {
  const answer = await fetch('/api/messages')
  messages = (await answer.json()).data
  show()
}

function follow() {
  const events = new EventSource('/api/events')
  events.addEventListener('open', async () => {
    await load()
    state.textContent = '实时更新'
    state.classList.add('live')
  })
  events.addEventListener('message', ({ data }) => add(JSON.parse(data)))
  events.addEventListener('error', () => {
    state.textContent = '连接中断，正在重连'
    state.classList.remove('live')
  })
}

filter.addEventListener('input', show)
follow()
